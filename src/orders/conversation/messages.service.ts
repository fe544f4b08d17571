import { Injectable } from '@nestjs/common';
import { MoreThan } from 'typeorm';
import { actorOf } from '../../platform/audit/audit.service.js';
import type { ClientCaller } from '../../platform/access/caller.js';
import { Transactions } from '../../platform/database/transactions.js';
import { oldestFirst, page } from '../../platform/http/paging.js';
import type { PageQuery } from '../../platform/http/paging.dto.js';
import { newId } from '../../platform/database/new-id.js';
import { Clock } from '../../platform/kernel/clock.js';
import { DAY, HOUR, SECOND } from '../../platform/kernel/time.js';
import { refuseExceeded, secondsOf } from '../../platform/limits/count-window.js';
import { OrderDeliveriesService } from '../delivery/order-deliveries.service.js';
import { OrderChangesService } from '../moves/order-changes.service.js';
import { MovesService } from '../moves/moves.service.js';
import { fingerprintOf, onceFor, type Replayed } from '../placing/idempotency.js';
import type { DeliveryRecord } from '../record/delivery.entity.js';
import {
  DAYS_TO_WRITE,
  type MessageRecord,
  writableUntil,
  ConversationMessage,
  type MessageSender,
} from '../record/message.entity.js';
import { Order } from '../record/order.entity.js';
import type { WorkKind } from '../record/order-states.js';
import { ordersOn, type OrdersTx } from '../record/order-tables.js';
import { ConversationEnded, NotWaiting } from '../record/orders.errors.js';
import { publicStateOf } from '../record/public-state.js';
import { ownOrder } from '../views/client-orders.service.js';
import type { Message, MessagePage, MessageReceipt, NewMessage } from './messages.dto.js';
import { ApiClient } from '../../clients/api-client.entity.js';
import type { Tx } from '../../platform/database/engine/tx.js';
import type { EmailKind } from '../../platform/notifications/messages/email-kinds.service.js';
import { LIVE } from '../../platform/database/sides.js';
import { severalLines } from '../../platform/notifications/messages/email-parts.js';
import { readWords } from '../../platform/notifications/messages/email-words.js';
import { WebhookEndpoint } from '../../platform/notifications/webhook-endpoint.entity.js';
import { recipientOf } from '../staff/client-notices.service.js';

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

/** Messages of a client about one order or enquiry in 24 hours. */
const MOST_A_DAY = 50;

/** Of an order or enquiry, which the client names. */
export interface WrittenAbout {
  readonly kind: WorkKind;
  readonly id: string;
}

/** What API clients write to the operator, and read. */
@Injectable()
export class MessagesService {
  constructor(
    private readonly transactions: Transactions,
    private readonly moves: MovesService,
    private readonly changes: OrderChangesService,
    private readonly deliveries: OrderDeliveriesService,
    private readonly clock: Clock,
  ) {}

  /**
   * Stores the message, and makes the order due for staff.
   * @throws {OrderNotFound | EnquiryNotFound | ConversationEnded | NotWaiting | RateLimited}
   * @throws {RequestInProgress | IdempotencyKeyReused}
   */
  async receive(
    { kind, id }: WrittenAbout,
    { text, answersWaiting: answers }: NewMessage,
    key: string | undefined,
    client: ClientCaller,
  ): Promise<MessageReceipt & Replayed> {
    const answersWaiting = answers === true;
    const { result, replayed } = await onceFor<MessageReceipt>(this.transactions, client, {
      key,
      fingerprint: fingerprintOf({ kind: `${kind} message`, id, text, answersWaiting }),
      repeat: (_tx, { answer }) => {
        const { messageId, at } = answer as { messageId: string; at: string };
        return Promise.resolve({ messageId, at: new Date(at) });
      },
      make: async (tx) => {
        const order = await ownOrder(tx, kind, id, client, 'lock');
        const delivery = await tx.findOneBy(tx.deliveries, { orderId: id });
        await this.permit(tx, order, delivery);
        const seen = answersWaiting ? await this.handBack(tx, order, delivery, client) : order;
        const mover = { kind: 'client', id: client.clientId, name: client.name } as const;
        const messageId = newId();
        const { tokenId: token } = client;
        const move = { name: 'hear', messageId, text, answersWaiting, token } as const;
        const heard = await this.moves.attempt(tx, seen, move, mover);
        // The row is locked: no one moves the order meanwhile.
        const at = heard!.lastEntryAt;
        const receipt = { messageId, at };
        return { result: receipt, kept: { subjectId: id, answer: receipt, createdAt: at } };
      },
    });
    if (!replayed) this.changes.notifyPages(client);
    return { ...result, replayed };
  }

  /** Oldest first. @throws {OrderNotFound | EnquiryNotFound} */
  list({ kind, id }: WrittenAbout, asked: PageQuery, client: ClientCaller): Promise<MessagePage> {
    return this.transactions.read(async (all) => {
      const tx = ordersOn(all, client);
      await ownOrder(tx, kind, id, client);
      const query = tx
        .createQueryBuilder(tx.messages, 'm')
        .where('m.orderId = :orderId', { orderId: id });
      const rows = await oldestFirst(query, 'm.at', asked);
      return page(rows, asked.limit, (row) => row, printMessage);
    });
  }

  /** @throws {ConversationEnded | RateLimited} */
  private async permit(tx: OrdersTx, order: Order, delivery: DeliveryRecord | null): Promise<void> {
    const now = this.clock.now();
    const { id: orderId, kind } = order;
    const until = writableUntil(order, delivery);
    if (until !== null && until <= now) {
      throw new ConversationEnded(kind, publicStateOf(order), DAYS_TO_WRITE);
    }
    const [first] = await tx.find(tx.messages, {
      where: { orderId, sender: 'client', at: MoreThan(new Date(now.getTime() - DAY)) },
      order: { id: 'DESC' },
      skip: MOST_A_DAY - 1,
      take: 1,
    });
    if (!first) return;
    const reset = secondsOf(first.at.getTime() + DAY - now.getTime());
    refuseExceeded({
      exceeded: true,
      limit: `${MOST_A_DAY} messages a day on one ${kind}`,
      // Clients wait for an hour at most.
      reset: Math.min(reset, HOUR / SECOND),
      policy: `"messages";q=${MOST_A_DAY};w=${DAY / SECOND}`,
      state: `"messages";r=0;t=${reset}`,
    });
  }

  /** The delivery waits for the operator from now on. @throws {NotWaiting} */
  private async handBack(
    tx: OrdersTx,
    order: Order,
    delivery: DeliveryRecord | null,
    client: ClientCaller,
  ): Promise<Order> {
    if (order.state !== 'won' || delivery?.waitingParty !== 'client') throw new NotWaiting();
    const waitingFor = { party: 'operator', what: "Read the client's answer." } as const;
    await this.deliveries.apply(tx, delivery, { waitingFor }, actorOf(client));
    return tx.findOneByOrFail(tx.orders, { id: order.id });
  }
}

export function printMessage(row: MessageRecord): Message {
  const { id: messageId, sender: from, text, at, answersWaiting } = row;
  return { messageId, at, from, text, answersWaiting };
}
