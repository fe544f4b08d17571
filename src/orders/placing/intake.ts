import type { AuditEntry } from '../../platform/audit/audit-entry.entity.js';
import type { OrderQuota } from '../../platform/limits/count-window.js';
import type { OutboxMessage } from '../../platform/notifications/messages/outbox-message.entity.js';
import type { OrderWord } from '../record/order-word.entity.js';
import type { Order } from '../record/order.entity.js';
import type { IdempotencyKey } from './idempotency-key.entity.js';

/** An order and all that is stored with it in one transaction. */
export interface Intake {
  readonly order: Order;
  readonly isTest: boolean;
  readonly words: readonly OrderWord[];
  readonly entry: AuditEntry;
  readonly messages: readonly OutboxMessage[];
  readonly key: IdempotencyKey | undefined;
  readonly quota: OrderQuota | undefined;
}
