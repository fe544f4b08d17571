import type { ReportQuery } from '../report-query.dto.js';
import { DEFAULT_DAYS, MOST_DAYS } from '../report-figures.js';
import { addDays, DAY, isDay } from '../../platform/kernel/time.js';
import { isUuid } from '../../platform/kernel/uuid.js';
import type { Form } from '../../platform/ui/forms/form.js';
import { checkForm, refuseForm, type RefusedForm } from '../../platform/ui/forms/form-spec.js';

/** The first and the last day in London, such as `2026-11-21`, and the filter of the report. */
export type Period = Readonly<ReportQuery & Required<Pick<ReportQuery, 'from' | 'to'>>>;

export interface ChosenPeriod {
  /** The default period if the form was refused. */
  readonly period: Period;
  readonly today: string;
  readonly refused: RefusedForm | null;
}

const dayField = (name: 'from' | 'to', label: string, example: string) => {
  return {
    name,
    label,
    is: isDay,
    wrong: `Enter ${label === 'From' ? 'a start' : 'an end'} date, for example ${example}.`,
  };
};
export const periodFields = [
  dayField('from', 'From', '1 November 2026'),
  dayField('to', 'To', '28 November 2026'),
];

const pick = 'Choose an option from the list.';
const filterFields = [
  { name: 'client', label: 'Client', is: isUuid, wrong: pick },
  { name: 'owner', label: 'Person', is: isUuid, wrong: pick },
  {
    name: 'family',
    label: 'Product family',
    is: (text: string) => /^[\w.]{1,32}$/.test(text),
    wrong: pick,
  },
  { name: 'bandwidth', label: 'Bandwidth', is: isAmount, wrong: pick },
  { name: 'term', label: 'Term', is: (text: string) => /^[1-9]\d{0,2}$/.test(text), wrong: pick },
] as const;

/** In Gbit/s. */
function isAmount(text: string): boolean {
  return /^\d{1,6}(\.\d{1,3})?$/.test(text) && Number(text) > 0;
}

export type FilterField = (typeof filterFields)[number]['name'];

export const filterLabels = Object.fromEntries(
  filterFields.map(({ name, label }) => [name, label]),
) as Readonly<Record<FilterField, string>>;

function valueOf(name: FilterField, text: string): string | number {
  if (name === 'bandwidth' || name === 'term') return Number(text);
  return isUuid(text) ? text.toLowerCase() : text;
}

export function choosePeriod(form: Form, today: string): ChosenPeriod {
  const byDefault = { period: lastDays(DEFAULT_DAYS, today), today };
  const malformed = checkForm([...periodFields, ...filterFields], form);
  if (malformed) return { ...byDefault, refused: malformed };
  const [from, to] = [form.text('from'), form.text('to')];
  const last = to || (from > today ? from : today);
  const filter = filterFields.flatMap(({ name }) => {
    const value = form.text(name);
    return value === '' ? [] : [[name, valueOf(name, value)] as const];
  });
  const days = { from: from || addDays(last, 1 - DEFAULT_DAYS), to: last };
  const period: Period = { ...days, ...Object.fromEntries(filter) };
  const length = daysOf(period);
  if (length >= 1 && length <= MOST_DAYS) return { period, today, refused: null };
  const fault =
    length < 1
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

/** `from=…&to=…` and the filter, for the address of a page. */
export function periodQuery(period: Period): string {
  const fields = Object.entries(period).map(([name, value]) => [name, String(value)]);
  return new URLSearchParams(fields).toString();
}

/** As many days before the first one. */
export function periodBefore(period: Period): Period {
  const to = addDays(period.from, -1);
  return { ...period, from: addDays(to, 1 - daysOf(period)), to };
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
