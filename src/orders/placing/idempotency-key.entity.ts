import { Column, Entity, Index, PrimaryColumn, LessThan, LessThanOrEqual } from 'typeorm';
import { column } from '../../platform/database/columns.js';
import type { Tx } from '../../platform/database/engine/tx.js';

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

/** Deletes idempotency keys that were stored before then. @returns how many */
export async function pruneKeys(tx: Tx, before: Date, most: number): Promise<number> {
  const oldest = await tx.find(IdempotencyKey, {
    select: { clientId: true, key: true, createdAt: true },
    where: { createdAt: LessThan(before) },
    order: { createdAt: 'ASC' },
    take: most,
  });
  const last = oldest.at(-1);
  if (!last) return 0;
  const { affected } = await tx.delete(IdempotencyKey, {
    createdAt: LessThanOrEqual(last.createdAt),
  });
  return affected ?? oldest.length;
}
