import { expect, it } from '@jest/globals';
import { mayBindAlone } from './move-faults.js';

const limit = { amount: 1_000, currency: 'GBP' };

it.each([
  ['a colleague, for any amount', 'eve', 123_456.78, 'GBP', limit, true],
  ['a colleague without a limit', 'eve', 1, 'GBP', null, true],
  ['the author up to the limit', 'sam', 1_000, 'GBP', limit, true],
  ['the author above it: no', 'sam', 1_000.01, 'GBP', limit, false],
  ['the author in another currency: no', 'sam', 1, 'EUR', limit, false],
  ['the author without a limit: no', 'sam', 1, 'GBP', null, false],
] as const)('an acceptance is recorded by %s', (_who, by, amount, currency, over, expected) => {
  expect(mayBindAlone({ authorId: 'sam', amount, currency }, by, over)).toBe(expected);
});
