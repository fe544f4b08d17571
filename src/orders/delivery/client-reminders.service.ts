import { Injectable } from '@nestjs/common';
import { IsNull } from 'typeorm';
import { isDirectClient } from '../../clients/api-client.entity.js';
import { AuditService } from '../../platform/audit/audit.service.js';
import { Config } from '../../platform/config/config.js';
import { oneOf } from '../../platform/database/engine/rows.js';
import { sides } from '../../platform/database/sides.js';
import { Transactions } from '../../platform/database/transactions.js';
import type { Tx } from '../../platform/database/engine/tx.js';
import { isWorkingDay, workingDaysBetween } from '../../platform/kernel/bank-holidays.js';
import { counted } from '../../platform/kernel/counts.js';
import { Clock } from '../../platform/kernel/clock.js';
import { DAY } from '../../platform/kernel/time.js';
import { londonDay, londonWeekHour } from '../../platform/kernel/working-hours.js';
import type {
  EmailKind,
  EmailLetter,
} from '../../platform/notifications/messages/email-kinds.service.js';
import { londonTime } from '../../platform/notifications/messages/email-parts.js';
import { readWords } from '../../platform/notifications/messages/email-words.js';
import { OutboxService } from '../../platform/notifications/outbox.service.js';
import { MovesService } from '../moves/moves.service.js';
import type { DeliveryRecord } from '../record/delivery.entity.js';
import { Order } from '../record/order.entity.js';
import { liveOrders, lockingOrders, ordersOn, type OrdersTx } from '../record/order-tables.js';
import { recipientOf } from '../staff/recipient.js';
import { deliveryEvent } from './order-deliveries.service.js';

/** Hour in London before which no client is reminded. */
const FIRST_HOUR = 9;
/** Orders of one email; it counts the others. */
const MOST_NAMED = 50;

/** An order that waits for its client. */
interface WaitingOrder {
  readonly order: Order;
  readonly delivery: DeliveryRecord;
}

/** Reminds clients of the orders whose deliveries wait for them. Several instances may run at once: each reminder is sent once. */
@Injectable()
export class ClientRemindersService {
  constructor(
    private readonly transactions: Transactions,
    private readonly moves: MovesService,
    private readonly audit: AuditService,
    private readonly outbox: OutboxService,
    private readonly clock: Clock,
    private readonly config: Config,
  ) {}

  /** @returns how many orders it has reminded their clients of */
  async remind(): Promise<number> {
    const after = this.config.remindClientAfter;
    const now = this.clock.now();
    const isTime = isWorkingDay(londonDay(now)) && londonWeekHour(now).hour >= FIRST_HOUR;
    if (after === null || !isTime) return 0;
    await this.transactions.refuseClockAhead();
    let reminded = 0;
    for (const side of sides) {
      const due = await this.transactions.read((tx) => dueAt(ordersOn(tx, side), after, now));
      for (const orders of due) {
        reminded += await this.moves.runOn(side, (tx) => this.remindOf(tx, orders, now));
      }
    }
    return reminded;
  }

  /** Reminds a client, in one transaction, of orders that another instance has not reminded it of. */
  private async remindOf(tx: OrdersTx, due: readonly WaitingOrder[], now: Date): Promise<number> {
    const rows = await lockingOrders(
      tx,
      due.map(({ order }) => order.id),
    ).getMany();
    const locked = new Map(rows.map((order) => [order.id, order]));
    const reminded: Order[] = [];
    for (const { delivery } of due) {
      const { orderId, waitingSince, remindedAt } = delivery;
      const unchanged = {
        orderId,
        waitingParty: 'client',
        waitingSince: waitingSince!,
        remindedAt: remindedAt ?? IsNull(),
      } as const;
      const order = locked.get(orderId);
      if (order?.state !== 'won') continue;
      const { affected } = await tx.update(tx.deliveries, unchanged, { remindedAt: now });
      if (affected !== 1) continue;
      reminded.push(order);
      await this.outbox.publish(tx, deliveryEvent('order.waiting', order, delivery, now));
    }
    const [first] = reminded;
    if (!first) return 0;
    const ids = reminded.map(({ id }) => id);
    await tx.update(tx.orders, { id: oneOf(ids) }, { lastEntryAt: now });
    await this.audit.record(
      tx,
      ...ids.map((id) => ({
        subject: [tx.subject, id] as const,
        action: 'client_reminded' as const,
        actor: { type: 'system', id: null, name: 'The service' } as const,
      })),
    );
    await this.outbox.addEmail(tx, waitingEmail.code, first.id);
    return reminded.length;
  }
}

/** The orders of each client of which it is to be reminded now, the longest wait first. A client that was reminded today waits. */
async function dueAt(tx: OrdersTx, after: number, now: Date): Promise<WaitingOrder[][]> {
  // Coarser: a working day can begin a minute later.
  const before = now.getTime() - (after - 1) * DAY;
  const deliveries = await tx
    .createQueryBuilder(tx.deliveries, 'd')
    .where(`d.waitingParty = 'client' AND COALESCE(d.remindedAt, d.waitingSince) <= :before`, {
      before,
    })
    .orderBy('d.waitingSince')
    .getMany();
  const late = deliveries.filter(
    ({ remindedAt, waitingSince }) => workingDaysBetween(remindedAt ?? waitingSince!, now) >= after,
  );
  const waiting = await ordersOf(tx, late);
  const callers = Map.groupBy(waiting, ({ order }) => receiverOf(order));
  const due: WaitingOrder[][] = [];
  for (const own of callers.values())
    if (!(await isReminded(tx, own[0]!.order, now))) due.push(own);
  return due;
}

/** Callers who are no clients are reminded of their own order each. */
function receiverOf({ id, clientId }: Order): string {
  return isDirectClient({ id: clientId }) ? id : clientId;
}

async function ordersOf(
  tx: OrdersTx,
  deliveries: readonly DeliveryRecord[],
): Promise<WaitingOrder[]> {
  const ids = deliveries.map(({ orderId }) => orderId);
  const rows = ids.length === 0 ? [] : await tx.findBy(tx.orders, { id: oneOf(ids), state: 'won' });
  const orders = new Map(rows.map((order) => [order.id, order]));
  return deliveries.flatMap((delivery) => {
    const order = orders.get(delivery.orderId);
    return order ? { order, delivery } : [];
  });
}

/** Whether the client was reminded of another order today. */
async function isReminded(tx: OrdersTx, { clientId }: Order, now: Date): Promise<boolean> {
  if (isDirectClient({ id: clientId })) return false;
  const last = await tx
    .createQueryBuilder(tx.deliveries, 'd')
    .innerJoin(tx.orders, 'o', 'o.id = d.orderId')
    .where(`d.waitingParty = 'client' AND d.remindedAt IS NOT NULL`)
    .andWhere('o.clientId = :clientId', { clientId })
    .orderBy('d.remindedAt', 'DESC')
    .limit(1)
    .getOne();
  return last !== null && londonDay(last.remindedAt!) === londonDay(now);
}

/** To the client's contact: all of its orders that wait for it. */
export const waitingEmail: EmailKind = {
  code: 'waiting-for-client',
  name: 'Orders that wait for the client',
  about: 'order',
  to: 'client',
  words: readWords('waiting-for-client', import.meta.url),
  facts: waitingLetter,
};

/** @param id of one of the orders. Null where none waits any more, or the caller gave no address */
async function waitingLetter(all: Tx, id: string): Promise<EmailLetter | null> {
  const tx = liveOrders(all);
  const order = await tx.findOneBy(tx.orders, { id });
  if (!order) return null;
  const { contact, isDirect } = await recipientOf(tx, order);
  if (contact.email === null) return null;
  const deliveries = await tx
    .createQueryBuilder(tx.deliveries, 'd')
    .innerJoin(tx.orders, 'o', 'o.id = d.orderId')
    .where(`d.waitingParty = 'client' AND o.state = 'won'`)
    .andWhere(isDirect ? 'o.id = :own' : 'o.clientId = :own', {
      own: isDirect ? id : order.clientId,
    })
    .orderBy('d.waitingSince')
    .getMany();
  if (deliveries.length === 0) return null;
  const waiting = await ordersOf(tx, deliveries.slice(0, MOST_NAMED));
  const more = deliveries.length - waiting.length;
  return {
    contact,
    facts: {
      summary: counted(deliveries.length, 'order'),
      several: deliveries.length > 1,
      isDirect,
      orders: waiting.map(({ order: { reference, clientReference, postcode }, delivery }) => ({
        reference,
        clientReference,
        postcode,
        what: delivery.waitingWhat ?? '',
        since: londonTime(delivery.waitingSince!),
      })),
      more: more > 0 ? String(more) : null,
    },
  };
}
