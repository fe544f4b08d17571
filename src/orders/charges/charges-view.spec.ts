import { expect, it } from '@jest/globals';
import type { StaffCaller } from '../../platform/access/caller.js';
import type { FollowUpOrder } from '../staff/follow-up.dto.js';
import { mayCharge } from './charges-view.js';

const order = {
  state: 'in_progress',
  ownerId: 'sam',
  delivery: null,
  expedite: false,
  product: { extraChargesPossible: true },
} as FollowUpOrder;
const delivery = { liveOn: null } as FollowUpOrder['delivery'];
const live = { liveOn: '2026-03-02' } as FollowUpOrder['delivery'];
const firm = { extraChargesPossible: false } as FollowUpOrder['product'];
const [sam, bo, manager] = [
  { staffId: 'sam', role: 'agent' },
  { staffId: 'bo', role: 'agent' },
  { staffId: 'mo', role: 'manager' },
] as StaffCaller[];

it.each<[string, Partial<FollowUpOrder>, boolean]>([
  ['with an owner', {}, true],
  ['that is scheduled', { state: 'scheduled' }, true],
  ['that waits', { state: 'waiting' }, false],
  ['in delivery', { state: 'won', delivery }, true],
  ['that is live', { state: 'won', delivery: live }, false],
  ['that was won before there were deliveries', { state: 'won' }, false],
  ['that is lost', { state: 'lost', delivery }, false],
  ['at a firm price', { product: firm }, false],
  ['at a firm price that may be expedited', { product: firm, expedite: true }, true],
  ['without a product', { product: null, expedite: true }, false],
])('an order %s: its owner and managers may charge, another agent may not', (_is, about, may) => {
  const charged = [sam, bo, manager].map((one) => mayCharge({ ...order, ...about }, one!));
  expect(charged).toEqual([may, false, may]);
});
