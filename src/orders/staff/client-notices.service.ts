import { Injectable } from '@nestjs/common';
import { Transactions } from '../../platform/database/transactions.js';
import { OutboxService } from '../../platform/notifications/outbox.service.js';
import { WebhooksService } from '../../platform/notifications/webhooks.service.js';
import { Order } from '../record/order.entity.js';
import { recipientOf } from '../record/recipient.js';

/** Knows whether the client of an order receives news of it. Where it does not, staff have to call. */
@Injectable()
export class ClientNoticesService {
  constructor(
    private readonly transactions: Transactions,
    private readonly outbox: OutboxService,
    private readonly webhooks: WebhooksService,
  ) {}

  /** Whether the client's own webhook, or an email of this kind, reaches it. */
  async reach(orderId: string, kind: string): Promise<boolean> {
    return this.transactions.read(async (tx) => {
      const order = await tx.findOneByOrFail(Order, { id: orderId });
      const listeners = this.webhooks.listeners(order.clientId);
      if (listeners.some(({ clientId }) => clientId === order.clientId)) return true;
      return this.outbox.sends(kind) && (await recipientOf(tx, order)).contact.email !== null;
    });
  }
}
