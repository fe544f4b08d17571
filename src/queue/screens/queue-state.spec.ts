import { describe, expect, it } from '@jest/globals';
import { Form } from '../../platform/ui/forms/form.js';
import { type OrderColumn, orderColumns } from '../lists/order-columns.js';
import {
  activeFilters,
  queueAddress,
  listQuery,
  readQueueState,
  sortingOf,
  sortOf,
} from './queue-state.js';

const read = (query: string) => readQueueState(Form.parse(query));
const columns = orderColumns({ now: new Date(0), calendar: { week: [], holidays: new Set() } });
const sortingBy = (column: 'received' | 'price' | 'next', query: string) =>
  sortingOf(read(query), columns[column].sorting!);

describe('the state of a list', () => {
  it.each([
    ['', '/staff/queue'],
    ['view=waiting', '/staff/queue'],
    ['view=mine&owner=&q=', '/staff/queue?view=mine'],
    ['view=open&basis=indicative', '/staff/queue?view=open&basis=indicative'],
    ['view=nonsense&said=claimed&evil=1', '/staff/queue'],
    ['state=waiting&state=won', '/staff/queue?view=all&state=waiting,won'],
    ['view=all&q=a%26b+c&sort=-received', '/staff/queue?view=all&q=a%26b+c&sort=-received'],
  ])('%s has the address %s', (query, address) => {
    const printed = queueAddress(read(query));
    expect(printed).toBe(address);
    expect(queueAddress(read(printed.split('?')[1] ?? ''))).toBe(address);
  });

  it('keeps its other fields when one changes', () => {
    const state = read('view=all&area=EC&cursor=abc');
    expect(queueAddress(state, { area: undefined, cursor: undefined })).toBe(
      '/staff/queue?view=all',
    );
    expect(queueAddress(state, { cursor: undefined }, '/staff/queue.csv')).toBe(
      '/staff/queue.csv?view=all&area=EC',
    );
  });

  it('filters by whole days in London', () => {
    // 29 March 2026 has 23 hours.
    expect(listQuery({ view: 'open', limit: 50, from: '2026-03-29', to: '2026-03-29' })).toEqual({
      view: 'open',
      limit: 50,
      receivedFrom: new Date('2026-03-29T00:00:00Z'),
      receivedTo: new Date('2026-03-29T23:00:00Z'),
    });
  });

  it.each<[query: string, column: 'received' | 'price' | 'next', current: string]>([
    ['', 'received', 'received'],
    ['sort=-received', 'received', '-received'],
    ['sort=due', 'next', 'due'],
    ['sort=-price', 'price', '-price'],
    ['view=due', 'next', 'nextAction'],
    ['view=late', 'next', 'due'],
    ['view=closed', 'next', '-closed'],
    ['view=mine', 'next', 'next'],
    ['view=open', 'next', 'next'],
    ['view=mine&sort=received', 'received', 'received'],
  ])('%s: only the column %s is sorted', (query, column, current) => {
    const state = read(query);
    const all = Object.entries<OrderColumn>(columns);
    const sorted = all.filter(([, { sorting }]) => sorting && sortingOf(state, sorting).sorted);
    expect(sorted.map(([name]) => name)).toEqual([column]);
    expect(sortOf(state)).toBe(current);
    const { descending, sort } = sortingBy(column, query);
    expect(descending).toBe(current.startsWith('-'));
    expect(sort).not.toBe(current);
  });

  it.each(['view=all', 'view=closed'])('%s is not sorted by price, nor by what is due', (query) => {
    expect([sortingBy('price', query).sort, sortingBy('next', query).sort]).toEqual([
      null,
      query === 'view=all' ? null : 'closed',
    ]);
  });

  it('does not count the owner of due calls as a filter, where it is the caller', () => {
    expect(activeFilters(read('view=due&owner=me'))).toEqual([]);
    expect(activeFilters(read('view=due&owner=none&term=12'))).toEqual(['owner', 'term']);
    expect(activeFilters(read('view=open&owner=me'))).toEqual(['owner']);
  });
});
