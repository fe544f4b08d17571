import { personalDetails, withoutPersons } from '../orders/record/site-details.dto.js';
import { eraseMessages } from '../orders/erasure.service.js';
import type { Order } from '../orders/record/order.entity.js';
import type { OrdersTx } from '../orders/record/order-tables.js';
import { linesOf, packLines, quotesOn } from './record/quote.entity.js';

/**
 * Erases what the quote of an order says of its site, and the texts of the quote that may name a person. What was
 * quoted stays.
 * @returns how many texts it has erased
 */
export async function eraseLine(
  tx: OrdersTx,
  { quoteId, quoteLine }: Pick<Order, 'quoteId' | 'quoteLine'>,
): Promise<number> {
  const quote = quoteId === null ? null : await tx.findOneBy(quotesOn(tx), { id: quoteId });
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
