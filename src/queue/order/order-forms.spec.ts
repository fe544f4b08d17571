import { describe, expect, it } from '@jest/globals';
import { parseWeek } from '../../platform/kernel/working-hours.js';
import type { FollowUpOrder } from '../../orders/staff/follow-up.dto.js';
import { moveNames } from '../../orders/moves/move-words.js';
import { Form } from '../../platform/ui/forms/form.js';
import { send } from '../../platform/ui/forms/input-form.js';
import { formAt, type FormContext, inputOf, orderForms, suggestedTimes } from './order-forms.js';

const orderId = '019a9b5e-7c1d-7c3a-9d2f-5b1e6a7c8d90';
const sam = '019a9b5e-7c1d-7c3a-9d2f-5b1e6a7c8d91';
const kim = '019a9b5e-7c1d-7c3a-9d2f-5b1e6a7c8d92';
const calendar = { week: parseWeek('Mon-Fri 09:00-17:30')!, holidays: new Set(['2026-12-25']) };
const about = (now: string): FormContext => ({
  order: {
    orderId,
    ownerId: kim,
    kind: 'order',
    client: { id: 'client', kind: 'api' },
    product: { basis: 'firm', currency: 'GBP' },
  } as unknown as FollowUpOrder,
  people: [
    { id: sam, name: 'Sam', role: 'agent' },
    { id: kim, name: 'Kim', role: 'agent' },
  ],
  twins: ['ORD-AAAAAA'],
  now: new Date(now),
  calendar,
});
const friday = about('2026-11-20T12:02:00Z');

/** The form sent with a typed time instead of a suggested one. */
const pickedAt = (time: string) => `nextActionAt=own&nextActionAt-own-text=${time}`;

const sent = (path: string, query: string, about = friday, originalId?: string) => {
  const form = inputOf(formAt(path), about, originalId);
  return send(form, Form.parse(query), (input) => Promise.resolve(input));
};

const faultsIn = async (...of: Parameters<typeof sent>) => {
  const answer = await sent(...of);
  return 'refused' in answer ? Object.fromEntries(answer.refused.faults) : {};
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
    ['schedule', 'nextActionAt=2026-11-20T12:01', ['nextActionAt', 'reason']],
    ['hand-over', `ownerId=${kim}&note=hm`, ['ownerId']],
    ['hand-over', `ownerId=${kim}`, ['ownerId', 'note']],
    ['hand-over', 'ownerId=sam&note=+', ['ownerId', 'note']],
    ['hand-over', `ownerId=${sam}&note=hm`, []],
    ['hand-over', `ownerId=${sam}&note=a%0D%0Ab`, []],
    ['release', `reason=${'x'.repeat(501)}`, ['reason']],
    ['win', 'externalReference=&note=', []],
    ['duplicate', '', ['of']],
    ['lose', 'reason=other', ['note']],
    ['note', '', ['note']],
  ])('%s with %j: faults in %j', async (path, query, faults) => {
    expect(Object.keys(await faultsIn(path, query))).toEqual(faults);
  });

  it('ask for the prices of an indicative order, and report every wrong field', async () => {
    const indicative = { basis: 'indicative', currency: 'GBP', price: 249.5 };
    const order = { ...friday.order, product: indicative } as unknown as FollowUpOrder;
    const query = `price=soon&externalReference=${'x'.repeat(65)}`;
    expect(await faultsIn('win', query, { ...friday, order })).toEqual({
      price: 'Enter an amount from 0 to 21,474,836.47, such as 249.50.',
      setupPrice: 'Enter the set-up price that the client has confirmed.',
      externalReference: 'Use at most 64 characters; these are 65.',
    });
    const { fields } = inputOf(formAt('win'), { ...friday, order });
    expect(fields).toContainEqual(
      expect.objectContaining({ name: 'price', first: '249.50', missing: expect.any(String) }),
    );
    const right = await sent('win', 'price=£1,249.50&setupPrice=0', { ...friday, order });
    expect(right).toMatchObject({ result: { price: 1249.5, setupPrice: 0 } });
  });

  it('know the original of a duplicate by its reference', async () => {
    expect(await faultsIn('duplicate', 'of=ORD-000000')).toEqual({
      of: 'There is no order with this reference.',
    });
    const known = await sent('duplicate', 'of=ORD-AAAAAA', friday, sam);
    expect(known).toMatchObject({ result: { of: sam } });
  });

  it('speak of an enquiry', () => {
    const order = { ...friday.order, kind: 'enquiry' } as const;
    const { fields } = inputOf(formAt('duplicate'), { ...friday, order });
    expect(fields[0]).toMatchObject({
      hint: 'The reference of the original enquiry, of the same client.',
      missing: 'Enter the reference of the original enquiry.',
    });
  });

  it('give a move the fields that were filled in', async () => {
    const lost = await sent('lose', 'reason=price&note=a%0D%0Ab');
    expect(lost).toEqual({ result: { reason: 'price', note: 'a\nb' } });
    const at = new Date('2026-11-20T12:03Z');
    const typed = ['nextActionAt=2026-11-20T12:03', pickedAt('2026-11-20T12:03')];
    for (const time of typed) {
      const scheduled = await sent('schedule', `${time}&reason=callback_agreed`);
      expect(scheduled).toEqual({ result: { nextActionAt: at, reason: 'callback_agreed' } });
    }
  });

  it.each([
    ['2026-11-20T12:02:00Z', '2026-11-23T10:00'],
    ['2026-11-16T12:02:00Z', '2026-11-17T10:00'],
    ['2026-12-24T12:02:00Z', '2026-12-28T10:00'],
    ['2026-06-01T12:02:00Z', '2026-06-02T10:00'],
  ])('suggest the next working day: at %s, %s', (now, nextActionAt) => {
    const { fields } = inputOf(formAt('schedule'), about(now));
    expect(fields).toContainEqual(
      expect.objectContaining({ name: 'nextActionAt', first: nextActionAt }),
    );
    for (const { at } of suggestedTimes(about(now)))
      expect(at.getTime()).toBeGreaterThan(Date.parse(now));
  });
});
