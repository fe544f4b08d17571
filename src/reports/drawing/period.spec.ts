import { describe, expect, it } from '@jest/globals';
import { Form } from '../../platform/ui/forms/form.js';
import {
  choosePeriod,
  dayLabel,
  dayName,
  daysOf,
  lastDays,
  periodBefore,
  periodQuery,
} from './period.js';

const today = '2026-11-21';
const choose = (from: string, to: string) =>
  choosePeriod(Form.parse(new URLSearchParams({ from, to }).toString()), today);

describe('a period', () => {
  it.each([
    ['', '', '2026-10-25', '2026-11-21'],
    ['2026-11-01', '', '2026-11-01', '2026-11-21'],
    ['', '2026-03-28', '2026-03-01', '2026-03-28'],
    ['2026-11-21', '2026-11-21', '2026-11-21', '2026-11-21'],
    ['2027-01-01', '', '2027-01-01', '2027-01-01'],
    ['2025-10-18', '2026-11-21', '2025-10-18', '2026-11-21'],
  ])('from %j to %j is %s to %s', (from, to, first, last) => {
    const { period, refused } = choose(from, to);
    expect([period, refused]).toEqual([{ from: first, to: last }, null]);
  });

  it.each([
    ['2026-02-31', '', 'from', 'Enter a day, such as 2026-11-21.'],
    ['', 'tomorrow', 'to', 'Enter a day, such as 2026-11-21.'],
    ['2026-11-22', '2026-11-21', 'from', 'From must be before To, or the same day.'],
    ['2025-10-17', '2026-11-21', 'from', 'From and To can be 400 days apart at most.'],
    ['0000-00-00', '', 'from', 'Enter a day, such as 2026-11-21.'],
  ] as const)('from %j to %j is refused, and keeps the typed text', (from, to, field, words) => {
    const { period, refused } = choose(from, to);
    const typed = Object.fromEntries(refused!.form.entries());
    expect([period, typed]).toEqual([lastDays(28, today), { from, to }]);
    expect([...refused!.faults]).toEqual([[field, words]]);
  });

  it('reports every wrong filter', () => {
    const { refused } = choosePeriod(Form.parse('from=soon&client=x&bandwidth=-1&term=y'), today);
    expect(Object.fromEntries(refused!.faults)).toEqual({
      from: 'Enter a day, such as 2026-11-21.',
      client: 'Choose an option from the list.',
      bandwidth: 'Choose an option from the list.',
      term: 'Choose an option from the list.',
    });
  });

  it('has the ids of its filter in lower case, as they are stored', () => {
    const id = '019a9b5e-7c1d-7c3a-9d2f-5b1e6a7c8d90';
    const ids = { client: id.toUpperCase(), owner: id.toUpperCase(), family: 'INT' };
    const { period } = choosePeriod(Form.parse(new URLSearchParams(ids).toString()), today);
    expect(period).toMatchObject({ client: id, owner: id, family: 'INT' });
  });

  it('has numbers where its filter is one', () => {
    const { period } = choosePeriod(Form.parse('bandwidth=0.1&term=36'), today);
    expect(period).toMatchObject({ bandwidth: 0.1, term: 36 });
    expect(periodQuery(period)).toContain('&bandwidth=0.1&term=36');
    expect(choosePeriod(Form.parse('bandwidth=0'), today).refused).not.toBeNull();
  });

  it('counts its days across a clock change', () => {
    expect(daysOf({ from: '2026-10-24', to: '2026-10-26' })).toBe(3);
  });

  it('is compared with as many days before it, with the same filter', () => {
    const week = { from: '2026-11-15', to: today, client: 'a' };
    expect(periodBefore(week)).toEqual({ from: '2026-11-08', to: '2026-11-14', client: 'a' });
    const day = { from: '2026-03-01', to: '2026-03-01' };
    expect(periodBefore(day)).toEqual({ from: '2026-02-28', to: '2026-02-28' });
  });

  it('has a query string, and short and long names of its days', () => {
    expect(periodQuery({ from: '2026-11-01', to: today })).toBe('from=2026-11-01&to=2026-11-21');
    expect([dayLabel(today), dayName(today)]).toEqual(['21 Nov', 'Sat 21 Nov 2026']);
  });
});
