import { ReportQuery } from '../report-query.dto.js';
import { DEFAULT_DAYS, MOST_DAYS } from '../report-figures.js';
import { addDays, DAY, isDay } from '../../platform/kernel/time.js';
import type { FieldChoice } from '../../platform/ui/forms/fields.js';
import type { Form } from '../../platform/ui/forms/form.js';
import type { RefusedForm } from '../../platform/ui/forms/form-spec.js';
import { inputForm, readQuery } from '../../platform/ui/forms/input-form.js';

/** The first and the last day in London, such as `2026-11-21`, and the filter of the report. */
export type Period = Readonly<ReportQuery & Required<Pick<ReportQuery, 'from' | 'to'>>>;

export interface ChosenPeriod {
  /** The default period if the form was refused. */
  readonly period: Period;
  readonly today: string;
  readonly refused: RefusedForm | null;
}

export type FilterField = Exclude<keyof ReportQuery, 'from' | 'to'>;

export type ReportFilterChoices = Readonly<Partial<Record<FilterField, readonly FieldChoice[]>>>;

/** The form of the address of a report. */
export function reportForm(choices: ReportFilterChoices = {}) {
  const filter = (name: FilterField, label: string) => {
    return { label, any: 'All', choices: choices[name] };
  };
  return inputForm(ReportQuery, {
    from: { label: 'From' },
    to: { label: 'To' },
    client: filter('client', 'Client'),
    owner: filter('owner', 'Person'),
    family: filter('family', 'Product family'),
    bandwidth: filter('bandwidth', 'Bandwidth'),
    term: filter('term', 'Term'),
  });
}

export function choosePeriod(form: Form, today: string): ChosenPeriod {
  const rules = (query: ReportQuery) => {
    if (![query.from ?? today, query.to ?? today].every(isDay)) return [];
    const length = daysOf(periodOf(query, today));
    if (length >= 1 && length <= MOST_DAYS) return [];
    const detail =
      length < 1
        ? 'From must be before To, or the same day.'
        : `From and To can be ${MOST_DAYS} days apart at most.`;
    return [{ pointer: '/from', code: 'not-allowed', detail }];
  };
  const read = readQuery({ ...reportForm(), rules }, form);
  return 'refused' in read
    ? { period: lastDays(DEFAULT_DAYS, today), today, refused: read.refused }
    : { period: periodOf(read.input, today), today, refused: null };
}

function periodOf(query: ReportQuery, today: string): Period {
  const { from, to } = query;
  const last = to ?? (from !== undefined && from > today ? from : today);
  return { ...query, from: from ?? addDays(last, 1 - DEFAULT_DAYS), to: last };
}

export function lastDays(count: number, today: string): Period {
  return { from: addDays(today, 1 - count), to: today };
}

export function daysOf({ from, to }: Period): number {
  return Math.round((Date.parse(to) - Date.parse(from)) / DAY) + 1;
}

/** `from=…&to=…` and the filter, for the address of a page. */
export function periodQuery({ from, to, ...others }: Period): string {
  const fields = Object.entries({ from, to, ...others }).map(([name, value]) => [
    name,
    String(value),
  ]);
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
