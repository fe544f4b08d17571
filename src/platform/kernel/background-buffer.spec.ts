import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';
import { BackgroundBuffer, type BufferSettings, RejectedItems } from './background-buffer.js';

beforeEach(() => {
  jest.useFakeTimers({ doNotFake: ['setImmediate'] });
});
afterEach(() => {
  jest.useRealTimers();
});

interface Item {
  readonly key: string;
  readonly value: number;
}

/** A buffer that notes what it writes; `failures` are thrown by the next writes. */
function notingBuffer(settings: Partial<BufferSettings<Item>> = {}) {
  const written: string[][] = [];
  const failures: Error[] = [];
  const reports: boolean[] = [];
  const buffer = new BackgroundBuffer<Item>({
    keyOf: ({ key }) => key,
    delay: 50,
    onFailure: (_error, isFirst) => reports.push(isFirst),
    ...settings,
    write: async (items) => {
      const failure = failures.shift();
      if (failure) throw failure;
      await settings.write?.(items);
      written.push(items.map(({ key, value }) => `${key}${value}`));
    },
  });
  const add = (...keys: string[]) => {
    for (const key of keys) buffer.add({ key, value: 1 });
  };
  return { add, buffer, failures, reports, written };
}

it('a background buffer writes items together after its delay', async () => {
  const { add, buffer, written } = notingBuffer();
  add('a', 'b');
  await jest.advanceTimersByTimeAsync(49);
  expect(written).toEqual([]);
  expect(buffer.get('a')).toEqual({ key: 'a', value: 1 });
  await jest.advanceTimersByTimeAsync(1);
  expect(written).toEqual([['a1', 'b1']]);
  expect([buffer.size, buffer.get('a')]).toEqual([0, undefined]);
});

it('a background buffer writes a full batch without delay, and more than one in batches', async () => {
  const { add, buffer, written } = notingBuffer({ batchSize: 2 });
  add('a', 'b');
  await jest.advanceTimersByTimeAsync(0);
  expect(written).toEqual([['a1', 'b1']]);
  add('c', 'd', 'e');
  await buffer.flush();
  expect(written).toEqual([['a1', 'b1'], ['c1', 'd1'], ['e1']]);
});

it('a background buffer keeps the latest item of a key', async () => {
  const { buffer, written } = notingBuffer();
  for (const value of [1, 2, 3]) buffer.add({ key: 'a', value });
  await buffer.flush();
  expect(written).toEqual([['a3']]);
});

it('a background buffer writes an item again that was replaced during its write', async () => {
  let replace = () => {};
  const { buffer, written } = notingBuffer({ write: () => Promise.resolve(replace()) });
  buffer.add({ key: 'a', value: 1 });
  replace = () => {
    replace = () => {};
    buffer.add({ key: 'a', value: 2 });
  };
  await buffer.flush();
  expect(written).toEqual([['a1']]);
  await jest.advanceTimersByTimeAsync(50);
  expect(written).toEqual([['a1'], ['a2']]);
});

it('a background buffer retries a failed write, in order, and reports the first failure as such', async () => {
  const { add, buffer, failures, reports, written } = notingBuffer({ batchSize: 2 });
  failures.push(new Error('away'), new Error('still away'));
  add('a', 'b', 'c');
  await buffer.flush();
  add('d', 'e');
  await jest.advanceTimersByTimeAsync(1_000);
  expect([written, buffer.size, reports]).toEqual([[], 5, [true, false]]);
  await jest.advanceTimersByTimeAsync(1_000);
  await buffer.flush();
  expect(written).toEqual([['a1', 'b1'], ['c1', 'd1'], ['e1']]);
  expect([buffer.size, buffer.dropped]).toEqual([0, 0]);
});

it('a background buffer that has recovered writes full batches at once, and reports the next failure as the first', async () => {
  const { add, buffer, failures, reports, written } = notingBuffer({ batchSize: 2 });
  failures.push(new Error('away'));
  add('a', 'b');
  await jest.advanceTimersByTimeAsync(1_000);
  expect([written, reports]).toEqual([[['a1', 'b1']], [true]]);
  add('c', 'd');
  await jest.advanceTimersByTimeAsync(0);
  expect(written).toEqual([
    ['a1', 'b1'],
    ['c1', 'd1'],
  ]);
  failures.push(new Error('away again'));
  add('e');
  await buffer.flush();
  expect(reports).toEqual([true, true]);
});

it('a background buffer drops and counts items above its capacity', async () => {
  const { add, buffer, written } = notingBuffer({ capacity: 2 });
  add('a', 'b', 'c', 'd');
  buffer.add({ key: 'a', value: 2 });
  await buffer.flush();
  expect([written, buffer.dropped]).toEqual([[['a2', 'b1']], 2]);
});

it('a background buffer drops and counts items that the receiver rejects for good', async () => {
  const { add, buffer, failures, written } = notingBuffer({ batchSize: 2 });
  failures.push(new RejectedItems('invalid'));
  add('a', 'b', 'c');
  await buffer.flush();
  expect([buffer.dropped, buffer.size]).toEqual([2, 1]);
  await jest.advanceTimersByTimeAsync(1_000);
  expect(written).toEqual([['c1']]);
});

it('a flush of a background buffer during a write covers the items added during it', async () => {
  let end = () => {};
  const { add, buffer, written } = notingBuffer({
    write: () => new Promise<void>((resolve) => (end = resolve)),
  });
  add('a');
  const first = buffer.flush();
  await jest.advanceTimersByTimeAsync(0);
  add('b');
  const second = buffer.flush();
  end();
  await first;
  expect(written).toEqual([['a1']]);
  await jest.advanceTimersByTimeAsync(0);
  end();
  await second;
  expect(written).toEqual([['a1'], ['b1']]);
});

it('a background buffer that has ended does not retry, and waits for no further items', async () => {
  const { add, buffer, failures, reports, written } = notingBuffer();
  failures.push(new Error('The database is closed.'));
  add('a');
  await buffer.end();
  add('b');
  await jest.advanceTimersByTimeAsync(60_000);
  expect([reports, written]).toEqual([[true], []]);
});
