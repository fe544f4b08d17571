import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';
import { BackgroundWork } from './background-work.js';

let warnings: string[];
let failures: Record<string, number>;
let background: BackgroundWork;

beforeEach(() => {
  jest.useFakeTimers({ doNotFake: ['setImmediate'] });
  warnings = [];
  background = new BackgroundWork((message) => warnings.push(message), (failures = {}));
});
afterEach(() => {
  jest.useRealTimers();
});

/** A job that ends when the test says so. */
function heldJob() {
  const ends: (() => void)[] = [];
  return { ends, work: () => new Promise<void>((resolve) => ends.push(resolve)) };
}

it('a periodic job starts with the process and runs at every interval', async () => {
  const work = jest.fn();
  background.every('job', 100, work);
  await jest.advanceTimersByTimeAsync(500);
  expect(work).not.toHaveBeenCalled();
  background.start();
  await jest.advanceTimersByTimeAsync(350);
  expect(work).toHaveBeenCalledTimes(3);
});

it('a periodic job first runs after its own delay, then at every interval', async () => {
  const work = jest.fn();
  background.every('job', 100, work, { firstAfter: 10 });
  background.start();
  await jest.advanceTimersByTimeAsync(9);
  expect(work).not.toHaveBeenCalled();
  await jest.advanceTimersByTimeAsync(1);
  expect(work).toHaveBeenCalledTimes(1);
  await jest.advanceTimersByTimeAsync(100);
  expect(work).toHaveBeenCalledTimes(2);
});

it('a periodic job that is registered after the start runs, too', async () => {
  const work = jest.fn();
  background.start();
  background.every('job', 100, work, { firstAfter: 10 });
  await jest.advanceTimersByTimeAsync(120);
  expect(work).toHaveBeenCalledTimes(2);
});

it('a periodic job for serving processes does not run in a command', async () => {
  const work = jest.fn();
  background.every('job', 100, work, { whileServing: true });
  background.start();
  await jest.advanceTimersByTimeAsync(1_000);
  expect(work).not.toHaveBeenCalled();
  background.startServing();
  await jest.advanceTimersByTimeAsync(100);
  expect(work).toHaveBeenCalledTimes(1);
});

it('starting to serve does not run the other periodic jobs twice', async () => {
  const work = jest.fn();
  background.every('job', 100, work);
  background.start();
  background.startServing();
  await jest.advanceTimersByTimeAsync(100);
  expect(work).toHaveBeenCalledTimes(1);
});

it('a periodic job never overlaps itself', async () => {
  const { ends, work } = heldJob();
  background.every('slow', 100, work);
  background.start();
  await jest.advanceTimersByTimeAsync(350);
  expect(ends).toHaveLength(1);
  ends[0]!();
  await jest.advanceTimersByTimeAsync(100);
  expect(ends).toHaveLength(2);
});

it.each([
  [
    'throws',
    () => {
      throw new Error('broken');
    },
  ],
  ['rejects', () => Promise.reject(new Error('broken'))],
])('a periodic job that %s is logged and counted, and runs again', async (_how, work) => {
  background.every('failing', 100, work);
  expect(failures).toEqual({ failing: 0 });
  background.start();
  await jest.advanceTimersByTimeAsync(250);
  expect(failures).toEqual({ failing: 2 });
  expect(warnings[0]).toBe('The periodic job "failing" failed: Error: broken');
});

it('a job that keeps failing is logged once a minute, and again after it has worked', async () => {
  let broken = true;
  background.every('failing', 100, () => {
    if (broken) throw new Error('broken');
  });
  background.start();
  await jest.advanceTimersByTimeAsync(59_000);
  expect(warnings).toHaveLength(1);
  await jest.advanceTimersByTimeAsync(2_000);
  expect(warnings).toHaveLength(2);
  broken = false;
  await jest.advanceTimersByTimeAsync(100);
  broken = true;
  await jest.advanceTimersByTimeAsync(200);
  expect([warnings.length, failures.failing! > 600]).toEqual([3, true]);
});

it('stop waits for running jobs and then flushes the buffers', async () => {
  const events: string[] = [];
  const { ends, work } = heldJob();
  background.every('job', 100, async () => {
    await work();
    events.push('job ended');
  });
  const buffer = background.buffer<string>({
    keyOf: (item) => item,
    delay: 60_000,
    write: (items) => Promise.resolve(events.push(`wrote ${items.join()}`)),
  });
  background.start();
  await jest.advanceTimersByTimeAsync(100);
  buffer.add('item');
  const stopped = background.stop().then(() => events.push('stopped'));
  expect(background.stopping.aborted).toBe(true);
  await jest.advanceTimersByTimeAsync(1_000);
  expect(events).toEqual([]);
  ends[0]!();
  await stopped;
  expect(events).toEqual(['job ended', 'wrote item', 'stopped']);
  await jest.advanceTimersByTimeAsync(1_000);
  expect(ends).toHaveLength(1);
});

it('stop does the rest of its last work if some of it fails', async () => {
  const last = jest.fn();
  background.atStop(() => Promise.reject(new Error('broken')));
  background.atStop(last);
  await background.stop();
  expect(last).toHaveBeenCalled();
  expect(warnings).toEqual(['The last work failed: Error: broken']);
});

it('a job that is registered after the stop never runs', async () => {
  const work = jest.fn();
  background.start();
  await background.stop();
  background.every('late', 100, work);
  await jest.advanceTimersByTimeAsync(1_000);
  expect(work).not.toHaveBeenCalled();
});

it('stop does not wait for ever for a job or last work that hangs', async () => {
  const last = jest.fn();
  background.every('hanging', 100, () => new Promise(() => undefined));
  background.atStop(() => new Promise(() => undefined));
  background.atStop(last);
  background.start();
  await jest.advanceTimersByTimeAsync(100);
  const stopped = background.stop();
  await jest.advanceTimersByTimeAsync(24_000);
  await stopped;
  expect(last).toHaveBeenCalledTimes(1);
});

it('a job that the stop interrupts is neither logged nor counted as failed', async () => {
  background.every(
    'long',
    100,
    (stopping) =>
      new Promise((_resolve, reject) =>
        stopping.addEventListener('abort', () => reject(new Error('interrupted'))),
      ),
  );
  background.start();
  await jest.advanceTimersByTimeAsync(100);
  await background.stop();
  expect([warnings, failures]).toEqual([[], { long: 0 }]);
});
