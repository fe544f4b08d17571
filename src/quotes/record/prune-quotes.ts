import { In } from 'typeorm';
import type { Tx } from '../../platform/database/engine/tx.js';
import { IdempotencyKey } from '../../orders/placing/idempotency-key.entity.js';
import { Quote, TestQuote, linesOf, packLines, quotesOn } from './quote.entity.js';
import { personalDetails, withoutPersons } from '../../orders/record/site-details.dto.js';
import { eraseMessages } from '../../orders/erasure.service.js';
import type { Order } from '../../orders/record/order.entity.js';
import type { OrdersTx } from '../../orders/record/order-tables.js';

/** Deletes quotes that ended before then, with their keys. @returns how many, at most `most` */
export function pruneQuotes(tx: Tx, before: Date, most: number): Promise<number> {
  return deleteOldest(tx, Quote, 'validUntil', before, most);
}

/** Those of the sandbox that were made before then. @returns how many it deleted */
export function pruneTestQuotes(tx: Tx, before: Date, most: number): Promise<number> {
  return deleteOldest(tx, TestQuote, 'createdAt', before, most);
}

async function deleteOldest(
  tx: Tx,
  entity: typeof Quote,
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
    orderId: ids,
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

/**
 * Erases what the quote of an order says of its site, and the texts of the quote that may name a person. What was
 * quoted stays.
 * @returns how many texts it has erased
 */
export async function eraseLine(
  tx: OrdersTx,
  { quoteId, quoteLine }: Pick<Order, 'quoteId' | 'quoteLine'>,
): Promise<number> {
  const quote = quoteId === null ? null : await lockedQuote(tx, quoteId);
  if (!quote) return 0;
  const lines = await linesOf(quote);
  const line = lines[quoteLine! - 1]!;
  const { site, notes, uprn, details } = line;
  const texts = [site, notes, uprn, quote.customer, quote.clientReference];
  const erased = texts.filter((text) => text !== null).length + personalDetails(details).length;
  const kept = lines.with(quoteLine! - 1, {
    ...line,
    ...{ site: null, notes: null, uprn: null, details: withoutPersons(details) },
  });
  const body = await packLines(kept.map((line) => JSON.stringify(line)));
  const blanks = { customer: null, clientReference: null, body };
  await tx.update(quotesOn(tx), { id: quote.id }, blanks);
  await eraseMessages(tx, quote.id);
  return erased;
}

/** Locks the row first: two erasures at once would each write the body without the change of the other. */
async function lockedQuote(tx: OrdersTx, id: string): Promise<Quote | null> {
  const unchanged = { customer: () => 'customer' };
  await tx.createQueryBuilder().update(quotesOn(tx)).set(unchanged).where({ id }).execute();
  return tx.findOneBy(quotesOn(tx), { id });
}
