import { Injectable } from '@nestjs/common';
import { oneOf } from '../../platform/database/engine/rows.js';
import type { StaffCaller } from '../../platform/access/caller.js';
import {
  type Actor,
  actorOf,
  type AuditEvent,
  AuditService,
} from '../../platform/audit/audit.service.js';
import { Clock } from '../../platform/kernel/clock.js';
import { londonDay } from '../../platform/kernel/working-hours.js';
import { ValidationFailed } from '../../platform/problems/problem.js';
import { openCancellationCharges } from '../charges/charge-steps.service.js';
import { ChargesService } from '../charges/charges.service.js';
import type { Mover } from '../moves/move-contents.js';
import { MovesService } from '../moves/moves.service.js';
import { orderMoved } from '../moves/plan-move.js';
import { OrderUndo } from '../moves/order-undo.entity.js';
import { UndoService } from '../moves/undo.service.js';
import type { DeliveryRecord } from '../record/delivery.entity.js';
import type { Order } from '../record/order.entity.js';
import { type Side, sides } from '../../platform/database/sides.js';
import { lockedOrder, type OrdersTx, lockingOrders, ordersOn } from '../record/order-tables.js';
import { OrderNotFound } from '../record/orders.errors.js';
import { addWords } from '../record/order-word.entity.js';
import { wordsOf } from '../record/search-words.js';
import type { FollowUpOrder } from '../staff/follow-up.dto.js';
import type { SeenOrder } from '../staff/moves.dto.js';
import { printOrders } from '../staff/print-order.js';
import {
  type DeliveryChange,
  type DeliveryPlan,
  type DeliveryRefusal,
  planDelivery,
} from './delivery-rules.js';
import { Transactions } from '../../platform/database/transactions.js';
import { MINUTE } from '../../platform/kernel/time.js';
import { OutboxService } from '../../platform/notifications/outbox.service.js';
import { milestoneCodes } from '../record/milestones.js';
import { publicStateOf } from '../record/public-state.js';

/** What staff and the operator's systems say of deliveries. */
@Injectable()
export class OrderDeliveriesService {
  constructor(
    private readonly moves: MovesService,
    private readonly charges: ChargesService,
    private readonly undos: UndoService,
    private readonly audit: AuditService,
    private readonly clock: Clock,
  ) {}

  /**
   * Changes the delivery of an accepted order as the caller saw it. A change that says what is so already changes nothing.
   * @throws {OrderNotFound | OrderMoved | ValidationFailed}
   */
  change(
    { orderId, version }: SeenOrder,
    change: DeliveryChange,
    caller: StaffCaller,
  ): Promise<FollowUpOrder> {
    return this.run({ orderId, version }, (tx, { delivery }) =>
      this.apply(tx, delivery, change, actorOf(caller), {
        version: version + 1,
        staffId: caller.staffId,
      }),
    );
  }

  /** Locks an accepted order as the caller saw it, and shows how the work leaves it. @throws {OrderNotFound | OrderMoved} */
  run(
    { orderId, version }: SeenOrder,
    work: (tx: OrdersTx, record: DeliveredRecord) => Promise<void>,
  ): Promise<FollowUpOrder> {
    return this.moves.run(async (tx) => {
      const record = await deliveryOf(tx, orderId);
      if (record.order.version !== version) throw await orderMoved(tx, record.order);
      await work(tx, record);
      const changed = await tx.findOneByOrFail(tx.orders, { id: orderId });
      return (await printOrders(tx, [changed], this.clock.now()))[0]!;
    });
  }

  /**
   * Changes a delivery whose order is locked.
   * @param undo who can take it back, and the version that it makes
   * @throws {ValidationFailed}
   */
  async apply(
    tx: OrdersTx,
    delivery: DeliveryRecord,
    change: DeliveryChange,
    actor: Actor,
    undo?: { readonly version: number; readonly staffId: string },
  ): Promise<void> {
    const now = this.clock.now();
    const plan = planDelivery(delivery, change, now, londonDay(now));
    if (plan === null) return;
    if (Array.isArray(plan))
      throw new ValidationFailed(plan.map((fault) => faultOf(fault, change)));
    await this.store(tx, delivery.orderId, plan.columns, plannedEvent(plan, actor));
    if (undo) await this.undos.offerDelivery(tx, delivery, plan.columns, undo);
    // A charge that is withdrawn ends the undo: its client is notified at once.
    if (plan.columns.liveOn !== null) await this.keepLive(tx, [delivery.orderId], actor);
  }

  /** Stores what changes in a delivery whose order is locked. */
  async store(
    tx: OrdersTx,
    orderId: string,
    columns: Partial<DeliveryRecord>,
    event: DeliveryEvent,
  ): Promise<void> {
    const now = this.clock.now();
    await this.touch(tx, [orderId], now);
    await tx.update(tx.deliveries, { orderId }, { ...columns, unreportedSince: now });
    await this.record(tx, [{ orderId, ...event }]);
  }

  /** Ends the delivery as its client has asked, and with it the order. */
  async cancel(tx: OrdersTx, order: Order, mover: Mover, note?: string): Promise<void> {
    await tx.update(tx.deliveries, { orderId: order.id }, { cancellationAskedAt: null });
    const move = { name: 'endDelivery', reason: 'client_request', note } as const;
    await this.moves.attempt(tx, order, move, mover);
  }

  /** A live service is no longer cancelled: what a cancellation would cost is withdrawn. */
  async keepLive(tx: OrdersTx, orderIds: readonly string[], actor: Actor): Promise<void> {
    if (orderIds.length === 0) return;
    for (const { id, orderId } of await openCancellationCharges(tx, orderIds, this.clock.now())) {
      await this.charges.withdraw(tx, orderId, id, actor);
    }
  }

  /** Stores that the orders have changed, for lists and for clients that poll. */
  async touch(tx: OrdersTx, ids: readonly string[], now: Date): Promise<number> {
    const version = () => 'version + 1';
    const columns = { version, lastEntryAt: now, publicStateAt: now };
    return (await tx.update(tx.orders, { id: oneOf(ids) }, columns)).affected ?? 0;
  }

  /** The audit entries of changes, and the words by which search finds them. */
  async record(
    tx: OrdersTx,
    events: readonly (DeliveryEvent & { readonly orderId: string })[],
  ): Promise<void> {
    await this.audit.record(
      tx,
      ...events.map(({ orderId, ...event }) => ({
        ...event,
        subject: [tx.subject, orderId] as const,
      })),
    );
    const words = events.map(({ orderId, details: { note = '', serviceId = '' } }) => ({
      orderId,
      words: wordsOf(`${note} ${serviceId}`),
    }));
    await addWords(tx, ...words);
  }
}

/** What the audit trail says of a change. */
export type DeliveryEvent = Pick<AuditEvent, 'action' | 'actor'> & Pick<DeliveryPlan, 'details'>;

export function plannedEvent({ details }: DeliveryPlan, actor: Actor): DeliveryEvent {
  return { action: 'delivery_changed', actor, details };
}

function faultOf({ field, code, day, detail }: DeliveryRefusal, { milestones }: DeliveryChange) {
  const at = (milestones ?? []).findIndex((milestone) => milestone.code === code);
  const pointer = code === undefined ? `/${field}` : `/milestones/${at}/${day}`;
  return { pointer, code: 'not-allowed', detail } as const;
}

interface DeliveredRecord {
  readonly order: Order;
  readonly delivery: DeliveryRecord;
}

/**
 * Locks an accepted order, and reads its delivery.
 * @throws {OrderNotFound | OrderMoved}
 */
export async function deliveryOf(tx: OrdersTx, orderId: string): Promise<DeliveredRecord> {
  const order = await lockedOrder(tx, { id: orderId });
  if (!order) throw new OrderNotFound();
  const delivery = order.state === 'won' && (await tx.findOneBy(tx.deliveries, { orderId }));
  if (delivery) return { order, delivery };
  throw await orderMoved(tx, order, 'Only an accepted order has a delivery.');
}

/** Milliseconds between two webhooks about one order. */
const BETWEEN = MINUTE;
/** Deliveries of one transaction. */
const MOST_AT_ONCE = 200;

/** Reports changed deliveries by webhook. Several instances may run at once: each change is reported once. */
@Injectable()
export class DeliveryNewsService {
  constructor(
    private readonly transactions: Transactions,
    private readonly outbox: OutboxService,
    private readonly clock: Clock,
  ) {}

  async report(): Promise<void> {
    await this.transactions.refuseClockAhead();
    for (const side of sides) {
      while ((await this.reportSome(side)) === MOST_AT_ONCE);
    }
  }

  /** @returns how many were due */
  private async reportSome(side: Side): Promise<number> {
    const now = this.clock.now();
    const due = await this.transactions.read((tx) => dueAt(ordersOn(tx, side), now));
    if (due.length > 0) {
      await this.transactions.run((tx) => this.add(ordersOn(tx, side), due, now));
    }
    return due.length;
  }

  private async add(tx: OrdersTx, due: readonly DeliveryRecord[], now: Date): Promise<void> {
    const ids = due.map(({ orderId }) => orderId);
    const rows = await lockingOrders(tx, ids).getMany();
    const orders = new Map(rows.map((order) => [order.id, order]));
    for (const delivery of due) {
      const { orderId, unreportedSince } = delivery;
      const unreported = { orderId, unreportedSince: unreportedSince! };
      const reported = { unreportedSince: null, reportedAt: now };
      const { affected } = await tx.update(tx.deliveries, unreported, reported);
      const order = orders.get(orderId);
      if (affected === 1 && order) await this.publish(tx, order, delivery);
    }
  }

  private publish(tx: OrdersTx, order: Order, delivery: DeliveryRecord): Promise<string[]> {
    const at = delivery.unreportedSince!;
    return this.outbox.publish(tx, deliveryEvent('order.delivery-changed', order, delivery, at));
  }
}

/** What a webhook says of a delivery. */
export function deliveryEvent(
  type: 'order.delivery-changed' | 'order.waiting',
  order: Order,
  { milestones, waitingParty }: DeliveryRecord,
  at: Date,
) {
  const done = milestoneCodes.filter((code) => milestones[code]?.doneOn != null);
  const delivery = { milestone: done.at(-1) ?? null, waitingFor: waitingParty };
  return { type, order, state: publicStateOf(order), delivery, at };
}

/** While the last change can be undone, its webhook waits. */
function dueAt(tx: OrdersTx, now: Date): Promise<DeliveryRecord[]> {
  return tx
    .createQueryBuilder(tx.deliveries, 'd')
    .where('d.unreportedSince IS NOT NULL')
    .andWhere('(d.reportedAt IS NULL OR d.reportedAt <= :before)', {
      before: now.getTime() - BETWEEN,
    })
    .andWhere((query) => {
      const open = query.subQuery().select('1').from(OrderUndo, 'u');
      return `NOT EXISTS ${open.where('u.orderId = d.orderId AND u.until > :now').getQuery()}`;
    })
    .setParameter('now', now.getTime())
    .orderBy('d.unreportedSince')
    .limit(MOST_AT_ONCE)
    .getMany();
}
