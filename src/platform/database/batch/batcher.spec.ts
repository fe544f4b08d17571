import { expect, it, jest } from '@jest/globals';
import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { Unavailable } from '../../problems/problem.js';
import { type BatchSettings, type Batch, Batcher } from './batcher.js';

const soon = () => performance.now() + 60_000;

/** A batcher whose batches end when the test calls `end`. */
function heldBatcher(settings?: BatchSettings) {
  const batches: string[][] = [];
  const ends: ((error?: Error) => void)[] = [];
  const batcher = new Batcher<string, string>(async ({ take }) => {
    const items = take();
    batches.push([...items]);
    await new Promise<void>((resolve, reject) =>
      ends.push((error) => (error ? reject(error) : resolve())),
    );
    return items.map((item) => (item === 'bad' ? new Error('bad') : `${item} done`));
  }, settings);
  const end = async (error?: Error) => {
    ends.shift()!(error);
    await sleep(0);
  };
  return { batcher, batches, end };
}

it('a batcher puts items that arrive during a batch into the next one', async () => {
  const { batcher, batches, end } = heldBatcher();
  const results = ['one', 'two', 'three'].map((item) => batcher.add(item, soon()));
  await end();
  await end();
  expect(await Promise.all(results)).toEqual(['one done', 'two done', 'three done']);
  expect(batches).toEqual([['one'], ['two', 'three']]);
});

it('a batcher takes at most 64 items into a batch', async () => {
  const { batcher, batches, end } = heldBatcher();
  const results = Array.from({ length: 130 }, (_, i) => batcher.add(`${i}`, soon()));
  for (let n = 0; n < 4; n += 1) await end();
  await Promise.all(results);
  expect(batches.map(({ length }) => length)).toEqual([1, 64, 64, 1]);
});

it('a batcher rejects one item where its result is an error, and no other', async () => {
  const { batcher, end } = heldBatcher();
  const results = Promise.allSettled(
    ['one', 'bad', 'two'].map((item) => batcher.add(item, soon())),
  );
  await end();
  await end();
  expect((await results).map(({ status }) => status)).toEqual([
    'fulfilled',
    'rejected',
    'fulfilled',
  ]);
});

it('a batcher writes the items of a failed batch again one by one, where asked to', async () => {
  const { batcher, batches, end } = heldBatcher({ isRetriedSingly: () => true });
  const results = Promise.allSettled(
    ['one', 'two', 'three'].map((item) => batcher.add(item, soon())),
  );
  await end();
  await end(new Error('batch'));
  await end(new Error('two'));
  await end();
  expect((await results).map(({ status }) => status)).toEqual([
    'fulfilled',
    'rejected',
    'fulfilled',
  ]);
  expect(batches).toEqual([['one'], ['two', 'three'], ['two'], ['three']]);
});

it('a batcher rejects all items of a failed batch otherwise', async () => {
  const { batcher, batches, end } = heldBatcher();
  const results = Promise.allSettled(
    ['one', 'two', 'three'].map((item) => batcher.add(item, soon())),
  );
  await end();
  await end(new Error('batch'));
  expect((await results).map(({ status }) => status)).toEqual([
    'fulfilled',
    'rejected',
    'rejected',
  ]);
  expect(batches).toEqual([['one'], ['two', 'three']]);
});

it('a batcher rejects an item at its deadline, and never writes it', async () => {
  const { batcher, batches, end } = heldBatcher();
  const first = batcher.add('one', soon());
  await expect(batcher.add('late', performance.now() + 10)).rejects.toBeInstanceOf(Unavailable);
  await end();
  await first;
  expect(batches).toEqual([['one']]);
});

it('a batcher never writes an item that comes after its deadline', async () => {
  const { batcher, batches } = heldBatcher();
  const late = batcher.add('late', performance.now() - 1);
  await expect(late).rejects.toBeInstanceOf(Unavailable);
  expect(batches).toEqual([]);
});

it('a batcher does not reject an item whose deadline passes while it is written', async () => {
  const { batcher, end } = heldBatcher();
  const result = batcher.add('one', performance.now() + 10);
  await sleep(50);
  await end();
  expect(await result).toBe('one done');
});

it.each([
  ['first', []],
  ['retried', ['one', 'two']],
])('a batcher rejects a %s item whose batch cannot start', async (_which, taken) => {
  const failures = [
    new Error('first batch'),
    new Error('no connection'),
    new Error('no connection'),
  ];
  let isFirst = true;
  const batcher = new Batcher<string, string>(
    async ({ take }: Batch<string>) => {
      await sleep(0);
      if (isFirst && taken.length > 0) take();
      isFirst = false;
      throw failures.shift()!;
    },
    { isRetriedSingly: () => true },
  );
  const results = ['one', 'two'].map((item) => batcher.add(item, soon()));
  for (const { status } of await Promise.allSettled(results)) expect(status).toBe('rejected');
});

it('a batcher runs outside the async context of its callers', async () => {
  const context = new AsyncLocalStorage<string>();
  const seen: (string | undefined)[] = [];
  const batcher = new Batcher<string, string>(({ take }) => {
    seen.push(context.getStore());
    return Promise.resolve([...take()]);
  });
  await context.run('caller', () => batcher.add('one', soon()));
  expect(seen).toEqual([undefined]);
});

it('a batcher leaves items in the queue that a batch does not take', async () => {
  const taken: string[] = [];
  const batcher = new Batcher<string, string>(async ({ take }) => {
    await sleep(0);
    const items = take(1);
    taken.push(...items);
    return items;
  });
  expect(await Promise.all(['one', 'two'].map((item) => batcher.add(item, soon())))).toEqual([
    'one',
    'two',
  ]);
  expect(taken).toEqual(['one', 'two']);
});

it('a batcher takes at most 64 items into a batch, however often the batch takes some', async () => {
  const sizes: number[] = [];
  const batcher = new Batcher<number, number>(async ({ take }) => {
    await sleep(0);
    const items = [...take(40), ...take(40), ...take()];
    sizes.push(items.length);
    return items;
  });
  await Promise.all(Array.from({ length: 100 }, (_, i) => batcher.add(i, soon())));
  expect(sizes).toEqual([64, 36]);
});

it('a batcher tells a batch the deadline of its oldest item, and how many wait', async () => {
  const told: number[][] = [];
  const batcher = new Batcher<string, string>(async (batch) => {
    await sleep(0);
    told.push([batch.until, batch.waiting]);
    return [...batch.take(1)];
  });
  const deadline = soon();
  const first = batcher.add('first', deadline - 1_000);
  await Promise.all([first, batcher.add('one', deadline), batcher.add('two', deadline + 1_000)]);
  expect(told).toEqual([
    [deadline - 1_000, 3],
    [deadline, 2],
    [deadline + 1_000, 1],
  ]);
});

it('a batcher fails the waiting items with a batch that met an outage, where told so', async () => {
  const { batcher, batches, end } = heldBatcher({
    failsWaiting: (error) => error instanceof Unavailable,
  });
  const first = Promise.allSettled(['one', 'two'].map((item) => batcher.add(item, soon())));
  await end(new Unavailable('away'));
  expect((await first).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  const second = Promise.allSettled(['three', 'four'].map((item) => batcher.add(item, soon())));
  await end(new Error('refused'));
  await end();
  expect((await second).map(({ status }) => status)).toEqual(['rejected', 'fulfilled']);
  expect(batches).toEqual([['one'], ['three'], ['four']]);
});

it('a batcher gives the waiting items more time than the deadline of a batch', async () => {
  const { batcher, end } = heldBatcher({ failsWaiting: () => true });
  const now = jest.spyOn(performance, 'now').mockReturnValue(1_000);
  const results = Promise.allSettled([batcher.add('one', 2_000), batcher.add('two', 60_000)]);
  now.mockReturnValue(2_000);
  await end(new Unavailable('too late'));
  await end();
  now.mockRestore();
  expect((await results).map(({ status }) => status)).toEqual(['rejected', 'fulfilled']);
});
