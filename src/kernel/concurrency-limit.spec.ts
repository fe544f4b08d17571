import { expect, it } from '@jest/globals';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { ConcurrencyLimit } from './concurrency-limit.js';

/** Jobs that note their start, and end when the test says so. */
function heldJobs(limit: ConcurrencyLimit, count: number) {
  const started: number[] = [];
  const ends: ((error?: Error) => void)[] = [];
  const results = Array.from({ length: count }, (_, i) =>
    limit.run(() => {
      started.push(i);
      return new Promise<number>((resolve, reject) => {
        ends[i] = (error) => (error ? reject(error) : resolve(i));
      });
    }),
  );
  return { ends, results, started };
}

it('a concurrency limit starts as many jobs as it allows, and the others in order', async () => {
  const limit = new ConcurrencyLimit(2);
  const { ends, results, started } = heldJobs(limit, 4);
  expect(started).toEqual([0, 1]);
  ends[1]!();
  await nextTurn();
  expect(started).toEqual([0, 1, 2]);
  ends[0]!();
  await nextTurn();
  expect(started).toEqual([0, 1, 2, 3]);
  for (const i of [2, 3]) ends[i]!();
  expect(await Promise.all(results)).toEqual([0, 1, 2, 3]);
  await limit.run(() => Promise.resolve(started.push(4)));
  expect(started).toEqual([0, 1, 2, 3, 4]);
});

it('a concurrency limit starts the next job after one that fails', async () => {
  const { ends, results, started } = heldJobs(new ConcurrencyLimit(1), 2);
  const failed = expect(results[0]).rejects.toThrow('no');
  ends[0]!(new Error('no'));
  await failed;
  await nextTurn();
  expect(started).toEqual([0, 1]);
  ends[1]!();
  expect(await results[1]).toBe(1);
});
