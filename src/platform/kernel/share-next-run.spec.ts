import { expect, it } from '@jest/globals';
import { AsyncLocalStorage } from 'node:async_hooks';
import { shareNextRun, shareSuccess } from './turns.js';

/** A run that ends when the test says so. */
function controlledRuns() {
  const ends: ((error?: Error) => void)[] = [];
  const share = shareNextRun(
    () =>
      new Promise<number>((resolve, reject) => {
        const number = ends.length + 1;
        ends.push((error) => (error ? reject(error) : resolve(number)));
      }),
  );
  return { ends, share };
}

const microtasks = () => new Promise((resolve) => setImmediate(resolve));

it('shareNextRun gives callers during a run the next run, and all of them the same', async () => {
  const { ends, share } = controlledRuns();
  const first = share();
  await microtasks();
  const [second, third] = [share(), share()];
  await microtasks();
  expect(ends).toHaveLength(1);
  ends[0]!();
  expect(await first).toBe(1);
  await microtasks();
  ends[1]!();
  expect(await Promise.all([second, third])).toEqual([2, 2]);
  expect(ends).toHaveLength(2);
});

it('shareNextRun starts the next run after a failed one', async () => {
  const { ends, share } = controlledRuns();
  const first = share();
  await microtasks();
  const second = share();
  ends[0]!(new Error('failed'));
  await expect(first).rejects.toThrow('failed');
  await microtasks();
  ends[1]!();
  expect(await second).toBe(2);
});

it('shareNextRun runs outside the async context of its callers', async () => {
  const context = new AsyncLocalStorage<string>();
  const share = shareNextRun(() => Promise.resolve(context.getStore()));
  expect(await context.run('caller', share)).toBeUndefined();
});

it('shareSuccess keeps a result, and runs again after a failure', async () => {
  let runs = 0;
  const share = shareSuccess(() => {
    runs += 1;
    return runs === 1 ? Promise.reject(new Error('not yet')) : Promise.resolve(runs);
  });
  const first = await Promise.allSettled([share(), share()]);
  expect(first.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect([await share(), await share(), runs]).toEqual([2, 2, 2]);
});
