import { LessThan, LessThanOrEqual } from 'typeorm';
import type { Tx } from '../../platform/database/engine/tx.js';
import { IdempotencyKey } from './idempotency-key.entity.js';

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
