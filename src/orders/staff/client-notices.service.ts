import { LIVE } from '../../platform/database/sides.js';
import { Injectable } from '@nestjs/common';
import { ApiClient, isDirectClient, contactOfClient } from '../../clients/api-client.entity.js';
import { Transactions } from '../../platform/database/transactions.js';
import { OutboxService } from '../../platform/notifications/outbox.service.js';
import { WebhooksService } from '../../platform/notifications/webhooks.service.js';
import { Order } from '../record/order.entity.js';
import type { Tx } from '../../platform/database/engine/tx.js';
import type { ContactDetails } from '../../platform/notifications/messages/email-parts.js';

/** Who receives the emails about the money of an order or an enquiry. */
export interface Recipient {
  /** Of a caller who is no client, and has no access to the API. */
  readonly isDirect: boolean;
  /** The name of the API client. */
  readonly company: string;
  /** Its email is null where such a caller gave none. */
  readonly contact: ContactDetails;
}

type OrderOfClient = Pick<Order, 'clientId' | 'contactName' | 'contactEmail' | 'contactPhone'>;

/**
 * The contact of the API client. The contact of its order or enquiry may be its own customer, who must not
 * learn what the client pays. Only a caller who is no client is the contact of the order.
 */
export async function recipientOf(tx: Tx, order: OrderOfClient): Promise<Recipient> {
  const client = await tx.findOneBy(ApiClient, { id: order.clientId });
  const { contactName: name, contactEmail: email, contactPhone: phone } = order;
  const isDirect = isDirectClient({ id: order.clientId });
  return {
    isDirect,
    company: client?.name ?? '',
    contact: isDirect ? { name, email, phone } : contactOfClient(client),
  };
}

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
