import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { isDirectClient } from '../../clients/api-client.entity.js';
import { column, optional } from '../../platform/database/columns.js';
import { WithSandbox } from '../../platform/database/sides.js';
import { DAY } from '../../platform/kernel/time.js';
import type { Delivery } from './delivery.entity.js';
import type { OrderState } from './order-states.js';

export const MESSAGE_LENGTH = 2_000;
/** Days after the end of an order or enquiry in which both sides can still write. */
export const DAYS_TO_WRITE = 30;

/** The two sides of a conversation. A client reads no name of a member of staff. */
export type MessageSender = 'client' | 'operator';

/** The columns of a message about a live or a test order, or an enquiry. */
export abstract class MessageRecord {
  /** UUID v7. */
  @PrimaryColumn(column.uuid)
  id: string;

  /** Of the order or enquiry. */
  @Column(column.uuid)
  orderId: string;

  @Column(column.text(8))
  sender: MessageSender;

  /** Blanked once personal data of the order is erased. */
  @Column(column.longText)
  text: string;

  @Column(column.instant)
  at: Date;

  /** The client says that it has done what the delivery waits for. */
  @Column(column.boolean)
  answersWaiting: boolean;

  /** The staff member; null where the client or the sandbox wrote it. */
  @Column(optional(column.uuid))
  authorId: string | null;
}

/** What a client and the operator write to each other about an order or an enquiry. */
@WithSandbox()
@Entity({ name: 'messages' })
@Index('ix_messages_order', ['orderId', 'id'])
export class ConversationMessage extends MessageRecord {}

interface EndedOrder {
  readonly state: OrderState;
  readonly closedAt: Date | null;
}

/**
 * Until when both sides can write; null without an end. An accepted order ends when its service is live.
 * @param delivery of an accepted order
 */
export function writableUntil(
  { state, closedAt }: EndedOrder,
  delivery: Pick<Delivery, 'liveOn'> | null,
): Date | null {
  if (closedAt === null) return null;
  if (state !== 'won' || !delivery) return new Date(closedAt.getTime() + DAYS_TO_WRITE * DAY);
  const { liveOn } = delivery;
  // The days start on the day after.
  return liveOn === null ? null : new Date(Date.parse(liveOn) + (DAYS_TO_WRITE + 1) * DAY);
}

/** Why staff cannot write to the client; null if they can. @param to the client, and the email of the order's contact */
export function replyFault(
  order: EndedOrder,
  to: { readonly clientId: string; readonly email: string | null },
  delivery: Pick<Delivery, 'liveOn'> | null,
  now: Date,
): string | null {
  if (isDirectClient({ id: to.clientId }) && to.email === null) {
    return 'The caller gave no email address: call them.';
  }
  const until = writableUntil(order, delivery);
  return until !== null && until <= now
    ? `It ended more than ${DAYS_TO_WRITE} days ago: no more messages can be sent.`
    : null;
}
