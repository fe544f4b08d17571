import { Between, In, LessThan } from 'typeorm';
import { AuditEntry } from '../../platform/audit/audit-entry.entity.js';
import type { Tx } from '../../platform/database/engine/tx.js';
import {
  OutboxMessage,
  withBodyAbout,
} from '../../platform/notifications/messages/outbox-message.entity.js';
import { IdempotencyKey } from '../placing/idempotency-key.entity.js';
import { TestBespokeOffer } from '../record/bespoke-offer.entity.js';
import { TestCharge } from '../record/charge.entity.js';
import { TestDelivery } from '../record/delivery.entity.js';
import { TestOrder } from '../record/order.entity.js';

/** Deletes test orders with their charges, deliveries, keys, timelines and webhook messages. */
export async function pruneTestOrders(tx: Tx, before: Date, most: number): Promise<number> {
  const oldest = await tx.find(TestOrder, {
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
  await tx.delete(AuditEntry, { subjectType: 'test-order', subjectId: ids });
  await tx.delete(OutboxMessage, withBodyAbout(...orderIds));
  await tx.delete(TestCharge, { orderId: ids });
  await tx.delete(TestDelivery, { orderId: ids });
  await tx.delete(TestBespokeOffer, { enquiryId: ids });
  await tx.delete(TestOrder, { id: ids });
  return oldest.length;
}
