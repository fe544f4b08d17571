import { In } from 'typeorm';
import { IdempotencyKey } from '../../orders/placing/idempotency-key.entity.js';
import type { Tx } from '../../platform/database/engine/tx.js';
import { SANDBOX, tableOn } from '../../platform/database/sides.js';
import { Quote } from './quote.entity.js';
import { DAY } from '../../platform/kernel/time.js';
import { QuoteDraft } from './quote-draft.entity.js';

/** Deletes quotes that ended before then, with their keys. @returns how many, at most `most` */
export function pruneQuotes(tx: Tx, before: Date, most: number): Promise<number> {
  return deleteOldest(tx, Quote, 'validUntil', before, most);
}

/** Those of the sandbox that were made before then. @returns how many it deleted */
export function pruneTestQuotes(tx: Tx, before: Date, most: number): Promise<number> {
  return deleteOldest(tx, tableOn(Quote, SANDBOX), 'createdAt', before, most);
}

async function deleteOldest(
  tx: Tx,
  entity: new () => Quote,
  column: 'validUntil' | 'createdAt',
  before: Date,
  most: number,
): Promise<number> {
  const found = await tx
    .createQueryBuilder(entity, 'q')
    .select(['q.id', 'q.clientId'])
    .where(`q.${column} < :before`, { before: before.getTime() })
    .orderBy(`q.${column}`, 'ASC')
    .limit(most)
    .getMany();
  const ids = In(found.map(({ id }) => id));
  await tx.delete(IdempotencyKey, {
    clientId: In(found.map(({ clientId }) => clientId)),
    subjectId: ids,
  });
  await tx.delete(entity, { id: ids });
  return found.length;
}

/** Those of the catalogue versions whose terms a quote still holds. */
export async function versionsInQuotes(tx: Tx, numbers: readonly number[]): Promise<number[]> {
  const rows = await tx
    .createQueryBuilder(Quote, 'q')
    .select('DISTINCT q.catalogueVersion', 'version')
    .where('q.catalogueVersion IN (:...numbers)', { numbers })
    .getRawMany<{ version: number }>();
  return rows.map(({ version }) => Number(version));
}

/** Days for which a draft is kept after its last change. One that was sent goes a day after that. */
export const DRAFT_DAYS = 14;

/** @returns how many drafts it deleted, at most `most` */
export async function pruneDrafts(tx: Tx, before: Date, most: number): Promise<number> {
  const sentBefore = before.getTime() + (DRAFT_DAYS - 1) * DAY;
  const found = await tx
    .createQueryBuilder(QuoteDraft, 'd')
    .select('d.id')
    .where('d.updatedAt < :before', { before: before.getTime() })
    .orWhere('d.quoteId IS NOT NULL AND d.updatedAt < :sentBefore', { sentBefore })
    .orderBy('d.updatedAt', 'ASC')
    .limit(most)
    .getMany();
  if (found.length > 0) {
    await tx.delete(QuoteDraft, { id: In(found.map(({ id }) => id)) });
  }
  return found.length;
}
