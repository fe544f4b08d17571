import { LIVE } from '../../platform/database/sides.js';
import { Injectable } from '@nestjs/common';
import { type ApiClient, isDirectClient } from '../../clients/api-client.entity.js';
import { Transactions } from '../../platform/database/transactions.js';
import { OutboxService } from '../../platform/notifications/outbox.service.js';
import { WebhooksService } from '../../platform/notifications/webhooks.service.js';
import { Order } from '../record/order.entity.js';
import { recipientOf } from './recipient.js';

/** Knows whether a client receives news. Where it does not, staff have to call. */
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
      if (this.hasWebhook(order.clientId)) return true;
      return this.outbox.sends(kind) && (await recipientOf(tx, order)).contact.email !== null;
    });
  }

  /** Whether the client's own webhook, or an email of this kind to its contact, reaches it. */
  reachClient(client: Pick<ApiClient, 'id' | 'contactEmail'>, kind: string): boolean {
    if (isDirectClient(client)) return false;
    return this.hasWebhook(client.id) || (client.contactEmail !== '' && this.outbox.sends(kind));
  }

  private hasWebhook(id: string): boolean {
    return this.webhooks.listeners(id, LIVE).some(({ clientId }) => clientId === id);
  }
}
