import { describe, expect, it } from '@jest/globals';
import { parseWeek } from '../../platform/kernel/working-hours.js';
import { deadlineWords } from './order-words.js';

const calendar = {
  week: parseWeek('Mon-Fri 09:00-17:00')!,
  holidays: new Set(['2026-12-25']),
};
const at = (text: string) => new Date(`${text}:00Z`);

describe('a deadline', () => {
  it.each([
    // Friday afternoon to Monday morning: half an hour and half an hour.
    ['2026-11-20T16:30', '2026-11-23T09:30', 'due in 1 h'],
    ['2026-11-20T10:00', '2026-11-20T11:20', 'due in 1 h 20 min'],
    ['2026-11-20T10:00', '2026-11-20T10:05', 'due in 5 min'],
    ['2026-11-20T10:00', '2026-11-24T12:00', 'due in 2 d 2 h'],
    ['2026-11-16T10:00', '2026-11-20T12:00', 'due in 4 d'],
    // Outside working hours.
    ['2026-11-20T17:30', '2026-11-23T09:10', 'due Mon 23 Nov, 09:10'],
    ['2026-11-23T07:30', '2026-11-23T09:10', 'due 09:10'],
    ['2026-11-20T10:00', '2026-11-20T10:00', 'late by less than a minute'],
    ['2026-11-23T09:10', '2026-11-20T17:00', 'late by 10 min'],
    ['2026-11-24T17:00', '2026-11-20T17:00', 'late by 2 d'],
    ['2026-12-28T09:30', '2026-12-24T16:30', 'late by 1 h'],
    ['2026-11-20T10:00', '2025-01-01T12:00', 'late by more than 10 d'],
    ['2025-01-01T12:00', '2026-11-20T10:00', 'due in more than 10 d'],
  ])('at %s, due %s: "%s"', (now, due, words) => {
    expect(deadlineWords(at(due), at(now), calendar)).toBe(words);
  });

  it('looks at two weeks of days at most, however late it is', () => {
    const days: string[] = [];
    class WatchedDays extends Set<string> {
      override has(day: string): boolean {
        days.push(day);
        return super.has(day);
      }
    }
    deadlineWords(at('2006-01-01T12:00'), at('2026-11-20T10:00'), {
      ...calendar,
      holidays: new WatchedDays(),
    });
    expect(days.length).toBeGreaterThan(5);
    expect(days.length).toBeLessThanOrEqual(15);
  });
});
