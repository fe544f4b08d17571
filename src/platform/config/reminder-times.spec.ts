import { describe, expect, it } from '@jest/globals';
import { reminderSlot } from './reminder-times.js';

describe('reminderSlot', () => {
  const times = ['08:30', '13:30'];

  it.each([
    ['before the first', '2026-11-23T08:29:59Z', null],
    ['at the first', '2026-11-23T08:30:00Z', '2026-11-23 08:30'],
    ['two hours later', '2026-11-23T10:30:59Z', '2026-11-23 08:30'],
    ['too late', '2026-11-23T10:31:00Z', null],
    ['at the second', '2026-11-23T13:30:00Z', '2026-11-23 13:30'],
    ['in summer, an hour earlier in UTC', '2026-07-06T07:30:00Z', '2026-07-06 08:30'],
    ['on the Friday before the clocks change', '2026-10-23T07:30:00Z', '2026-10-23 08:30'],
    ['on the Monday after', '2026-10-26T08:30:00Z', '2026-10-26 08:30'],
    ['on a Saturday', '2026-11-21T09:00:00Z', null],
    ['on a Sunday', '2026-11-22T09:00:00Z', null],
  ])('%s', (_when, now, expected) => expect(reminderSlot(new Date(now), times)).toBe(expected));

  it('is null without times', () => {
    expect(reminderSlot(new Date('2026-11-23T08:30:00Z'), [])).toBeNull();
  });
});
