import { DAY, HOUR, MINUTE } from './time.js';

/** Working time in London, with clock changes, for deadlines in working hours. */

/** Minutes after local midnight, 0 to 1440, or instants: `from` < `to`. */
export interface Interval {
  readonly from: number;
  readonly to: number;
}

/** The working intervals of each day of the week, Sunday first, in order and without overlaps. */
export type Week = readonly (readonly Interval[])[];

export interface Calendar {
  readonly week: Week;
  /** Days without work, as `2026-12-25`. */
  readonly holidays: ReadonlySet<string>;
}

const DAY_NAMES = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];

/**
 * Reads `Mon-Thu 09:00-12:30,13:30-17:30; Fri 09:00-16:30`. Days that are not named have no intervals.
 * @returns undefined if the text is invalid or has no working time
 */
export function parseWeek(text: string): Week | undefined {
  const week: Interval[][] = DAY_NAMES.map(() => []);
  for (const part of text.split(';')) {
    const [, days, times] = /^\s*([A-Za-z,-]+)\s+([\d:,\s-]+?)\s*$/.exec(part) ?? [];
    if (days === undefined || times === undefined) return undefined;
    const intervals = times.split(',').map(parseInterval);
    const numbers = days.split(',').flatMap(parseDays);
    for (const day of numbers) {
      if (day === undefined || (week[day]?.length ?? 1) > 0) return undefined;
      for (const interval of intervals) {
        if (!interval || interval.from < (week[day]?.at(-1)?.to ?? 0)) return undefined;
        week[day]?.push(interval);
      }
    }
  }
  return week.some((day) => day.length > 0) ? week : undefined;
}

function parseDays(text: string): (number | undefined)[] {
  const ends = text.split('-').map((name) => {
    const index = DAY_NAMES.findIndex((day) => day.toLowerCase() === name.toLowerCase());
    return index < 0 ? undefined : index;
  });
  const [first, last = first] = ends;
  if (ends.length > 2 || first === undefined || last === undefined) return [undefined];
  const days = [first];
  while (days.at(-1) !== last) days.push(((days.at(-1) ?? 0) + 1) % 7);
  return days;
}

function parseInterval(text: string): Interval | undefined {
  const [, h1, m1, h2, m2] = /^\s*(\d\d):(\d\d)-(\d\d):(\d\d)\s*$/.exec(text) ?? [];
  const from = Number(h1) * 60 + Number(m1);
  const to = Number(h2) * 60 + Number(m2);
  const valid = from < to && to <= 1_440 && Number(m1) < 60 && Number(m2) < 60;
  return valid ? { from, to } : undefined;
}

/** `start` plus `duration` milliseconds of working time. */
export function addWorkingTime(start: Date, duration: number, calendar: Calendar): Date {
  let left = duration;
  for (const { from, to } of intervalsAfter(start.getTime(), calendar)) {
    if (to - from >= left) return new Date(from + left);
    left -= to - from;
  }
  throw new RangeError('There is no working time within ten years.');
}

/** The latest instant that is `duration` milliseconds of working time before `end`. */
export function subtractWorkingTime(end: Date, duration: number, calendar: Calendar): Date {
  let left = duration;
  for (const { from, to } of intervalsBefore(end.getTime(), calendar)) {
    if (to - from >= left) return new Date(to - left);
    left -= to - from;
  }
  throw new RangeError('There was no working time within ten years.');
}

/** 23:59 in London on the last of `days` working days that follow the day of `start`. */
export function endOfWorkingDay(start: Date, days: number, calendar: Calendar): Date {
  const today = localDay(start.getTime());
  let left = days;
  for (let n = 1; n < MOST_DAYS; n += 1) {
    const day = today + n * DAY;
    if (intervalsOf(day, calendar).length > 0) left -= 1;
    if (left === 0) return new Date(instantOf(day + DAY - MINUTE));
  }
  throw new RangeError('There was no working day within ten years.');
}

/**
 * When to remind a person of something that ends: in the last working morning that leaves four working hours,
 * or else one working hour before, or else when it ends.
 */
export function reminderBefore(end: Date, now: Date, calendar: Calendar): Date {
  const before = (hours: number) => subtractWorkingTime(end, hours * HOUR, calendar);
  const [first] = intervalsOf(localDay(before(4).getTime()), calendar);
  const times = [new Date(first!.from), before(1)];
  return times.find((time) => time > now) ?? end;
}

/** Milliseconds of working time from `start` to `end`; negative if `end` is earlier. */
export function workingTimeBetween(start: Date, end: Date, calendar: Calendar): number {
  if (end < start) return -workingTimeBetween(end, start, calendar);
  let sum = 0;
  for (const { from, to } of intervalsAfter(start.getTime(), calendar)) {
    if (from >= end.getTime()) break;
    sum += Math.min(to, end.getTime()) - from;
  }
  return sum;
}

/** Milliseconds of an average working day. */
export function workingDay({ week }: Calendar): number {
  const lengths = week
    .map((intervals) => intervals.reduce((sum, { from, to }) => sum + (to - from) * MINUTE, 0))
    .filter((length) => length > 0);
  return lengths.reduce((sum, length) => sum + length, 0) / lengths.length;
}

const MOST_DAYS = 3_660;

/** Working intervals from `start` on, as instants. The first may be shortened. */
function* intervalsAfter(start: number, calendar: Calendar) {
  const today = localDay(start);
  for (let n = 0; n < MOST_DAYS; n += 1) {
    for (const { from, to } of intervalsOf(today + n * DAY, calendar)) {
      if (to > start) yield { from: Math.max(from, start), to };
    }
  }
}

/** The same, backwards from `end`. */
function* intervalsBefore(end: number, calendar: Calendar) {
  const today = localDay(end);
  for (let n = 0; n < MOST_DAYS; n += 1) {
    for (const { from, to } of intervalsOf(today - n * DAY, calendar).toReversed()) {
      if (from < end) yield { from, to: Math.min(to, end) };
    }
  }
}

/** By calendar and day: reports need the same days for thousands of orders. */
const knownIntervals = new WeakMap<Calendar, Map<number, readonly Interval[]>>();

/** @param day the local midnight, as if in UTC @returns instants */
function intervalsOf(day: number, calendar: Calendar): readonly Interval[] {
  const known = knownIntervals.get(calendar) ?? new Map<number, readonly Interval[]>();
  knownIntervals.set(calendar, known);
  const intervals = known.get(day) ?? findIntervals(day, calendar);
  known.set(day, intervals);
  return intervals;
}

function findIntervals(day: number, { week, holidays }: Calendar): Interval[] {
  const intervals = week[new Date(day).getUTCDay()] ?? [];
  if (intervals.length === 0 || holidays.has(dayName(day))) return [];
  return intervals.map(({ from, to }) => ({
    from: instantOf(day + from * MINUTE),
    to: instantOf(day + to * MINUTE),
  }));
}

/** The day of a wall-clock time (as if in UTC), as `2026-12-25`. */
function dayName(wall: number): string {
  return new Date(wall).toISOString().slice(0, 10);
}

/** The local midnight before an instant, as if in UTC. */
function localDay(instant: number): number {
  const wall = wallClockOf(instant);
  return wall - (((wall % DAY) + DAY) % DAY);
}

/** The day in London, as `2026-12-25`. */
export function londonDay(instant: Date): string {
  return dayName(wallClockOf(instant.getTime()));
}

/** Weekday (0 is Monday) and hour in London. */
export function londonWeekHour(instant: Date): { weekday: number; hour: number } {
  const wall = new Date(wallClockOf(instant.getTime()));
  return { weekday: (wall.getUTCDay() + 6) % 7, hour: wall.getUTCHours() };
}

/** The instant at which the local day `2026-12-25` starts. */
export function startOfLondonDay(day: string): Date {
  return new Date(instantOf(Date.parse(`${day}T00:00:00Z`)));
}

/** The wall-clock time in London, as if in UTC. */
function wallClockOf(instant: number): number {
  return isSummerTime(instant) ? instant + HOUR : instant;
}

/**
 * The instant of a wall-clock time in London. A repeated hour is the first of the two; a skipped hour
 * becomes the next one.
 */
function instantOf(wall: number): number {
  return isSummerTime(wall - HOUR) ? wall - HOUR : wall;
}

/**
 * Summer time is from 01:00 UTC of the last Sunday in March to 01:00 UTC of the last Sunday in
 * October (The Summer Time Order 2002, SI 2002/262).
 */
function isSummerTime(instant: number): boolean {
  const year = new Date(instant).getUTCFullYear();
  let summer = summers.get(year);
  if (!summer) {
    summer = { start: lastSundayAtOne(year, 2), end: lastSundayAtOne(year, 9) };
    summers.set(year, summer);
  }
  return instant >= summer.start && instant < summer.end;
}

/** A cache by year: reports need thousands of instants. */
const summers = new Map<number, { readonly start: number; readonly end: number }>();

function lastSundayAtOne(year: number, month: number): number {
  const lastDay = Date.UTC(year, month + 1, 0);
  return lastDay - new Date(lastDay).getUTCDay() * DAY + HOUR;
}

const local = new Intl.DateTimeFormat('en-GB', {
  timeZone: 'Europe/London',
  weekday: 'short',
  year: 'numeric',
  month: '2-digit',
  day: '2-digit',
  hour: '2-digit',
  minute: '2-digit',
  hourCycle: 'h23',
});

/** A reminder is sent up to this many minutes late. */
const MOST_LATE = 120;

/** The latest time that is due, as `2026-11-23 08:30` in London; null at weekends and where none is due. */
export function reminderSlot(now: Date, times: readonly string[]): string | null {
  const parts = Object.fromEntries(
    local.formatToParts(now).map(({ type, value }) => [type, value]),
  );
  if (parts.weekday === 'Sat' || parts.weekday === 'Sun') return null;
  const present = minutesOf(`${parts.hour}:${parts.minute}`);
  const due = times
    .filter((time) => minutesOf(time) <= present && present - minutesOf(time) <= MOST_LATE)
    .sort()
    .at(-1);
  return due === undefined ? null : `${parts.year}-${parts.month}-${parts.day} ${due}`;
}

function minutesOf(time: string): number {
  const [hours = 0, minutes = 0] = time.split(':').map(Number);
  return hours * 60 + minutes;
}
