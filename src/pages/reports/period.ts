import type { ReportQuery } from '../../follow-up/reports/reports.dto.js';
import { DEFAULT_DAYS, MOST_DAYS } from '../../follow-up/reports/report-figures.js';
import { addDays, DAY, isDay } from '../../kernel/time.js';
import type { Form } from '../forms/form.js';
import { checkForm, refuseForm, type RefusedForm } from '../forms/form-spec.js';

/** The first and the last day in London, such as `2026-11-21`. */
export type Period = Readonly<Required<ReportQuery>>;

export interface ChosenPeriod {
  /** The default period if the form was refused. */
  readonly period: Period;
  readonly today: string;
  readonly refused: RefusedForm | null;
}

const dayField = (name: keyof Period, label: string, example: string) => {
  return { name, label, is: isDay, wrong: `${label} must be a day, such as ${example}.` };
};
export const periodFields = [
  dayField('from', 'From', '2026-11-01'),
  dayField('to', 'To', '2026-11-28'),
];

export function choosePeriod(form: Form, today: string): ChosenPeriod {
  const byDefault = { period: lastDays(DEFAULT_DAYS, today), today };
  const malformed = checkForm(periodFields, form);
  if (malformed) return { ...byDefault, refused: malformed };
  const [from, to] = [form.text('from'), form.text('to')];
  const last = to || (from > today ? from : today);
  const period = { from: from || addDays(last, 1 - DEFAULT_DAYS), to: last };
  const days = daysOf(period);
  if (days >= 1 && days <= MOST_DAYS) return { period, today, refused: null };
  const fault =
    days < 1
      ? 'From must be before To, or the same day.'
      : `From and To can be ${MOST_DAYS} days apart at most.`;
  return { ...byDefault, refused: refuseForm(periodFields, form, new Map([['from', fault]])) };
}

export function lastDays(count: number, today: string): Period {
  return { from: addDays(today, 1 - count), to: today };
}

export function daysOf({ from, to }: Period): number {
  return Math.round((Date.parse(to) - Date.parse(from)) / DAY) + 1;
}

/** `from=…&to=…`, for the address of a page. */
export function periodQuery({ from, to }: Period): string {
  return new URLSearchParams({ from, to }).toString();
}

const shortDay = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'short',
  timeZone: 'UTC',
});
const longDay = new Intl.DateTimeFormat('en-GB', {
  weekday: 'short',
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  timeZone: 'UTC',
});

/** `2026-11-21` as "21 Nov". */
export function dayLabel(day: string): string {
  return shortDay.format(Date.parse(day));
}

/** "Sat 21 Nov 2026". */
export function dayName(day: string): string {
  return longDay.format(Date.parse(day)).replace(',', '');
}
