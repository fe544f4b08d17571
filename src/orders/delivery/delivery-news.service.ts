import { Injectable } from '@nestjs/common';
import { Transactions } from '../../platform/database/transactions.js';
import { Clock } from '../../platform/kernel/clock.js';
import { MINUTE } from '../../platform/kernel/time.js';
import { OutboxService } from '../../platform/notifications/outbox.service.js';
import type { DeliveryRecord } from '../record/delivery.entity.js';
import { milestoneCodes } from '../record/milestones.js';
import type { Order } from '../record/order.entity.js';
import {
  LIVE,
  lockingOrders,
  ordersOn,
  type OrderSide,
  type OrdersTx,
} from '../record/order-tables.js';
import { publicStateOf } from '../record/public-state.js';

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
    for (const side of [LIVE, { isTest: true }]) {
      while ((await this.reportSome(side)) === MOST_AT_ONCE);
    }
  }

  /** @returns how many were due */
  private async reportSome(side: OrderSide): Promise<number> {
    const now = this.clock.now();
    const due = await this.transactions.read((tx) => dueAt(ordersOn(side).within(tx), now));
    if (due.length > 0) {
      await this.transactions.run((tx) => this.add(ordersOn(side).within(tx), due, now));
    }
    return due.length;
  }

  private async add(tx: OrdersTx, due: readonly DeliveryRecord[], now: Date): Promise<void> {
    const ids = due.map(({ orderId }) => orderId);
    const found = await lockingOrders(tx, ids).getMany();
    const orders = new Map(found.map((order) => [order.id, order]));
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
    const { milestones, waitingParty } = delivery;
    const done = milestoneCodes.filter((code) => milestones[code]?.doneOn != null);
    return this.outbox.publish(tx, {
      type: 'order.delivery-changed',
      order,
      state: publicStateOf(order),
      delivery: { milestone: done.at(-1) ?? null, waitingFor: waitingParty },
      at: delivery.unreportedSince!,
      isTest: tx.isTest,
    });
  }
}

function dueAt(tx: OrdersTx, now: Date): Promise<DeliveryRecord[]> {
  return tx
    .createQueryBuilder(tx.deliveries, 'd')
    .where('d.unreportedSince IS NOT NULL')
    .andWhere('(d.reportedAt IS NULL OR d.reportedAt <= :before)', {
      before: now.getTime() - BETWEEN,
    })
    .orderBy('d.unreportedSince')
    .limit(MOST_AT_ONCE)
    .getMany();
}
