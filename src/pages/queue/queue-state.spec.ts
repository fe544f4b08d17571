import { describe, expect, it } from '@jest/globals';
import { Form } from '../forms/form.js';
import { queueAddress, queueFilter, readQueueState, sorting } from './queue-state.js';

const read = (query: string) => readQueueState(Form.parse(query));

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
    expect(queueFilter(read('view=open&from=2026-03-29&to=2026-03-29'))).toEqual({
      view: 'open',
      receivedFrom: new Date('2026-03-29T00:00:00Z'),
      receivedTo: new Date('2026-03-29T23:00:00Z'),
    });
  });

  it.each(['from=yesterday', 'to=2026-02-30', 'to=x'])('refuses %s', (query) => {
    expect(() => queueFilter(read(query))).toThrow('One field is not valid');
  });

  it.each([
    ['', true, false, 'received'],
    ['sort=-received', true, false, '-received'],
    ['sort=due', false, true, 'due'],
    ['view=due', false, true, 'nextAction'],
    ['view=closed', false, true, '-closed'],
    ['view=mine', true, false, 'received'],
    ['view=mine&sort=due', false, true, 'due'],
  ])('%s: exactly one column is sorted', (query, age, state, current) => {
    const columns = sorting(read(query));
    expect([columns.age.sorted, columns.state.sorted]).toEqual([age, state]);
    const sorted = age ? columns.age : columns.state;
    expect(sorted.descending).toBe(current.startsWith('-'));
    expect(sorted.sort).not.toBe(current);
  });
});
