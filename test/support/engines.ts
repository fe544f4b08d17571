import { expect } from '@jest/globals';
import { basename } from 'node:path';
import { type Engine, engineFor, engines } from './databases.js';

/** The engines of a suite of this test file that needs only one: one of them, or both with `ENGINES=both`. */
export function chosenEngines(): readonly Engine[] {
  const file = basename(expect.getState().testPath!);
  return process.env.ENGINES === 'both' ? engines : [engineFor(file)];
}
