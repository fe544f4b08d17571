import { describe, expect, it } from '@jest/globals';
import { parseWeek } from '../../platform/kernel/working-hours.js';
import type { FollowUpOrder } from '../../orders/staff/follow-up.dto.js';
import { moveNames } from '../../orders/moves/move-words.js';
import { Form } from '../../platform/ui/forms/form.js';
import { checkForm } from '../../platform/ui/forms/form-spec.js';
import {
  fieldsFor,
  formAt,
  type FormContext,
  moveInput,
  orderForms,
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

/** The form sent with a typed time instead of a suggested one. */
const pickedAt = (time: string) => `nextActionAt=own&nextActionAt-own-text=${time}`;

const faultsOf = (path: string, query: string) => {
  const refused = checkForm(fieldsFor(formAt(path), friday), Form.parse(query));
  return [...(refused?.faults.keys() ?? [])];
};

describe('the forms of moves', () => {
  it('exist for each move and for a note', () => {
    const moves = orderForms.map(({ move }) => move);
    expect(moves.filter((move) => move !== null).sort()).toEqual([...moveNames].sort());
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
    ['schedule', `${pickedAt('2026-11-20T12:01')}&reason=callback_agreed`, ['nextActionAt']],
    ['schedule', 'nextActionAt=own&reason=callback_agreed', ['nextActionAt']],
    ['schedule', `${pickedAt('2026-11-20T12:03')}&reason=callback_agreed`, []],
    ['hand-over', 'ownerId=kim&note=hm', ['ownerId']],
    ['hand-over', 'ownerId=sam&note=+', ['note']],
    ['hand-over', 'ownerId=sam&note=hm', []],
    ['hand-over', 'ownerId=sam&note=a%0D%0Ab', []],
    ['release', `reason=${'x'.repeat(501)}`, ['reason']],
    ['win', 'externalReference=&note=', []],
    ['duplicate', '', ['of']],
  ])('%s with %j: faults in %j', (path, query, faults) => {
    expect(faultsOf(path, query)).toEqual(faults);
  });

  it('give a move the fields that were filled in', () => {
    const lose = moveInput(formAt('lose'), Form.parse('reason=&note=a%0D%0Ab'));
    expect(lose).toEqual({ note: 'a\nb' });
    const schedule = moveInput(formAt('schedule'), Form.parse('nextActionAt=2026-11-20T12:03'));
    expect(schedule).toEqual({ nextActionAt: new Date('2026-11-20T12:03Z') });
    const picked = moveInput(formAt('schedule'), Form.parse(pickedAt('2026-11-20T12:03')));
    expect(picked).toEqual(schedule);
  });

  it.each([
    ['2026-11-20T12:02:00Z', '2026-11-23T10:00'],
    ['2026-11-16T12:02:00Z', '2026-11-17T10:00'],
    ['2026-12-24T12:02:00Z', '2026-12-28T10:00'],
    ['2026-06-01T12:02:00Z', '2026-06-02T10:00'],
  ])('suggest the next working day: at %s, %s', (now, nextActionAt) => {
    const fields = fieldsFor(formAt('schedule'), about(now));
    expect(fields).toContainEqual(
      expect.objectContaining({ name: 'nextActionAt', first: nextActionAt }),
    );
    for (const { at } of suggestedTimes(about(now)))
      expect(at.getTime()).toBeGreaterThan(Date.parse(now));
  });
});
