/** London's days, as the contract counts them. */

export const SECOND = 1_000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

const london = new Intl.DateTimeFormat('en-CA', { timeZone: 'Europe/London', dateStyle: 'short' });

/** The day in London, such as `2027-02-01`. */
export function dayOf(at: number): string {
  return london.format(at);
}

/** @param days may be negative */
export function dayAfter(day: string, days: number): string {
  return new Date(Date.parse(`${day}T12:00:00Z`) + days * DAY).toISOString().slice(0, 10);
}

/** The instant at which a day starts in London, which is at most an hour before UTC's. */
export function startOf(day: string): number {
  const utc = Date.parse(`${day}T00:00:00Z`);
  return dayOf(utc - HOUR) === day ? utc - HOUR : utc;
}

/** The last minute of a day in London: 23:59. */
export function lastMinuteOf(day: string): number {
  return startOf(dayAfter(day, 1)) - MINUTE;
}

/** Monday to Friday. The histories meet no bank holiday. */
export function isWorkingDay(day: string): boolean {
  return ![0, 6].includes(new Date(`${day}T12:00:00Z`).getUTCDay());
}

/** From 9:00 to 17:00. */
function hoursOf(day: string) {
  const start = startOf(day);
  return { opens: start + 9 * HOUR, closes: start + (isWorkingDay(day) ? 17 : 9) * HOUR };
}

/** The instant that is `time` milliseconds of working time after `at`. */
export function afterWorkingTime(at: number, time: number): number {
  const day = dayOf(at);
  const { opens, closes } = hoursOf(day);
  const from = Math.max(at, opens);
  const left = Math.max(0, closes - from);
  if (left > 0 && time <= left) return from + time;
  return afterWorkingTime(startOf(dayAfter(day, 1)), time - left);
}

/** The last instant that is `time` milliseconds of working time before `at`. */
export function beforeWorkingTime(at: number, time: number): number {
  const day = dayOf(at);
  const { opens, closes } = hoursOf(day);
  const to = Math.min(at, closes);
  const left = Math.max(0, to - opens);
  return left > 0 && time <= left
    ? to - time
    : beforeWorkingTime(startOf(day) - SECOND, time - left);
}

/** The last working morning that leaves four working hours; if it has passed, one working hour before, or the end. */
export function reminderBefore(end: number, now: number): number {
  const morning = hoursOf(dayOf(beforeWorkingTime(end, 4 * HOUR))).opens;
  const times = [morning, beforeWorkingTime(end, HOUR)];
  return times.find((time) => time > now) ?? end;
}

export function workingDayFrom(day: string): string {
  return isWorkingDay(day) ? day : workingDayFrom(dayAfter(day, 1));
}

/** Working days after `start`, up to `end`. */
export function workingDaysBetween(start: string, end: string): number {
  let count = 0;
  for (let day = dayAfter(start, 1); day <= end; day = dayAfter(day, 1)) {
    if (isWorkingDay(day)) count += 1;
  }
  return count;
}

/** The day that is `count` working days later. */
export function workingDaysAfter(day: string, count: number): string {
  if (count === 0) return day;
  return workingDaysAfter(workingDayFrom(dayAfter(day, 1)), count - 1);
}
