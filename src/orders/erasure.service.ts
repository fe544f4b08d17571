import { byIdOrReference } from '../platform/kernel/uuid.js';
import { Injectable } from '@nestjs/common';
import { And, type FindOptionsWhere, IsNull, Not } from 'typeorm';
import { AuditEntry } from '../platform/audit/audit-entry.entity.js';
import { type Actor, AuditService } from '../platform/audit/audit.service.js';
import { Refused } from '../platform/problems/refused.js';
import { Transactions } from '../platform/database/transactions.js';
import type { Tx } from '../platform/database/engine/tx.js';
import { Watch } from '../watches/watch.entity.js';
import {
  OutboxMessage,
  withBodyAbout,
} from '../platform/notifications/messages/outbox-message.entity.js';
import { moveRules } from './moves/move-rules.js';
import { moveNames } from './moves/move-words.js';
import { OrderUndo } from './moves/order-undo.entity.js';
import { IdempotencyKey } from './placing/idempotency-key.entity.js';
import { OrderWord } from './record/order-word.entity.js';
import type { Order } from './record/order.entity.js';
import { personalDetails, withoutPersons } from './record/site-details.dto.js';
import { sides, tableOn } from '../platform/database/sides.js';
import { lockedOrder, ordersOn, type OrdersTx } from './record/order-tables.js';
import { hasOwnReason } from './staff/move-bodies.js';

/** Columns that may hold personal data. */
export const personal = [
  'contactName',
  'contactEmail',
  'contactPhone',
  'notes',
  'clientReference',
  // It may be that of a home.
  'uprn',
] as const;

export interface Erased {
  readonly order: Pick<Order, 'id' | 'reference'>;
  /** The fields that were not empty. */
  readonly fields: readonly string[];
  /** The number of texts that were erased elsewhere, such as in the history. */
  readonly notes: number;
  /** What stays, in words. */
  readonly kept: readonly string[];
  /** Watches of its API client with the same reference or premises, which keep them. */
  readonly watches: readonly string[];
}

/** Erases what another room keeps about an order. @returns how many texts it has erased */
type EraseMore = (tx: OrdersTx, order: Order) => Promise<number>;

type LockQuote = (tx: OrdersTx, quoteId: string) => Promise<unknown>;

/** Erases personal data of orders and enquiries. What was ordered, and its outcome, stays for reports. */
@Injectable()
export class ErasureService {
  private readonly more: EraseMore[] = [];
  private lockQuote: LockQuote | undefined;

  constructor(
    private readonly transactions: Transactions,
    private readonly audit: AuditService,
  ) {}

  /** It runs in the transaction of each erasure. */
  register(erase: EraseMore): void {
    this.more.push(erase);
  }

  /** It runs before the order is locked. */
  registerQuotes(lock: LockQuote): void {
    this.lockQuote = lock;
  }

  /** @throws {Refused} if there is no such order */
  erase(idOrReference: string, actor: Actor): Promise<Erased> {
    const where = byIdOrReference(idOrReference);
    return this.transactions.run(async (all) => {
      const located = await this.find(all, where);
      if (!located) throw new Refused(`There is no order ${JSON.stringify(idOrReference)}.`);
      const { tx, order } = located;
      const watches = await watchesLike(tx, order);
      const { wanted, details, preferredDays, amendments } = order;
      const fields: string[] = personal.filter((field) => order[field] !== null);
      if (wanted !== null && wanted.description !== null) fields.push('wanted.description');
      fields.push(...personalDetails(details));
      if (preferredDays?.note !== undefined) fields.push('preferredDays.note');
      let notes =
        (amendments?.length ?? 0) +
        (await eraseNotes(tx, order.id)) +
        (await eraseCharges(tx, order.id)) +
        (await eraseDelivery(tx, order.id)) +
        (await eraseConversation(tx, order.id)) +
        (await eraseOffers(tx, order.id));
      for (const erase of this.more) notes += await erase(tx, order);
      if (fields.length > 0 || notes > 0) {
        await tx.delete(OrderWord, { orderId: order.id });
        // To undo a change would restore what is erased.
        await tx.delete(OrderUndo, { orderId: order.id });
        await eraseMessages(tx, order.id);
        await tx.update(
          tx.orders,
          { id: order.id },
          {
            ...Object.fromEntries(personal.map((field) => [field, null])),
            ...(wanted && { wanted: { ...wanted, description: null } }),
            details: withoutPersons(details),
            preferredDays: preferredDays && { days: preferredDays.days },
            amendments: null,
          },
        );
        await this.audit.record(tx, {
          subject: [tx.subject, order.id],
          action: 'erased',
          actor,
          details: { fields, notes },
        });
      }
      return { order, fields, notes, watches, kept: await keptOf(tx, order) };
    });
  }

  /**
   * Locks its quote, then the order, then its delivery, as in all transactions: no deadlock, and an import does not
   * write back what it read before.
   */
  private async find(all: Tx, where: FindOptionsWhere<Order>) {
    for (const side of sides) {
      const tx = ordersOn(all, side);
      const quoteId = (await tx.findOneBy(tx.orders, where))?.quoteId;
      if (quoteId) await this.lockQuote?.(tx, quoteId);
      const order = await lockedOrder(tx, where);
      if (order) return { tx, order };
    }
    return null;
  }
}

async function watchesLike(
  tx: OrdersTx,
  { clientId, clientReference, uprn }: Order,
): Promise<string[]> {
  const where = [
    ...(clientReference === null ? [] : [{ clientId, clientReference }]),
    ...(uprn === null ? [] : [{ clientId, uprn }]),
  ];
  const watches = where.length === 0 ? [] : await tx.find(tableOn(Watch, tx), { where });
  return watches.map(({ id }) => id);
}

const ERASED = '(erased)';
/** The actions of moves with a reason in a person's own words. */
export const freeReasons: ReadonlySet<string> = new Set(
  moveNames.filter(hasOwnReason).map((name) => moveRules[name].action),
);

/** Blanks notes, the UPRN and the names of those who answered charges in the order's timeline. Who did what, and when, stays. */
async function eraseNotes(tx: OrdersTx, orderId: string): Promise<number> {
  const entries = await tx.findBy(AuditEntry, {
    subjectType: tx.subject,
    subjectId: orderId,
  });
  let erased = 0;
  for (const { id, action, details } of entries) {
    const written = [
      'note',
      'uprn',
      'answeredBy',
      'waitingFor',
      ...(freeReasons.has(action) ? ['reason'] : []),
    ].filter((key) => {
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

/** What was proposed, and its end, stays. @returns how many texts it has erased */
async function eraseCharges(tx: OrdersTx, orderId: string): Promise<number> {
  const charges = await tx.findBy(tx.charges, { orderId });
  const texts = charges.flatMap(({ note, answeredBy }) => [note, answeredBy]);
  const erased = texts.filter((text) => text !== null).length;
  if (erased > 0) await tx.update(tx.charges, { orderId }, { note: null, answeredBy: null });
  return erased;
}

/** Blanks what a delivery waits for, which may name a person. */
async function eraseDelivery(tx: OrdersTx, orderId: string): Promise<number> {
  const written = { orderId, waitingWhat: And(Not(IsNull()), Not(ERASED)) };
  const { affected } = await tx.update(tx.deliveries, written, { waitingWhat: ERASED });
  return affected ?? 0;
}

/** Blanks what both sides wrote. That they wrote, and when, stays. */
async function eraseConversation(tx: OrdersTx, orderId: string): Promise<number> {
  const written = { orderId, text: Not(ERASED) };
  return (await tx.update(tx.messages, written, { text: ERASED })).affected ?? 0;
}

/** Deletes what staff wrote about the offers of an enquiry, and blanks the names that they gave them. */
async function eraseOffers(tx: OrdersTx, enquiryId: string): Promise<number> {
  let erased = 0;
  for (const { id, note, terms } of await tx.findBy(tx.offers, { enquiryId })) {
    const isNamed = terms.name !== ERASED;
    if (note === null && !isNamed) continue;
    await tx.update(tx.offers, { id }, { note: null, terms: { ...terms, name: ERASED } });
    erased += Number(note !== null) + Number(isNamed);
  }
  return erased;
}

/** What an erasure leaves, because the order or a repeated request is found by it. */
async function keptOf(tx: OrdersTx, { id, externalReference }: Order): Promise<string[]> {
  const delivery = await tx.findOneBy(tx.deliveries, { orderId: id });
  return [
    ...(externalReference === null ? [] : ['external reference (also in the audit trail)']),
    ...(delivery?.serviceId == null ? [] : ['service id (also in the audit trail)']),
    ...(await keptKeys(tx, id)),
  ];
}

/** @param id of an order or a quote */
export async function keptKeys(tx: Tx, id: string): Promise<string[]> {
  const count = await tx.countBy(IdempotencyKey, { subjectId: id });
  return count === 0 ? [] : ['idempotency key (for 30 days)'];
}

/** Blanks the client's reference in webhooks. Outbox messages of emails hold no personal data. */
export async function eraseMessages(tx: Tx, subjectId: string): Promise<void> {
  for (const { id, body } of await tx.findBy(OutboxMessage, withBodyAbout(subjectId))) {
    const event = JSON.parse(body!) as { data: object };
    const blank = JSON.stringify({ ...event, data: { ...event.data, reference: null } });
    await tx.update(OutboxMessage, { id }, { body: blank });
  }
}
