/** The state of a list, which is its address: view, filters, order and place. */
import { ValidationFailed } from '../../problems/problem.js';
import { addDays } from '../../kernel/time.js';
import { londonDay, startOfLondonDay } from '../../kernel/working-hours.js';
import { type Sort, type View, viewNames, views } from '../../follow-up/queue/views.js';
import type { Form } from '../forms/form.js';

const names = [
  'view',
  'state',
  'owner',
  'client',
  'product',
  'zone',
  'area',
  'duplicates',
  'from',
  'to',
  'q',
  'sort',
  'cursor',
] as const;
type Name = (typeof names)[number];

export const filterNames = names.filter(
  (name) => name !== 'view' && name !== 'sort' && name !== 'cursor',
);
export type FilterName = Exclude<Name, 'view' | 'sort' | 'cursor'>;

export type QueueState = Readonly<Partial<Record<Name, string>>> & { readonly view: View };

/** Reads what is known of a query; empty fields, as forms send them, and others are left out. */
export function readQueueState(form: Form): QueueState {
  const fields: Partial<Record<Name, string>> = {};
  for (const name of names) {
    const value = name === 'state' ? form.all('state').filter(Boolean).join(',') : form.text(name);
    if (value !== '') fields[name] = value;
  }
  const view = viewNames.find((one) => one === fields.view) ?? (fields.state ? 'all' : 'waiting');
  return { ...fields, view };
}

/** The address of a list; what `changes` sets to undefined is left out. */
export function queueAddress(
  state: QueueState,
  changes: Partial<Record<Name, string | undefined>> = {},
  path = '/staff/queue',
): string {
  const all = { ...state, ...changes };
  const query = new URLSearchParams();
  for (const name of names) {
    const value = all[name];
    if (value === undefined || (name === 'view' && value === 'waiting' && !all.state)) continue;
    query.set(name, value);
  }
  const text = query.toString().replaceAll('%2C', ',');
  return text === '' ? path : `${path}?${text}`;
}

/** The same as the fields of the interface's query; its DTO says whether they are valid. */
export function queueFilter(state: QueueState): Record<string, unknown> {
  const { from, to, view, state: states, ...rest } = state;
  delete rest.cursor;
  return {
    view,
    ...rest,
    ...(states !== undefined && { state: states }),
    ...(from !== undefined && { receivedFrom: startOfDay('from', from) }),
    ...(to !== undefined && { receivedTo: startOfDay('to', to, 1) }),
  };
}

/** When the day begins, or the one so many days after it. */
function startOfDay(name: string, day: string, after = 0): Date {
  const start = /^\d{4}-\d\d-\d\d$/.test(day) ? startOfLondonDay(day) : new Date(Number.NaN);
  if (!Number.isNaN(start.getTime()) && londonDay(start) === day) {
    return after === 0 ? start : startOfLondonDay(addDays(day, after));
  }
  throw new ValidationFailed([
    { pointer: `/${name}`, code: 'not-allowed', detail: 'Must be a day such as 2026-11-21.' },
  ]);
}

export interface SortColumn {
  readonly sorted: boolean;
  readonly descending: boolean;
  /** What its heading leads to; null where it leads nowhere. */
  readonly sort: Sort | null;
}

/**
 * By what a list is sorted. Most can only be turned round: a deadline follows from the time of receipt,
 * and sorted by the other of the two a list of orders that wait would be the same.
 */
export function sorting({ view, sort }: QueueState): Record<'age' | 'state', SortColumn> {
  const current = sort ?? views[view].sort;
  const descending = current.startsWith('-');
  const key = descending ? current.slice(1) : current;
  const turned = (descending ? key : `-${key}`) as Sort;
  const byAge = key === 'received';
  const other = (own: Sort) => (view === 'mine' || view === 'open' ? own : null);
  return {
    age: { sorted: byAge, descending, sort: byAge ? turned : other('received') },
    state: { sorted: !byAge, descending, sort: byAge ? other('due') : turned },
  };
}
