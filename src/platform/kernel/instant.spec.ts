import { expect, it } from '@jest/globals';
import { parseInstant } from './time.js';

it.each([
  ['2026-12-01T00:00:00Z', '2026-12-01T00:00:00.000Z'],
  ['2026-12-01t01:30+01:00', '2026-12-01T00:30:00.000Z'],
  ['2028-02-29T23:59:59.999999999-00:30', '2028-03-01T00:29:59.999Z'],
  ['0001-01-01T00:00:00Z', '0001-01-01T00:00:00.000Z'],
  ['2026-02-29T00:00:00Z', undefined],
  ['2026-02-30T12:00:00+02:00', undefined],
  ['2026-04-31T00:00Z', undefined],
  ['2026-13-01T00:00:00Z', undefined],
  ['2026-12-01T25:00:00Z', undefined],
  ['2026-12-01T00:00:00', undefined],
  ['2026-12-01', undefined],
  [20261201, undefined],
])('parseInstant(%j) is %s', (text, expected) => {
  expect(parseInstant(text)?.toISOString()).toBe(expected);
});
