import { describe, expect, it, test } from '@jest/globals';
import {
  ago,
  dayOnly,
  duration,
  fromLocalInput,
  longTime,
  machineTime,
  shortTime,
  toLocalInput,
} from './time-words.js';

const now = new Date('2026-11-21T09:30:00Z');
const at = (text: string) => new Date(text);

describe('a time on a page', () => {
  it.each([
    ['2026-11-21T09:29:40Z', 'just now', '09:29'],
    ['2026-11-21T09:25:00Z', '5 min ago', '09:25'],
    ['2026-11-21T11:40:00Z', 'in 2 h 10 min', '11:40'],
    ['2026-11-20T10:00:00Z', '23 h 30 min ago', 'Fri 20 Nov, 10:00'],
    ['2026-11-20T09:30:00Z', null, 'Fri 20 Nov, 09:30'],
    ['2026-11-18T10:00:00Z', null, 'Wed 18 Nov, 10:00'],
    ['2026-07-18T10:00:00Z', null, 'Sat 18 Jul, 11:00'],
    ['2026-01-03T10:00:00Z', null, '3 Jan 2026'],
  ])('shows %s as %s, %s', (text, relative, short) => {
    expect([ago(at(text), now), shortTime(at(text), now)]).toEqual([relative, short]);
  });

  it.each([NaN, 8.64e15, -8.64e15])('is unknown for %s, which no calendar has', (instant) => {
    const unknown = new Date(instant);
    expect([
      ago(unknown, now),
      shortTime(unknown, now),
      dayOnly(unknown),
      longTime(unknown),
      machineTime(unknown),
    ]).toEqual([null, 'unknown time', 'unknown time', 'unknown time', undefined]);
  });

  it('has its time zone in the long form', () => {
    expect(longTime(at('2026-07-18T10:00:00Z'))).toBe('Saturday 18 July 2026 at 11:00 BST');
  });
});

test.each([
  [59_000, 'less than a minute'],
  [80 * 60_000, '1 h 20 min'],
  [120 * 60_000, '2 h'],
  [51 * 3_600_000, '2 d 3 h'],
])('shows %d ms as %s', (milliseconds, text) => {
  expect(duration(milliseconds)).toBe(text);
});

describe('a typed local time', () => {
  it.each([
    ['2026-11-21T09:30', '2026-11-21T09:30:00.000Z'],
    ['2026-07-21T09:30', '2026-07-21T08:30:00.000Z'],
    ['2026-10-25T01:30', '2026-10-25T01:30:00.000Z'],
  ])('%s means %s', (text, instant) => {
    expect(fromLocalInput(text)?.toISOString()).toBe(instant);
    expect(toLocalInput(at(instant))).toBe(text);
  });

  it.each(['', 'tomorrow', '2026-13-01T10:00', '2026-03-29T01:30'])('%j is invalid', (text) => {
    expect(fromLocalInput(text)).toBeNull();
  });
});
