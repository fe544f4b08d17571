import { afterAll } from '@jest/globals';

const pending: (() => Promise<unknown>)[] = [];

/** Runs `close` at the end of the test file, last opened first. */
export function later(close: () => Promise<unknown>): void {
  pending.push(close);
}

afterAll(async () => {
  for (let close = pending.pop(); close; close = pending.pop()) await close();
});
