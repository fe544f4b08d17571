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
