import { describe, expect, it } from '@jest/globals';
import { bankHolidays } from '../../src/platform/kernel/bank-holidays.js';
import { parseWeek, workingTimeBetween } from '../../src/platform/kernel/working-hours.js';
import { planWeek } from './plan.js';
import { Chance } from './random.js';

const calendar = { week: parseWeek('Mon-Fri 09:00-17:00')!, holidays: bankHolidays };
const DAY = 480 * 60_000;

const moments = [
  ['a Saturday morning', '2026-11-21T09:04:00Z'],
  ['a Monday before work', '2026-11-23T06:30:00Z'],
  ['the middle of a Wednesday', '2026-07-15T11:20:00Z'],
  ['the first minute of work', '2026-06-02T08:00:30Z'],
  ['the week of a clock change', '2026-10-27T15:00:00Z'],
  ['the days after Christmas', '2026-12-29T10:00:00Z'],
] as const;

describe.each(moments)('the week before %s', (_name, now) => {
  const end = new Date(now);
  const plan = planWeek(end, calendar, new Chance(1));

  it('has dozens of orders, and more steps than orders', () => {
    expect(plan.length).toBeGreaterThanOrEqual(75);
    expect(plan.flatMap(({ steps }) => steps).length).toBeGreaterThan(plan.length);
    expect(plan.some(({ repeated }) => repeated)).toBe(true);
  });

  it('is over, and no longer than eight days of work', () => {
    for (const { arrivesAt, steps } of plan) {
      expect(workingTimeBetween(arrivesAt, end, calendar)).toBeLessThan(8 * DAY);
      for (const { at } of steps) expect(at.getTime()).toBeLessThanOrEqual(end.getTime());
    }
  });

  it('tells each order from its arrival on, and all steps in working hours', () => {
    for (const { arrivesAt, steps, repeated } of plan) {
      if (repeated) expect(arrivesAt.getTime()).toBeGreaterThan(repeated.arrivesAt.getTime());
      let last = arrivesAt.getTime();
      for (const { at } of steps) {
        expect(at.getTime()).toBeGreaterThan(last);
        expect(workingTimeBetween(new Date(at.getTime() - 60_000), at, calendar)).toBeGreaterThan(
          0,
        );
        last = at.getTime();
      }
    }
  });

  it('is the same for the same seed, and another for another', () => {
    expect(planWeek(end, calendar, new Chance(1))).toEqual(plan);
    expect(planWeek(end, calendar, new Chance(2))).not.toEqual(plan);
  });
});
