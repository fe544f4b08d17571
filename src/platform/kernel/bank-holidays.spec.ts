import { describe, expect, it } from '@jest/globals';
import { bankHolidays, lastYearCovered } from './bank-holidays.js';

const FIRST_YEAR = 2025;
const DAY = 86_400_000;
const MONDAY = 1;

const day = (year: number, month: number, date: number) => Date.UTC(year, month - 1, date);
const weekday = (at: number) => new Date(at).getUTCDay();
const isWeekend = (at: number) => weekday(at) === 0 || weekday(at) === 6;
const nameOf = (at: number) => new Date(at).toISOString().slice(0, 10);

/** Easter Sunday: the anonymous Gregorian algorithm (Nature, 20 April 1876; Meeus, chapter 8). */
function easter(year: number): number {
  const a = year % 19;
  const [b, c] = [Math.floor(year / 100), year % 100];
  const [d, e] = [Math.floor(b / 4), b % 4];
  const f = Math.floor((b + 8) / 25);
  const g = Math.floor((b - f + 1) / 3);
  const h = (19 * a + b - d - g + 15) % 30;
  const [i, k] = [Math.floor(c / 4), c % 4];
  const l = (32 + 2 * e + 2 * i - h - k) % 7;
  const m = Math.floor((a + 11 * h + 22 * l) / 451);
  const rest = h + l - 7 * m + 114;
  return day(year, Math.floor(rest / 31), (rest % 31) + 1);
}

function mondayFrom(at: number, step: 1 | -1): number {
  return weekday(at) === MONDAY ? at : mondayFrom(at + step * DAY, step);
}

/**
 * The Act's schedule with the proclaimed days: New Year's Day, the first Monday in May, and of a day
 * that falls on a weekend the next weekday that is no bank holiday itself.
 */
function byTheRules(year: number): string[] {
  const fixed = [day(year, 1, 1), day(year, 12, 25), day(year, 12, 26)];
  const days = [
    easter(year) - 2 * DAY,
    easter(year) + DAY,
    mondayFrom(day(year, 5, 1), 1),
    mondayFrom(day(year, 5, 31), -1),
    mondayFrom(day(year, 8, 31), -1),
    ...fixed.filter((at) => !isWeekend(at)),
  ];
  for (const at of fixed.filter(isWeekend)) {
    let substitute = at;
    while (isWeekend(substitute) || days.includes(substitute)) substitute += DAY;
    days.push(substitute);
  }
  return days.map(nameOf).sort();
}

describe('the bank holidays', () => {
  // Published dates of Easter, and substitute days of years that are past.
  it.each([
    [2000, '2000-04-23'],
    [2008, '2008-03-23'],
    [2019, '2019-04-21'],
    [2024, '2024-03-31'],
    [2038, '2038-04-25'],
  ])('are compared by a rule that knows Easter of %i', (year, sunday) => {
    expect(nameOf(easter(year))).toBe(sunday);
  });

  it.each([
    [2016, ['2016-01-01', '2016-12-26', '2016-12-27']],
    [2020, ['2020-01-01', '2020-12-25', '2020-12-28']],
    [2021, ['2021-01-01', '2021-12-27', '2021-12-28']],
    [2022, ['2022-01-03', '2022-12-26', '2022-12-27']],
  ])('are compared by a rule that knows the substitutes of %i', (year, days) => {
    expect(byTheRules(year)).toEqual(expect.arrayContaining(days));
  });

  const years = Array.from({ length: lastYearCovered - FIRST_YEAR + 1 }, (_, i) => FIRST_YEAR + i);

  it.each(years)('of %i are those of the statute', (year) => {
    const listed = [...bankHolidays].filter((name) => name.startsWith(`${year}-`));
    expect(listed.sort()).toEqual(byTheRules(year));
    expect(listed).toHaveLength(8);
  });

  it('are of no other year', () => {
    const listed = new Set([...bankHolidays].map((name) => Number(name.slice(0, 4))));
    expect([...listed].sort()).toEqual(years);
  });
});
