import { afterAll, afterEach } from '@jest/globals';
import { compareAnswers, recordAnswers } from './answers.js';

// After the test, so that the comparison adds nothing to what a test measures.
recordAnswers();
afterEach(compareAnswers);
afterAll(compareAnswers);
