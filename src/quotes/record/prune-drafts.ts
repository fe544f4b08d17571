import { In } from 'typeorm';
import type { Tx } from '../../platform/database/engine/tx.js';
import { DAY } from '../../platform/kernel/time.js';
import { QuoteDraft } from './quote-draft.entity.js';

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
