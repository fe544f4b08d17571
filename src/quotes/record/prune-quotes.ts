import { In } from 'typeorm';
import type { Tx } from '../../platform/database/engine/tx.js';
import { IdempotencyKey } from '../../orders/placing/idempotency-key.entity.js';
import { linesOf, packLines, Quote, type QuoteLine, quotesOn, TestQuote } from './quote.entity.js';
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
  if (quoteId === null) return 0;
  return (await eraseLines(tx, quoteId, (number) => number === quoteLine)).length;
}

/**
 * Erases what a quote says of some of its sites, and its texts that may name a person.
 * @param isErased by the number of the line, from 1
 * @returns the name of each text that it has erased, such as `notes` for each line with notes
 */
export async function eraseLines(
  tx: OrdersTx,
  quoteId: string,
  isErased: (number: number) => boolean,
): Promise<string[]> {
  const quote = await lockedQuote(tx, quoteId);
  if (!quote) return [];
  const lines = await linesOf(quote);
  const erased = [
    ...(['customer', 'clientReference'] as const).filter((name) => quote[name] !== null),
    ...lines.filter((_line, i) => isErased(i + 1)).flatMap(textsOf),
  ];
  const kept = lines.map((line, i) => (isErased(i + 1) ? withoutTexts(line) : line));
  const body = await packLines(kept.map((line) => JSON.stringify(line)));
  const blanks = { customer: null, clientReference: null, body };
  await tx.update(quotesOn(tx), { id: quote.id }, blanks);
  await eraseMessages(tx, quote.id);
  return erased;
}

/** What `withoutTexts` leaves out. */
function textsOf({ details, postcode, problem, ...line }: QuoteLine): string[] {
  return [
    ...(['site', 'notes', 'uprn'] as const).filter((name) => line[name] !== null),
    ...personalDetails(details),
    ...(problem && postcode !== '' ? ['postcode'] : []),
  ];
}

/** The postcode of a faulty row is any text. */
function withoutTexts(line: QuoteLine): QuoteLine {
  const { details, postcode, problem } = line;
  return {
    ...line,
    ...{ site: null, notes: null, uprn: null, details: withoutPersons(details) },
    postcode: problem ? '' : postcode,
  };
}

/** Locks the row first: two erasures at once would each write the body without the change of the other. */
export async function lockedQuote(tx: OrdersTx, id: string): Promise<Quote | null> {
  const unchanged = { customer: () => 'customer' };
  await tx.createQueryBuilder().update(quotesOn(tx)).set(unchanged).where({ id }).execute();
  return tx.findOneBy(quotesOn(tx), { id });
}
