import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { column } from '../../platform/database/columns.js';

/** The response to the order that an API client sent with this key. */
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

  @Column(column.uuid)
  orderId: string;

  @Column(column.text(400))
  message: string;

  @Column(column.instant)
  createdAt: Date;
}
