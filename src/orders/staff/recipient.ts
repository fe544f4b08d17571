import { ApiClient, contactOfClient, isDirectClient } from '../../clients/api-client.entity.js';
import type { Tx } from '../../platform/database/engine/tx.js';
import type { ContactDetails } from '../../platform/notifications/messages/email-parts.js';
import type { Order } from '../record/order.entity.js';

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
