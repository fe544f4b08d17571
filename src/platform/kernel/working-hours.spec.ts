import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  bankHolidays,
  bankHolidayWarning,
  lastYearCovered,
  workingDaysBetween,
} from './bank-holidays.js';
import {
  addWorkingTime,
  endOfWorkingDay,
  londonDay,
  londonWeekHour,
  parseWeek,
  reminderBefore,
  reminderSlot,
  startOfLondonDay,
  subtractWorkingTime,
  workingTimeBetween,
} from './working-hours.js';

const HOUR = 3_600_000;
const calendarOf = (week: string) => ({ week: parseWeek(week)!, holidays: bankHolidays });
const office = calendarOf('Mon-Fri 09:00-17:00');

describe('the working days between', () => {
  it.each([
    ['two times of a day', '2026-03-02T09:00Z', '2026-03-02T17:00Z', 0],
    ['Monday and Tuesday', '2026-03-02T17:00Z', '2026-03-03T08:00Z', 1],
    ['Friday and Sunday', '2026-03-06T09:00Z', '2026-03-08T09:00Z', 0],
    ['Friday and Monday', '2026-03-06T09:00Z', '2026-03-09T09:00Z', 1],
    ['two Mondays', '2026-03-02T09:00Z', '2026-03-09T09:00Z', 5],
    ['the days around Easter', '2026-04-02T09:00Z', '2026-04-08T09:00Z', 2],
    ['days in London that are one in UTC', '2026-07-01T22:30Z', '2026-07-01T23:30Z', 1],
    ['a later and an earlier time', '2026-03-09T09:00Z', '2026-03-02T09:00Z', 0],
  ])('%s are counted', (_what, start, end, days) => {
    expect(workingDaysBetween(new Date(start), new Date(end))).toBe(days);
  });
});

describe('the end of a working day', () => {
  it.each([
    ['on a Monday', '2026-03-02T09:00Z', 5, '2026-03-09T23:59Z'],
    ['on a Saturday', '2026-03-07T12:00Z', 1, '2026-03-09T23:59Z'],
    ['before Easter', '2026-04-01T09:00Z', 5, '2026-04-10T22:59Z'],
    ['late in the evening of summer time', '2026-07-01T22:30Z', 1, '2026-07-02T22:59Z'],
    ['after midnight in London, before that in UTC', '2026-07-01T23:30Z', 1, '2026-07-03T22:59Z'],
    ['over the change of the clock', '2026-03-27T12:00Z', 1, '2026-03-30T22:59Z'],
  ])('is found from %s', (_when, start, days, end) => {
    expect(endOfWorkingDay(new Date(start), days, office)).toEqual(new Date(end));
  });
});

describe('a reminder', () => {
  const now = new Date('2026-03-02T10:00Z');

  it.each([
    ['of what ends in the evening', '2026-03-09T23:59Z', '2026-03-09T09:00Z'],
    ['of what ends four working hours later', '2026-03-09T13:00Z', '2026-03-09T09:00Z'],
    ['of what ends before noon', '2026-03-09T12:59Z', '2026-03-06T09:00Z'],
    ['of what ends on a Sunday', '2026-03-08T12:00Z', '2026-03-06T09:00Z'],
    ['of what ends after the change of the clock', '2026-03-30T22:59Z', '2026-03-30T08:00Z'],
    ['of what ends on the same day', '2026-03-02T23:59Z', '2026-03-02T16:00Z'],
    ['of what ends within the hour', '2026-03-02T10:30Z', '2026-03-02T10:30Z'],
  ])('%s comes before it, in working time', (_what, end, at) => {
    expect(reminderBefore(new Date(end), now, office)).toEqual(new Date(at));
  });
});

describe('a deadline in working time', () => {
  it.each([
    ['on a Friday afternoon', '2026-03-06T16:30Z', 1, '2026-03-09T09:30:00Z'],
    ['within the day', '2026-03-04T10:00Z', 4, '2026-03-04T14:00:00Z'],
    [
      'to the end of the day, not to the next morning',
      '2026-03-04T13:00Z',
      4,
      '2026-03-04T17:00:00Z',
    ],
    ['before the morning', '2026-03-04T03:00Z', 1, '2026-03-04T10:00:00Z'],
    [
      'over the weekend of the clock change in spring',
      '2026-03-27T16:00Z',
      2,
      '2026-03-30T09:00:00Z',
    ],
    [
      'over the weekend of the clock change in autumn',
      '2026-10-23T15:00Z',
      2,
      '2026-10-26T10:00:00Z',
    ],
    ['over Easter', '2026-04-02T15:00Z', 2, '2026-04-07T09:00:00Z'],
    ['over Christmas and its substitute day', '2026-12-24T16:00Z', 2, '2026-12-29T10:00:00Z'],
    ['in summer time', '2026-07-01T15:30Z', 1, '2026-07-02T08:30:00Z'],
  ])('received %s', (_when, start, hours, end) => {
    expect(addWorkingTime(new Date(start), hours * HOUR, office)).toEqual(new Date(end));
  });

  it('counts several intervals a day', () => {
    const week = calendarOf('Mon-Thu 09:00-12:30,13:30-17:30; Fri 09:00-16:00');
    const start = new Date('2026-03-05T12:00Z');
    expect(addWorkingTime(start, 1 * HOUR, week)).toEqual(new Date('2026-03-05T14:00Z'));
    expect(addWorkingTime(start, 5 * HOUR, week)).toEqual(new Date('2026-03-06T09:30Z'));
  });

  it.each([
    [
      'an hour that the clock skips',
      'Sun 00:00-03:00',
      '2026-03-28T12:00Z',
      2,
      '2026-03-29T02:00:00Z',
    ],
    [
      'an hour that the clock shows twice',
      'Sun 00:00-03:00',
      '2026-10-24T12:00Z',
      4,
      '2026-10-25T03:00:00Z',
    ],
    [
      'a morning that begins in the hour that the clock skips',
      'Sun 01:30-03:00',
      '2026-03-28T12:00Z',
      0.5,
      '2026-03-29T02:00:00Z',
    ],
    [
      'a night that ends in the hour that the clock skips',
      'Sun 00:00-01:30',
      '2026-03-28T12:00Z',
      1.5,
      '2026-03-29T01:30:00Z',
    ],
    [
      'a morning that begins in the hour that the clock shows twice',
      'Sun 01:30-03:00',
      '2026-10-24T12:00Z',
      2.5,
      '2026-10-25T03:00:00Z',
    ],
    [
      'a night that ends in the hour that the clock shows twice',
      'Sun 00:00-01:30',
      '2026-10-24T12:00Z',
      1.5,
      '2026-10-25T00:30:00Z',
    ],
  ])('works through %s', (_what, week, start, hours, end) => {
    expect(addWorkingTime(new Date(start), hours * HOUR, calendarOf(week))).toEqual(new Date(end));
  });

  const instants = fc.date({
    min: new Date('2025-01-05'),
    max: new Date('2028-11-01'),
    noInvalidDate: true,
  });
  const durations = fc.integer({ min: 1, max: 60 * HOUR });

  it('is the given working time ahead, also backwards', () => {
    fc.assert(
      fc.property(instants, durations, (start, duration) => {
        const end = addWorkingTime(start, duration, office);
        expect(workingTimeBetween(start, end, office)).toBe(duration);
        const back = subtractWorkingTime(end, duration, office);
        expect(workingTimeBetween(back, end, office)).toBe(duration);
        expect(back.getTime()).toBeGreaterThanOrEqual(start.getTime());
      }),
      { numRuns: 300 },
    );
  });

  it('never comes earlier for a later order', () => {
    fc.assert(
      fc.property(instants, durations, fc.nat(48 * HOUR), (start, duration, later) => {
        const next = new Date(start.getTime() + later);
        const deadlines = [start, next].map((at) => addWorkingTime(at, duration, office).getTime());
        expect(deadlines[1]).toBeGreaterThanOrEqual(deadlines[0]!);
      }),
      { numRuns: 300 },
    );
  });

  it('agrees with the time zone database about London', () => {
    const format = new Intl.DateTimeFormat('en-CA', {
      timeZone: 'Europe/London',
      dateStyle: 'short',
      timeStyle: 'short',
      hourCycle: 'h23',
    });
    fc.assert(
      fc.property(
        fc.date({ min: new Date('2000-01-01'), max: new Date('2060-01-01'), noInvalidDate: true }),
        (at) => {
          const [day, time] = format.format(at).split(', ');
          expect([londonDay(at), londonWeekHour(at).hour]).toEqual([
            day,
            Number(time?.slice(0, 2)),
          ]);
          const midnight = startOfLondonDay(day!);
          expect(format.format(midnight)).toBe(`${day}, 00:00`);
        },
      ),
      { numRuns: 300 },
    );
  });
});

describe('the working week', () => {
  it.each([
    '',
    'Mon',
    '09:00-17:00',
    'Mon 17:00-09:00',
    'Mon 09:00-25:00',
    'Mon 09:00-12:00,11:00-13:00',
    'Mon 09:00-10:00; Mon 11:00-12:00',
    'Foo 09:00-17:00',
    'Mon-Wed-Fri 09:00-17:00',
    'Mon 09:60-17:00',
  ])('is not %j', (text) => {
    expect(parseWeek(text)).toBeUndefined();
  });

  it('can span the weekend', () => {
    expect(parseWeek('Sat-Mon 10:00-24:00')?.map((day) => day.length)).toEqual([
      1, 1, 0, 0, 0, 0, 1,
    ]);
  });
});

describe('the bank holidays', () => {
  it('are those of the Act of 1971 and the proclamations, for every year covered', () => {
    for (let year = 2025; year <= lastYearCovered; year += 1) {
      expect([...bankHolidays].filter((day) => day.startsWith(String(year)))).toEqual(byRule(year));
    }
    expect(bankHolidays.size).toBe(8 * (lastYearCovered - 2024));
  });

  it.each([
    ['2026-11-21', null],
    ['2028-08-01', 'run out in 153 days'],
    ['2029-02-01', 'have run out'],
  ])('on %s warn: %s', (day, words) => {
    const warning = bankHolidayWarning(new Date(day));
    if (words === null) expect(warning).toBeNull();
    else expect(warning).toContain(words);
  });

  /** New Year, Easter, the Mondays of May and August, Christmas; weekend days give substitutes. */
  function byRule(year: number): string[] {
    const day = (month: number, date: number) => new Date(Date.UTC(year, month - 1, date));
    const plus = (date: Date, days: number) => new Date(date.getTime() + days * 24 * HOUR);
    const monday = (date: Date) => plus(date, (8 - date.getUTCDay()) % 7);
    const lastMonday = (month: number) => plus(monday(plus(day(month + 1, 1), 0)), -7);
    const workday = (date: Date, more: number): Date =>
      [0, 6].includes(date.getUTCDay()) ? plus(date, more) : date;
    const newYear = [0, 6].includes(day(1, 1).getUTCDay()) ? monday(day(1, 1)) : day(1, 1);
    const easter = easterOf(year);
    return [
      newYear,
      plus(easter, -2),
      plus(easter, 1),
      monday(day(5, 1)),
      lastMonday(5),
      lastMonday(8),
      workday(day(12, 25), 2),
      workday(day(12, 26), 2),
    ]
      .map((date) => date.toISOString().slice(0, 10))
      .sort();
  }

  /** Anonymous Gregorian computus (Meeus, Jones, Butcher). */
  function easterOf(year: number): Date {
    const a = year % 19;
    const b = Math.floor(year / 100);
    const c = year % 100;
    const h =
      (19 * a + b - Math.floor(b / 4) - Math.floor((b - Math.floor((b + 8) / 25) + 1) / 3) + 15) %
      30;
    const l = (32 + 2 * (b % 4) + 2 * Math.floor(c / 4) - h - (c % 4)) % 7;
    const n = h + l - 7 * Math.floor((a + 11 * h + 22 * l) / 451) + 114;
    return new Date(Date.UTC(year, Math.floor(n / 31) - 1, (n % 31) + 1));
  }
});

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
