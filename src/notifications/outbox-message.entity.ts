import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { column, optional } from '../database/columns.js';

export const messageStates = ['waiting', 'dead', 'delivered', 'discarded'] as const;
export type MessageState = (typeof messageStates)[number];

/**
 * Something that somebody has to be told, written in the transaction of what it tells. It holds no
 * personal data: what an email says is read when it is sent.
 */
@Entity({ name: 'outbox_messages' })
@Index('ix_outbox_messages_due', ['channel', 'state', 'dueAt'])
@Index('ux_outbox_messages_once', ['onceKey'], { unique: true })
export class OutboxMessage {
  /** UUID v7; the same in every attempt, as Message-ID or webhook-id. */
  @PrimaryColumn(column.uuid)
  id: string;

  /** The name of a registered channel. */
  @Column(column.text(16))
  channel: string;

  /** Which email, or the type of the webhook's event. */
  @Column(column.text(64))
  kind: string;

  /** Of the order, token or time of day that it is about. */
  @Column(column.text(64))
  subjectId: string;

  /** Where a webhook goes. */
  @Column(optional(column.uuid))
  endpointId: string | null;

  /** The body of a webhook, as it is signed. */
  @Column(optional(column.longText))
  body: string | null;

  /** What must be told only once has a key of its own. */
  @Column(optional(column.text(120)))
  onceKey: string | null;

  /** The request that it follows from, as a `traceparent`. */
  @Column(optional(column.text(55)))
  cause: string | null;

  @Column(column.text(16))
  state: MessageState;

  /**
   * When something is next due: the delivery of a waiting message, the end of a claimed one's lease,
   * the removal of a finished one.
   */
  @Column(column.instant)
  dueAt: Date;

  /** Whoever delivers it now. */
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

  /** What went wrong last. */
  @Column(optional(column.text(400)))
  lastError: string | null;
}
