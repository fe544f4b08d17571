import { isUuid } from '../kernel/uuid.js';
import { Injectable } from '@nestjs/common';
import { AuditEntry } from '../audit/audit-entry.entity.js';
import { type Actor, AuditService } from '../audit/audit.service.js';
import { Refused } from '../problems/refused.js';
import { Transactions } from '../database/transactions.js';
import type { Tx } from '../database/engine/tx.js';
import { OutboxMessage } from '../notifications/outbox-message.entity.js';
import { OrderWord } from './order-word.entity.js';
import { Order, ordersOf, orderSubject, TestOrder } from './order.entity.js';

/** What of an order may say something about a person. */
const personal = [
  'contactName',
  'contactEmail',
  'contactPhone',
  'notes',
  'clientReference',
] as const;

export interface Erased {
  readonly order: Pick<Order, 'id' | 'reference'>;
  /** The fields that held something. */
  readonly fields: readonly string[];
}

/** Forgets who ordered; what was ordered, and what became of it, stays for counts and reports. */
@Injectable()
export class ErasureService {
  constructor(
    private readonly transactions: Transactions,
    private readonly audit: AuditService,
  ) {}

  /** By id or by reference. @throws {Refused} where there is no such order */
  erase(idOrReference: string, actor: Actor): Promise<Erased> {
    const isReference = /^ORD-/i.test(idOrReference);
    const isId = isUuid(idOrReference);
    return this.transactions.run(async (tx) => {
      const where = isReference
        ? { reference: idOrReference.toUpperCase() }
        : { id: idOrReference.toLowerCase() };
      const live = isReference || isId ? await tx.findOneBy(Order, where) : null;
      const test = !live && (isReference || isId) ? await tx.findOneBy(TestOrder, where) : null;
      const [order, side] = [live ?? test, { isTest: live === null }];
      if (!order) throw new Refused(`There is no order ${JSON.stringify(idOrReference)}.`);
      const fields = personal.filter((field) => order[field] !== null);
      const notes = await eraseNotes(tx, order.id, orderSubject(side));
      if (fields.length > 0 || notes > 0) {
        await tx.delete(OrderWord, { orderId: order.id });
        await eraseMessages(tx, order.id);
        await tx.update(
          ordersOf(side),
          { id: order.id },
          Object.fromEntries(personal.map((field) => [field, null])),
        );
        await this.audit.record(tx, {
          subject: [orderSubject(side), order.id],
          action: 'erased',
          actor,
          details: { fields, notes },
        });
      }
      return { order, fields };
    });
  }
}

const ERASED = '(erased)';
/** Moves whose reason a person has written, where others choose a word from a list. */
const freeReasons = new Set(['released', 'reopened']);

/** Blanks what the staff wrote in the order's timeline; who did what, and when, stays. */
async function eraseNotes(tx: Tx, orderId: string, subjectType: string): Promise<number> {
  const entries = await tx.findBy(AuditEntry, { subjectType, subjectId: orderId });
  let erased = 0;
  for (const { id, action, details } of entries) {
    const written = ['note', ...(freeReasons.has(action) ? ['reason'] : [])].filter((key) => {
      const text = details?.[key];
      return typeof text === 'string' && text !== ERASED;
    });
    if (written.length === 0) continue;
    const blanks = Object.fromEntries(written.map((key) => [key, ERASED]));
    await tx.update(AuditEntry, { id }, { details: { ...details, ...blanks } as object });
    erased += written.length;
  }
  return erased;
}

/** E-mails are written when they are sent; what webhooks say of an order holds its own reference. */
async function eraseMessages(tx: Tx, orderId: string): Promise<void> {
  for (const { id, body } of await tx.findBy(OutboxMessage, { subjectId: orderId })) {
    if (body === null) continue;
    const event = JSON.parse(body) as { data: object };
    const blank = JSON.stringify({ ...event, data: { ...event.data, reference: null } });
    await tx.update(OutboxMessage, { id }, { body: blank });
  }
}
