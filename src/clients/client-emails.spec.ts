import { describe, expect, it } from '@jest/globals';
import { stageOf } from './client-emails.js';

const DAY = 86_400_000;

describe('stageOf', () => {
  it.each([
    [365, 31, null],
    [365, 30, 30],
    [365, 8, 30],
    [365, 7, 7],
    [365, 1.01, 7],
    [365, 1, 1],
    [365, 0.01, 1],
    [365, 0, null],
    [365, -1, null],
    [30, 30, null],
    [30, 7, 7],
    [7, 5, null],
    [7, 1, 1],
    [1, 0.5, null],
  ])('of a token for %d days with %d left: %s', (whole, left, expected) => {
    const expiresAt = new Date(Date.UTC(2026, 10, 21));
    const createdAt = new Date(expiresAt.getTime() - whole * DAY);
    expect(stageOf({ createdAt, expiresAt }, new Date(expiresAt.getTime() - left * DAY))).toBe(
      expected,
    );
  });
});
