import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { bankHolidays } from '../../platform/kernel/bank-holidays.js';
import { londonDay, parseWeek } from '../../platform/kernel/working-hours.js';
import { dayAfter, endOfValidity } from './offer-rules.js';

const calendar = { week: parseWeek('Mon-Fri 09:00-17:00')!, holidays: bankHolidays };

describe('the end of an offer', () => {
  it.each([
    ['a working day in winter', '2026-03-04', '2026-03-04T23:59:00.000Z'],
    ['a working day in summer', '2026-07-01', '2026-07-01T22:59:00.000Z'],
    ['the Monday after a weekend', '2026-03-07', '2026-03-09T23:59:00.000Z'],
    ['the Monday after the clocks change', '2026-03-28', '2026-03-30T22:59:00.000Z'],
    ['the Tuesday after Easter', '2026-04-03', '2026-04-07T22:59:00.000Z'],
    ['the Tuesday after Christmas', '2026-12-25', '2026-12-29T23:59:00.000Z'],
  ])('is 23:59 in London on %s', (_, day, expected) => {
    expect(endOfValidity(day, calendar).toISOString()).toBe(expected);
  });

  it('is never before the day, and always on a working day', () => {
    const days = fc.integer({ min: 0, max: 1_000 });
    fc.assert(
      fc.property(days, (n) => {
        const day = dayAfter(new Date('2026-01-01T12:00:00Z'), n);
        const last = londonDay(endOfValidity(day, calendar));
        const weekday = new Date(`${last}T00:00:00Z`).getUTCDay();
        expect([last >= day, weekday > 0 && weekday < 6, bankHolidays.has(last)]).toEqual([
          true,
          true,
          false,
        ]);
      }),
    );
  });

  it('counts days in London', () => {
    // Half past midnight there.
    expect(dayAfter(new Date('2026-06-30T23:30:00Z'), 30)).toBe('2026-07-31');
  });
});
