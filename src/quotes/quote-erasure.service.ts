import { Injectable } from '@nestjs/common';
import { Not } from 'typeorm';
import { ordersOn, type OrdersTx } from '../orders/record/order-tables.js';
import { type Actor, AuditService } from '../platform/audit/audit.service.js';
import { Transactions } from '../platform/database/transactions.js';
import { byIdOrReference } from '../platform/kernel/uuid.js';
import { Refused } from '../platform/problems/refused.js';
import { eraseLines } from './record/prune-quotes.js';
import { Quote, quotesOn, TestQuote } from './record/quote.entity.js';

export interface ErasedQuote {
  /** Of the quote. */
  readonly reference: string;
  /** The fields that were not empty. */
  readonly fields: readonly string[];
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
      const live = await all.findOneBy(Quote, where);
      const quote = live ?? (await all.findOneBy(TestQuote, where));
      if (!quote) throw new Refused(`There is no quote ${JSON.stringify(idOrReference)}.`);
      const tx = ordersOn({ isTest: live === null }).within(all);
      const { id, clientId, reference } = quote;
      const orders = await tx.find(tx.orders, {
        select: { id: true, reference: true },
        where: { quoteId: id },
      });
      const quotes = await quotesLike(tx, quote);
      const fields = [...new Set(await eraseLines(tx, id, () => true))];
      if (fields.length > 0) {
        await this.audit.record(tx, {
          subject: ['client', clientId],
          action: 'quote-erased',
          actor,
          details: { quote: reference, fields },
        });
      }
      return { reference, fields, orders: referencesOf(orders), quotes: referencesOf(quotes) };
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
  return tx.find(quotesOn(tx), { select: { id: true, reference: true }, where });
}

function referencesOf(rows: readonly { readonly reference: string }[]): string[] {
  return rows.map(({ reference }) => reference).sort();
}
