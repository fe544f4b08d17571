import { Between, In, LessThan } from 'typeorm';
import { AuditEntry } from '../../platform/audit/audit-entry.entity.js';
import type { Tx } from '../../platform/database/engine/tx.js';
import { SANDBOX } from '../../platform/database/sides.js';
import {
  OutboxMessage,
  withBodyAbout,
} from '../../platform/notifications/messages/outbox-message.entity.js';
import { IdempotencyKey } from '../placing/idempotency-key.entity.js';
import { ordersOn } from '../record/order-tables.js';

/** Deletes test orders with their charges, deliveries, keys, timelines and webhook messages. */
export async function pruneTestOrders(all: Tx, before: Date, most: number): Promise<number> {
  const tx = ordersOn(all, SANDBOX);
  const oldest = await tx.find(tx.orders, {
    select: { id: true, receivedAt: true },
    where: { receivedAt: LessThan(before) },
    order: { receivedAt: 'ASC' },
    take: most,
  });
  const [first, last] = [oldest[0], oldest.at(-1)];
  if (!first || !last) return 0;
  const orderIds = oldest.map(({ id }) => id);
  const ids = In(orderIds);
  const createdAt = Between(first.receivedAt, last.receivedAt);
  await tx.delete(IdempotencyKey, { createdAt, subjectId: ids });
  await tx.delete(AuditEntry, { subjectType: tx.subject, subjectId: ids });
  await tx.delete(OutboxMessage, withBodyAbout(...orderIds));
  await tx.delete(tx.charges, { orderId: ids });
  await tx.delete(tx.deliveries, { orderId: ids });
  await tx.delete(tx.offers, { enquiryId: ids });
  await tx.delete(tx.orders, { id: ids });
  return oldest.length;
}
