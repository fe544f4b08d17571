/** The state of a list: view, filters, order and page. Its address holds all of it. */
import { OmitType } from '@nestjs/swagger';
import { IsOptional } from 'class-validator';
import { IsDay } from '../../platform/http/field-rules.js';
import { addDays } from '../../platform/kernel/time.js';
import { startOfLondonDay } from '../../platform/kernel/working-hours.js';
import { FollowUpQuery } from '../lists/list.dto.js';
import { type Sort, type View, viewNames, views } from '../lists/views.js';
import type { ColumnSorting } from '../lists/order-columns.js';
import type { Form } from '../../platform/ui/forms/form.js';

export const filterNames = [
  'kind',
  'state',
  'owner',
  'client',
  'family',
  'bandwidth',
  'term',
  'product',
  'zone',
  'area',
  'basis',
  'constraint',
  'waitingFor',
  'duplicates',
  'from',
  'to',
  'q',
] as const;
export type FilterName = (typeof filterNames)[number];

const names = ['view', ...filterNames, 'sort', 'cursor'] as const;
type Name = (typeof names)[number];

export type QueueState = Readonly<Partial<Record<Name, string>>> & { readonly view: View };

/** Ignores unknown and empty fields. */
export function readQueueState(form: Form): QueueState {
  const fields: Partial<Record<Name, string>> = {};
  for (const name of names) {
    const value = name === 'state' ? form.all('state').filter(Boolean).join(',') : form.text(name);
    if (value !== '') fields[name] = value;
  }
  const view =
    viewNames.find((viewName) => viewName === fields.view) ?? (fields.state ? 'all' : 'waiting');
  return { ...fields, view };
}

/** The address of a list. `changes` removes the fields that it sets to undefined. */
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

/** The filters that a person has set. The list of due calls is the caller's own by default. */
export function activeFilters(state: QueueState): FilterName[] {
  return filterNames.filter(
    (name) =>
      state[name] !== undefined &&
      !(name === 'owner' && state.view === 'due' && state.owner === 'me'),
  );
}

/** The view without the filters that a person has set. */
export function withoutFilters({ view, owner }: QueueState): QueueState {
  return view === 'due' && owner === 'me' ? { view, owner } : { view };
}

/** The query of a list on the pages: it has whole days in London. */
export class QueueQuery extends OmitType(FollowUpQuery, ['receivedFrom', 'receivedTo']) {
  @IsOptional()
  @IsDay()
  from?: string;

  /** The last day. */
  @IsOptional()
  @IsDay()
  to?: string;
}

/** The query of the same list in the API. */
export function listQuery({ from, to, ...others }: QueueQuery): FollowUpQuery {
  return {
    ...others,
    receivedFrom: from === undefined ? undefined : startOfLondonDay(from),
    receivedTo: to === undefined ? undefined : startOfLondonDay(addDays(to, 1)),
  };
}

/** What is due next comes first in the lists to work from; other lists are sorted as in the API. */
export function sortOf({ view, sort }: QueueState): string {
  return sort ?? (view === 'mine' || view === 'open' ? 'next' : views[view].sort);
}

export interface SortedColumn {
  readonly sorted: boolean;
  readonly descending: boolean;
  /** The order to which the heading leads; null for a heading without a link. */
  readonly sort: Sort | null;
}

/** How a list is sorted by a column: exactly one is. */
export function sortingOf(state: QueueState, { by, first }: ColumnSorting): SortedColumn {
  const current = sortOf(state);
  const descending = current.startsWith('-');
  const key = (descending ? current.slice(1) : current) as Sort;
  const sorted = by.includes(key);
  const reversed = (descending ? key : `-${key}`) as Sort;
  return { sorted, descending, sort: sorted ? reversed : first(state.view) };
}
