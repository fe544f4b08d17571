import { NotFound, Problem } from '../platform/problems/problem.js';
import { whole } from '../platform/kernel/counts.js';

export class WatchNotFound extends NotFound {
  constructor() {
    super('You have no watch at this place.');
  }
}

export class TooManyWatches extends Problem {
  constructor(most: number) {
    super(
      'watch-limit',
      `You have ${whole(most)} open watches. Delete some that you no longer need.`,
    );
  }
}

/** Live tokens get it too. */
export class TestWatchNotFound extends NotFound {
  constructor() {
    super('You have no open test watch at this place. Only a test token sees test watches.');
  }
}
