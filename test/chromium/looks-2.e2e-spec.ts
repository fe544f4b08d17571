import { lookAtEverySecond } from './looks.js';

lookAtEverySecond(1);
