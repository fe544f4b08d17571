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

  /** Of the request that was stored, or of the quote. */
  @Column(column.uuid)
  orderId: string;

  /** To be sent again; of requests from a quote, what they are found by. */
  @Column(column.text(400))
  message: string;

  @Column(column.instant)
  createdAt: Date;
}
