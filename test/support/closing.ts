import { afterAll } from '@jest/globals';

const pending: (() => Promise<unknown>)[] = [];

/** Has `close` done when the test file ends, after what was opened later has been closed. */
export function later(close: () => Promise<unknown>): void {
  pending.push(close);
}

afterAll(async () => {
  for (let close = pending.pop(); close; close = pending.pop()) await close();
});
