import { describe, expect, it } from '@jest/globals';
import type { StaffCaller } from '../../platform/access/caller.js';
import { parseWeek } from '../../platform/kernel/working-hours.js';
import { Form } from '../../platform/ui/forms/form.js';
import type { WorkKind } from '../../orders/record/order-states.js';
import { canRecordCall, dayChoices, nextChoices, readCall, timeChoices } from './call-form.js';

const calendar = { week: parseWeek('Mon-Fri 09:00-17:30')!, holidays: new Set(['2026-12-25']) };
const at = (now: string) => ({ now: new Date(now), calendar });
const friday = at('2026-11-20T12:02:00Z');

describe('the choices of the call panel', () => {
  it.each([
    ['2026-11-19T12:02:00Z', '2026-11-20T10:00', 'Tomorrow 10:00'],
    ['2026-11-20T12:02:00Z', '2026-11-23T10:00', 'Mon 23 Nov 10:00'],
    ['2026-12-24T12:02:00Z', '2026-12-28T10:00', 'Mon 28 Dec 10:00'],
    ['2026-06-01T22:30:00Z', '2026-06-02T10:00', 'Tomorrow 10:00'],
  ])('name the next working day: at %s', (now, value, name) => {
    expect(nextChoices(at(now), 'order')).toContainEqual({ value, name, key: 't' });
  });

  it('let no one win an enquiry by hand', () => {
    const has = (kind: WorkKind) => nextChoices(friday, kind).some(({ value }) => value === 'win');
    expect([has('order'), has('enquiry')]).toEqual([true, false]);
  });

  it('have the working days of the next week, with the digits of their weekdays', () => {
    const days = dayChoices(at('2026-12-23T12:00:00Z'));
    expect(days.map(({ value, key }) => `${key} ${value}`)).toEqual([
      '4 2026-12-24',
      '1 2026-12-28',
      '2 2026-12-29',
      '3 2026-12-30',
    ]);
  });

  it('have the hours in which someone works', () => {
    const times = timeChoices(friday).map(({ value, key }) => `${key} ${value}`);
    expect([times.length, times[0], times[5], times.at(-1)]).toEqual([
      9,
      '1 09:00',
      '6 14:00',
      '9 17:00',
    ]);
  });
});

describe('a sent call panel', () => {
  const read = (query: string) => readCall(Form.parse(query), friday, true);

  it.each<[string, string, object[]]>([
    ['note=Hm', 'note', []],
    [
      'outcome=no_answer&next=2026-11-23T10:00&note=Hm',
      'contact-schedule',
      [
        { name: 'logContact', channel: 'phone', result: 'no_answer', note: 'Hm' },
        {
          name: 'schedule',
          nextActionAt: new Date('2026-11-23T10:00Z'),
          reason: 'retry_no_answer',
        },
      ],
    ],
    [
      'next=day&day=2026-11-26&time=14:00&note=Hm',
      'schedule',
      [
        {
          name: 'schedule',
          nextActionAt: new Date('2026-11-26T14:00Z'),
          reason: 'callback_agreed',
          note: 'Hm',
        },
      ],
    ],
    [
      'outcome=emailed&next=hour',
      'contact-schedule',
      [
        { name: 'logContact', channel: 'email', result: 'emailed' },
        {
          name: 'schedule',
          nextActionAt: new Date('2026-11-20T13:05Z'),
          reason: 'awaiting_client',
        },
      ],
    ],
    ['outcome=meeting', 'contact', [{ name: 'logContact', channel: 'meeting', result: 'reached' }]],
    [
      'outcome=supplier&next=hour&note=Hm',
      'schedule',
      [
        {
          name: 'schedule',
          nextActionAt: new Date('2026-11-20T13:05Z'),
          reason: 'awaiting_supplier',
          note: 'Hm',
        },
      ],
    ],
    ['next=win&externalReference=SF-1', 'win', [{ name: 'win', externalReference: 'SF-1' }]],
    [
      'outcome=reached&next=lose&reason=other&note=Hm',
      'contact-lose',
      [
        { name: 'logContact', channel: 'phone', result: 'reached' },
        { name: 'lose', reason: 'other', note: 'Hm' },
      ],
    ],
  ])('makes the moves that it names: %s', (query, said, moves) => {
    expect(read(query)).toMatchObject({ said, moves, faults: new Map() });
  });

  it.each([
    ['', 'outcome'],
    ['outcome=pigeon', 'outcome'],
    ['next=soon', 'next'],
    ['next=2026-11-20T10:00', 'next'],
    ['next=day', 'day'],
    ['next=day&time=10:00', 'day'],
    ['next=day&day=2026-11-23', 'time'],
    ['next=day&day=soon&time=10:00', 'day'],
    ['next=pick&at=', 'at'],
    ['next=pick&at=2026-11-20T12:02', 'at'],
    ['outcome=supplier', 'next'],
    ['outcome=supplier&next=win', 'next'],
    ['next=lose', 'reason'],
    ['next=lose&reason=boredom', 'reason'],
    ['next=lose&reason=other', 'note'],
    [`next=win&externalReference=${'x'.repeat(65)}`, 'externalReference'],
    [`note=${'x'.repeat(2_001)}`, 'note'],
  ])('has a fault: %s', (query, field) => {
    expect([...read(query).faults.keys()]).toEqual([field]);
  });

  it('asks for a note alone where the panel offers nothing else', () => {
    const faults = (offersSteps: boolean) =>
      Object.fromEntries(readCall(Form.parse(''), friday, offersSteps).faults);
    expect([faults(true), faults(false)]).toEqual([
      { outcome: 'Choose an outcome or a next step, or write a note.' },
      { note: 'Write a note.' },
    ]);
  });

  it('is for the owner of an open order', () => {
    const owner = { staffId: 'a' } as StaffCaller;
    const order = { closedAt: null, ownerId: 'a' };
    const orders = [order, { ...order, ownerId: 'b' }, { ...order, closedAt: new Date(0) }];
    expect(orders.map((one) => canRecordCall(one, owner))).toEqual([true, false, false]);
  });
});
