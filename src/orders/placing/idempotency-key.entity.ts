import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { column } from '../../platform/database/columns.js';

/** The response to the order, enquiry or quote that an API client sent with this key. */
@Entity({ name: 'idempotency_keys' })
@Index('ix_idempotency_keys_created_at', ['createdAt'])
export class IdempotencyKey {
  @PrimaryColumn(column.uuid)
  clientId: string;

  @PrimaryColumn(column.text(255))
  key: string;

  /** SHA-256 of the canonical body, hexadecimal. */
  @Column(column.text(64))
  fingerprint: string;

  /** The order or enquiry that was stored, or the quote. */
  @Column(column.uuid)
  subjectId: string;

  /** The response to repeat. That to a new quote lacks `duplicates`, which its lines tell. */
  @Column(column.json)
  answer: object;

  @Column(column.instant)
  createdAt: Date;
}
