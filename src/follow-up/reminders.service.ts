import { Injectable } from '@nestjs/common';
import { In } from 'typeorm';
import { ApiClient } from '../clients/api-client.entity.js';
import { Clock } from '../common/clock.js';
import { Config } from '../config.js';
import { Transactions, type Tx } from '../database/transactions.js';
import { DeliveryService } from '../notifications/delivery.service.js';
import { LetterSources } from '../notifications/letter-sources.js';
import type { ReminderFacts } from '../notifications/letters.js';
import { Outbox } from '../notifications/outbox.service.js';
import { reminderSlot } from '../notifications/reminder-times.js';
import { Order } from '../orders/order.entity.js';

/** Orders that a reminder names; it counts the others. */
const MOST_NAMED = 20;

/** Reminds the sales inbox, at the times of the settings, of what waits. */
@Injectable()
export class RemindersService {
  constructor(
    delivery: DeliveryService,
    sources: LetterSources,
    private readonly outbox: Outbox,
    private readonly transactions: Transactions,
    private readonly clock: Clock,
    private readonly config: Config,
  ) {
    sources.register('reminder', (tx) => this.facts(tx));
    delivery.regularly(() => this.remind());
  }

  /** Adds the reminder of the present time of day, once, if there is something to say. */
  async remind(): Promise<void> {
    const slot = reminderSlot(this.clock.now(), this.config.reminderTimes);
    if (slot === null || !this.outbox.sends('reminder')) return;
    const facts = await this.transactions.read((tx) => this.facts(tx));
    if (facts) await this.outbox.tellOnce('reminder', slot, slot);
  }

  private async facts(tx: Tx): Promise<ReminderFacts | null> {
    const [orders, total] = await tx.findAndCount(Order, {
      where: { state: 'waiting' },
      order: { receivedAt: 'ASC', id: 'ASC' },
      take: MOST_NAMED,
    });
    if (total === 0) return null;
    const ids = [...new Set(orders.map(({ clientId }) => clientId))];
    const clients = new Map(
      (await tx.findBy(ApiClient, { id: In(ids) })).map(({ id, name }) => [id, name]),
    );
    const now = this.clock.now();
    return {
      groups: [
        {
          heading: 'Orders waiting',
          total,
          items: orders.map(
            (order) =>
              `${order.reference}, ${order.postcode}, ${order.productName}, ${clients.get(order.clientId) ?? ''}: received ${age(order.receivedAt, now)} ago`,
          ),
        },
      ],
    };
  }
}

function age(since: Date, now: Date): string {
  const minutes = Math.floor((now.getTime() - since.getTime()) / 60_000);
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  return hours < 24
    ? `${hours} h ${minutes % 60} min`
    : `${Math.floor(hours / 24)} d ${hours % 24} h`;
}
