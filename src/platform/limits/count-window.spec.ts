import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';
import { CountWindow } from './count-window.js';

beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

it('counts by key until the window ends', async () => {
  const counts = new CountWindow(60);
  expect(counts.add('a')).toMatchObject({ count: 1, reset: 60 });
  await jest.advanceTimersByTimeAsync(59_999);
  expect(counts.add('a')).toMatchObject({ count: 2, reset: 1 });
  expect(counts.look('b')).toEqual({ count: 0, reset: 1 });
  await jest.advanceTimersByTimeAsync(1);
  expect(counts.look('a')).toEqual({ count: 0, reset: 1 });
  expect(counts.add('a')).toMatchObject({ count: 1, reset: 60 });
});

it('takes a count back in its own window only', async () => {
  const counts = new CountWindow(60);
  const early = counts.add('a');
  counts.remove('a', early);
  expect(counts.look('a').count).toBe(0);
  await jest.advanceTimersByTimeAsync(60_000);
  counts.add('a');
  counts.remove('a', early);
  expect(counts.look('a').count).toBe(1);
});
