import { untouched } from '../../src/orders/moves/plan-move.js';
import type { OrderProgress } from '../../src/orders/record/order-states.js';

export const now = new Date('2026-03-02T09:00Z');
export const sam = { kind: 'staff', id: 'sam', name: 'Sam', manager: false } as const;

export const waiting: OrderProgress = {
  id: 'order',
  kind: 'order',
  clientId: 'client',
  ...untouched,
  publicStateAt: now,
  lastEntryAt: now,
};
export const claimed: OrderProgress = {
  ...waiting,
  state: 'in_progress',
  ownerId: 'sam',
  version: 1,
};
export const scheduled: OrderProgress = {
  ...claimed,
  state: 'scheduled',
  nextActionAt: new Date('2026-03-03T10:00Z'),
  nextActionReason: 'callback_agreed',
};
