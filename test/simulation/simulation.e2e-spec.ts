import { describe, expect, it } from '@jest/globals';
import { engines } from '../support/databases.js';
import { Departure, type HistoryOptions, runHistory } from './history.js';
import { shrink } from './shrink.js';

/** The same for every run, so that a failure is that of a change. */
const seeds = { sqlite: [1, 2, 3], postgres: [4] } as const;
const STEPS = 60;
/** Milliseconds, with the search for a shorter history where one fails. */
const LONGEST = 300_000;

/** Fails with the shortest history that the service and the model tell differently. */
async function play(options: HistoryOptions) {
  try {
    return await runHistory(options);
  } catch (error) {
    if (error instanceof Departure) throw new Error(await shrink(options, error), { cause: error });
    throw error;
  }
}

describe.each(engines)('a history of the whole business on %s', (engine) => {
  it.each(seeds[engine])(
    'is as the model says, with the seed %i',
    async (seed) => {
      const { steps } = await play({ seed, engine, steps: STEPS });
      expect(steps).toBe(STEPS);
    },
    LONGEST,
  );
});

it(
  'has the same log each time',
  async () => {
    const options = { seed: 5, engine: 'sqlite', steps: 25 } as const;
    expect(await play(options)).toEqual(await play(options));
  },
  LONGEST,
);
