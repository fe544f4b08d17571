import { Column, Entity, In, Index, MoreThan, PrimaryColumn } from 'typeorm';
import { column, optional } from '../../database/columns.js';

export const messageStates = ['waiting', 'dead', 'delivered', 'discarded'] as const;
export type MessageState = (typeof messageStates)[number];

/**
 * A notification, stored in the transaction of the change that it reports. It holds no personal data:
 * the facts of an email are read when it is sent.
 */
@Entity({ name: 'outbox_messages' })
// Covers the search for due messages, which passes over those of endpoints that are slowed down.
@Index('ix_outbox_messages_due', ['channel', 'forClient', 'state', 'dueAt', 'id', 'endpointId'])
@Index('ux_outbox_messages_once', ['onceKey'], { unique: true })
@Index('ix_outbox_messages_recipient_day', ['recipientDay', 'id'], {
  where: '"recipient_day" IS NOT NULL',
})
@Index('ix_outbox_messages_subject', ['subjectId'], { where: '"body" IS NOT NULL' })
export class OutboxMessage {
  /** UUID v7; the Message-ID or webhook-id of every attempt. */
  @PrimaryColumn(column.uuid)
  id: string;

  /** The name of a registered channel. */
  @Column(column.text(16))
  channel: string;

  /** The kind of email, or the type of the webhook's event. */
  @Column(column.text(64))
  kind: string;

  /** The order, token, time slot or batch of watches that it is about. */
  @Column(column.text(64))
  subjectId: string;

  /** Goes to a client or its customer. The operator's own messages have separate delivery slots. */
  @Column(column.boolean)
  forClient: boolean;

  @Column(optional(column.uuid))
  endpointId: string | null;

  /** The body of a webhook, as it is signed. */
  @Column(optional(column.longText))
  body: string | null;

  /** Unique, for messages that must be sent only once. */
  @Column(optional(column.text(120)))
  onceKey: string | null;

  /** A hash of recipient, kind and day: of an email that is bounded by them, from its delivery on. */
  @Column(optional(column.text(32)))
  recipientDay: string | null;

  /** Hashes of the recipients whose server has accepted it, once it has refused others. */
  @Column(optional(column.longText))
  receivedBy: string | null;

  @Column(column.text(16))
  state: MessageState;

  /** When a waiting message is delivered, a claimed one's lease ends, or a finished one is removed. */
  @Column(column.instant)
  dueAt: Date;

  /** Identifies the current lease. */
  @Column(optional(column.uuid))
  claim: string | null;

  @Column(column.integer)
  attempts: number;

  @Column(column.instant)
  createdAt: Date;

  /** When an undelivered message becomes a dead letter. */
  @Column(column.instant)
  giveUpAt: Date;

  @Column(optional(column.instant))
  finishedAt: Date | null;

  @Column(optional(column.text(400)))
  lastError: string | null;
}

/**
 * The messages about these subjects that have a body. From the comparison, SQLite knows that it may use the partial
 * index; it does not from `NOT (body IS NULL)`.
 */
export function withBodyAbout(...subjectIds: readonly string[]) {
  return { subjectId: In(subjectIds), body: MoreThan('') };
}
