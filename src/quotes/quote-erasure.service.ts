import { Injectable } from '@nestjs/common';
import { In, Not } from 'typeorm';
import { eraseMessages, keptKeys } from '../orders/erasure.service.js';
import type { Order } from '../orders/record/order.entity.js';
import { ordersOn, type OrdersTx } from '../orders/record/order-tables.js';
import { personalDetails, withoutPersons } from '../orders/record/site-details.dto.js';
import { type Actor, AuditService } from '../platform/audit/audit.service.js';
import { findOn, tableOn } from '../platform/database/sides.js';
import { Transactions } from '../platform/database/transactions.js';
import { byIdOrReference } from '../platform/kernel/uuid.js';
import { Refused } from '../platform/problems/refused.js';
import { QuoteDraft } from './record/quote-draft.entity.js';
import { linesOf, packLines } from './record/packed-lines.js';
import { Quote, type QuoteLine } from './record/quote.entity.js';

export interface ErasedQuote {
  /** Of the quote. */
  readonly reference: string;
  /** The fields that were not empty. */
  readonly fields: readonly string[];
  /** What stays, in words. */
  readonly kept: readonly string[];
  /** References of its orders and enquiries, which keep theirs. */
  readonly orders: readonly string[];
  /** References of quotes of its API client with the same customer or reference, such as copies: they keep theirs. */
  readonly quotes: readonly string[];
}

/** Erases personal data of quotes, whether or not their lines were ordered. What was quoted stays for reports. */
@Injectable()
export class QuoteErasureService {
  constructor(
    private readonly transactions: Transactions,
    private readonly audit: AuditService,
  ) {}

  /** @throws {Refused} if there is no such quote */
  erase(idOrReference: string, actor: Actor): Promise<ErasedQuote> {
    const where = byIdOrReference(idOrReference);
    return this.transactions.run(async (all) => {
      const found = await findOn(all, Quote, where);
      if (!found) throw new Refused(`There is no quote ${JSON.stringify(idOrReference)}.`);
      const { side, row: quote } = found;
      const tx = ordersOn(all, side);
      const { id, clientId, reference } = quote;
      const orders = await tx.find(tx.orders, {
        select: { id: true, reference: true },
        where: { quoteId: id },
      });
      const quotes = await quotesLike(tx, quote);
      const fields = [...new Set(await eraseLines(tx, id, null))];
      if (fields.length > 0) {
        await this.audit.record(tx, {
          subject: ['client', clientId],
          action: 'quote-erased',
          actor,
          details: { quote: reference, fields },
        });
      }
      return {
        reference,
        fields,
        kept: await keptKeys(tx, id),
        orders: referencesOf(orders),
        quotes: referencesOf(quotes),
      };
    });
  }
}

function quotesLike(
  tx: OrdersTx,
  { id, clientId, clientReference, customer }: Quote,
): Promise<Pick<Quote, 'reference'>[]> {
  const other = { id: Not(id), clientId };
  const where = [
    ...(clientReference === null ? [] : [{ ...other, clientReference }]),
    ...(customer === null ? [] : [{ ...other, customer }]),
  ];
  if (where.length === 0) return Promise.resolve([]);
  return tx.find(tableOn(Quote, tx), { select: { id: true, reference: true }, where });
}

function referencesOf(rows: readonly { readonly reference: string }[]): string[] {
  return rows.map(({ reference }) => reference).sort();
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
  if (quoteId === null || quoteLine === null) return 0;
  return (await eraseLines(tx, quoteId, quoteLine)).length;
}

/**
 * Erases what a quote says of some of its sites, and its texts that may name a person.
 * @param only the number of a line; null for all
 * @returns the name of each text that it has erased, such as `notes` for each line with notes
 */
async function eraseLines(tx: OrdersTx, quoteId: string, only: number | null): Promise<string[]> {
  const quote = await lockedQuote(tx, quoteId);
  if (!quote) return [];
  const lines = await linesOf(quote);
  const isErased = (i: number) => only === null || i + 1 === only;
  const erased = [
    ...(['customer', 'clientReference'] as const).filter((name) => quote[name] !== null),
    ...lines.filter((_line, i) => isErased(i)).flatMap(textsOf),
  ];
  const kept = lines.map((line, i) => (isErased(i) ? withoutTexts(line) : line));
  const body = await packLines(kept);
  const blanks = { customer: null, clientReference: null, body };
  await tx.update(tableOn(Quote, tx), { id: quote.id }, blanks);
  await eraseMessages(tx, quote.id);
  return [...erased, ...(await eraseDrafts(tx, quote, only === null))];
}

/** Deletes its draft. @param isWhole whether those of the same customer or reference go, too */
async function eraseDrafts(tx: OrdersTx, quote: Quote, isWhole: boolean): Promise<string[]> {
  if (tx.isTest) return [];
  const { id: quoteId, clientId, clientReference, customer } = quote;
  const alike = [
    ...(clientReference === null ? [] : [{ clientId, clientReference }]),
    ...(customer === null ? [] : [{ clientId, customer }]),
  ];
  const found = await tx.find(QuoteDraft, {
    select: { id: true },
    where: [{ quoteId }, ...(isWhole ? alike : [])],
  });
  if (found.length > 0) await tx.delete(QuoteDraft, { id: In(found.map(({ id }) => id)) });
  return found.map(() => 'draft');
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
    site: null,
    notes: null,
    uprn: null,
    details: withoutPersons(details),
    postcode: problem ? '' : postcode,
  };
}

/** Locks the row first: two erasures at once would each write the body without the change of the other. */
export async function lockedQuote(tx: OrdersTx, id: string): Promise<Quote | null> {
  const unchanged = { customer: () => 'customer' };
  await tx.createQueryBuilder().update(tableOn(Quote, tx)).set(unchanged).where({ id }).execute();
  return tx.findOneBy(tableOn(Quote, tx), { id });
}
