import { describe, expect, it } from '@jest/globals';
import { parseWeek } from '../../kernel/working-hours.js';
import type { FollowUpOrder } from '../../follow-up/follow-up.dto.js';
import { moveRules } from '../../orders/moves/order-state.js';
import { Form } from '../forms/form.js';
import {
  drawnFields,
  formAt,
  type FormContext,
  orderForms,
  readOrderForm,
  suggestedTimes,
} from './order-forms.js';

const calendar = { week: parseWeek('Mon-Fri 09:00-17:30')!, holidays: new Set(['2026-12-25']) };
const about = (now: string): FormContext => ({
  order: { ownerId: 'kim' } as FollowUpOrder,
  people: [
    { id: 'sam', name: 'Sam', role: 'agent' },
    { id: 'kim', name: 'Kim', role: 'agent' },
  ],
  twins: ['ORD-AAAAAA'],
  now: new Date(now),
  calendar,
});
const friday = about('2026-11-20T12:02:00Z');

const faultsOf = (path: string, query: string) => [
  ...readOrderForm(formAt(path)!, Form.parse(query), friday).faults.keys(),
];

describe('the forms of moves', () => {
  it('are one for each move, and one for a note', () => {
    const moves = orderForms.map(({ move }) => move);
    expect(moves.filter((move) => move !== null).sort()).toEqual(Object.keys(moveRules).sort());
    expect(moves.filter((move) => move === null)).toHaveLength(1);
  });

  it.each<[string, string, string[]]>([
    ['claim', '', []],
    ['contact', '', ['channel', 'result']],
    ['contact', 'channel=phone&result=reached', []],
    ['contact', 'channel=pigeon&result=reached', ['channel']],
    ['schedule', 'nextActionAt=2026-11-20T12:01&reason=callback_agreed', ['nextActionAt']],
    ['schedule', 'nextActionAt=soon&reason=callback_agreed', ['nextActionAt']],
    ['schedule', 'nextActionAt=2026-11-20T12:03&reason=callback_agreed', []],
    ['hand-over', 'ownerId=kim&note=hm', ['ownerId']],
    ['hand-over', 'ownerId=sam&note=+', ['note']],
    ['hand-over', 'ownerId=sam&note=hm', []],
    ['release', `reason=${'x'.repeat(501)}`, ['reason']],
    ['win', 'externalReference=&note=', []],
    ['duplicate', '', ['of']],
  ])('%s with %j has faults in %j', (path, query, faults) => {
    expect(faultsOf(path, query)).toEqual(faults);
  });

  it('keep what was typed, faulty or not', () => {
    const { values } = readOrderForm(formAt('lose')!, Form.parse('reason=&note=a%0D%0Ab'), friday);
    expect(values).toEqual({ reason: '', note: 'a\nb' });
  });

  it.each([
    ['2026-11-20T12:02:00Z', '2026-11-23T10:00'],
    ['2026-11-16T12:02:00Z', '2026-11-17T10:00'],
    ['2026-12-24T12:02:00Z', '2026-12-28T10:00'],
    ['2026-06-01T12:02:00Z', '2026-06-02T10:00'],
  ])('suggest at %s the next working day: %s', (now, nextActionAt) => {
    const fields = drawnFields(formAt('schedule')!, about(now));
    expect(fields).toContainEqual(
      expect.objectContaining({ name: 'nextActionAt', first: nextActionAt }),
    );
    for (const { at } of suggestedTimes(about(now)))
      expect(at.getTime()).toBeGreaterThan(Date.parse(now));
  });
});
