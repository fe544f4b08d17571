import { ApiClient } from '../../clients/api-client.entity.js';
import type { NamesOf } from '../../platform/audit/audit-names.service.js';
import { oneOf } from '../../platform/database/engine/rows.js';
import type { Tx } from '../../platform/database/engine/tx.js';
import type { EmailKind } from '../../platform/notifications/messages/email-kinds.service.js';
import { LIVE } from '../../platform/database/sides.js';
import { severalLines } from '../../platform/notifications/messages/email-parts.js';
import { readWords } from '../../platform/notifications/messages/email-words.js';
import { WebhookEndpoint } from '../../platform/notifications/webhook-endpoint.entity.js';
import { ConversationMessage, type MessageSender } from '../record/message.entity.js';
import { Order } from '../record/order.entity.js';
import { recipientOf } from '../staff/recipient.js';

/** What the operator writes goes to the client, and what a client writes to the sales inbox, as a new order does. */
export const messageEmails: readonly EmailKind[] = [
  messageEmail('message-sent', 'Message to a client', 'operator'),
  messageEmail('message-received', 'Message from a client', 'client'),
];

function messageEmail(code: string, name: string, from: MessageSender): EmailKind {
  const to = from === 'operator' ? 'client' : 'sales';
  return {
    code,
    name,
    about: 'message',
    to,
    words: readWords(code, import.meta.url),
    newsOf: (event) =>
      'message' in event && event.message.from === from ? { subjectId: event.message.id } : null,
    facts: async (tx, id) => {
      const message = await tx.findOneBy(ConversationMessage, { id });
      const order = message && (await tx.findOneBy(Order, { id: message.orderId }));
      if (!order || (to === 'client' && !(await isWanted(tx, order)))) return null;
      const { contact, company, isDirect } = await recipientOf(tx, order);
      if (to === 'client' && contact.email === null) return null;
      const { reference, clientReference, postcode, kind } = order;
      const text = severalLines(message.text);
      const shared = { reference, clientReference, postcode, kind, text };
      const facts = { ...shared, ...(to === 'client' ? { isDirect } : { company }) };
      return { contact, facts };
    },
  };
}

/** Whether the client has not switched them off, or has no webhook that reports the message. */
async function isWanted(tx: Tx, { clientId }: Order): Promise<boolean> {
  if (await tx.existsBy(ApiClient, { id: clientId, messageEmails: 'on' })) return true;
  return !(await tx.existsBy(WebhookEndpoint, { clientId, ...LIVE, enabled: true }));
}

/** The references of the orders of live messages, for the list of notifications. */
export const messageNames: NamesOf = async (tx, ids) => {
  const messages = await tx.findBy(ConversationMessage, { id: oneOf(ids) });
  const orders = await tx.findBy(Order, { id: oneOf(messages.map(({ orderId }) => orderId)) });
  const references = new Map(orders.map(({ id, reference }) => [id, reference]));
  return new Map(
    messages.map(({ id, orderId }) => [
      id,
      `message about ${references.get(orderId) ?? 'an order'}`,
    ]),
  );
};
