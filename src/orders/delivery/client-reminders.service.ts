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
import { DAY, HOUR } from '../../platform/kernel/time.js';
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
import { recipientOf } from '../staff/client-notices.service.js';
import { deliveryEvent } from './order-deliveries.service.js';

/** Hour in London before which no client is reminded. */
const FIRST_HOUR = 9;
/** Orders of one email; it counts the others. */
const MOST_NAMED = 50;

/** An order that waits for its client. */
interface WaitingOrder extends DeliveryRecord {
  readonly order: Pick<Order, (typeof namingColumns)[number]>;
}

/** Of an order, all that is read of each one that waits. */
const namingColumns = ['id', 'clientId', 'reference', 'clientReference', 'postcode'] as const;

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
      const receivers = await this.transactions.read((tx) =>
        lateIn(ordersOn(tx, side), after, now),
      );
      for (const of of receivers) {
        const due = await this.transactions.read((tx) => dueAt(ordersOn(tx, side), of, after, now));
        if (due.length === 0) continue;
        reminded += await this.moves.runOn(side, (tx) => this.remindOf(tx, due, now));
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
    for (const delivery of due) {
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

/** Whose orders wait: a client's, or the one of a caller who is none. */
type Receiver = Partial<Pick<Order, 'id' | 'clientId'>>;

/** Who may have waited for `after` working days: the days between the first and the last are whole ones. */
async function lateIn(tx: OrdersTx, after: number, now: Date): Promise<Receiver[]> {
  // A day in March has 23 hours.
  const since = now.getTime() - (after - 1) * DAY + HOUR;
  const rows = await tx
    .createQueryBuilder(tx.deliveries, 'd')
    .innerJoin(tx.orders, 'o', `o.id = d.orderId AND o.state = 'won'`)
    .select(['o.id AS id', 'o.clientId AS "clientId"'])
    .where(`d.waitingParty = 'client' AND COALESCE(d.remindedAt, d.waitingSince) < :since`, {
      since,
    })
    .orderBy('d.waitingSince')
    .getRawMany<Pick<Order, 'id' | 'clientId'>>();
  const receivers = new Map(
    rows.map(({ id, clientId }): [string, Receiver] =>
      isDirectClient({ id: clientId }) ? [id, { id }] : [clientId, { clientId }],
    ),
  );
  return [...receivers.values()];
}

/** The orders of which it is to be reminded now, the longest wait first: none where it was reminded today. */
async function dueAt(
  tx: OrdersTx,
  of: Receiver,
  after: number,
  now: Date,
): Promise<WaitingOrder[]> {
  const waiting = await waitingForClient(tx, of);
  const isReminded = waiting.some(
    ({ remindedAt }) => remindedAt !== null && londonDay(remindedAt) === londonDay(now),
  );
  if (isReminded) return [];
  return waiting.filter(
    ({ remindedAt, waitingSince }) => workingDaysBetween(remindedAt ?? waitingSince!, now) >= after,
  );
}

/** The longest wait first. */
function waitingForClient(tx: OrdersTx, of: Receiver): Promise<WaitingOrder[]> {
  const query = tx
    .createQueryBuilder(tx.deliveries, 'd')
    .innerJoinAndMapOne('d.order', tx.orders, 'o', `o.id = d.orderId AND o.state = 'won'`)
    .select(['d', ...namingColumns.map((name) => `o.${name}`)])
    .where(`d.waitingParty = 'client'`)
    .orderBy('d.waitingSince');
  for (const [name, value] of Object.entries(of))
    query.andWhere(`o.${name} = :own`, { own: value });
  return query.getMany() as Promise<DeliveryRecord[]> as Promise<WaitingOrder[]>;
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
  const { clientId } = order;
  const waiting = await waitingForClient(tx, isDirect ? { id } : { clientId });
  if (waiting.length === 0) return null;
  const more = waiting.length - MOST_NAMED;
  return {
    contact,
    facts: {
      summary: counted(waiting.length, 'order'),
      several: waiting.length > 1,
      isDirect,
      orders: waiting.slice(0, MOST_NAMED).map(({ order, waitingWhat, waitingSince }) => ({
        reference: order.reference,
        clientReference: order.clientReference,
        postcode: order.postcode,
        what: waitingWhat ?? '',
        since: londonTime(waitingSince!),
      })),
      more: more > 0 ? String(more) : null,
    },
  };
}
