import { ApiClient } from '../../clients/api-client.entity.js';
import { Order } from '../../orders/record/order.entity.js';
import type { Tx } from '../../platform/database/engine/tx.js';
import { inSlices, type Span } from '../../platform/database/slices.js';
import { Quote } from '../../quotes/record/quote.entity.js';
import { amounts, count, text, unprinted } from '../drawing/columns.js';
import { reportTable } from '../drawing/report-table.js';
import { addAmount } from '../report-counts.service.js';
import { amountsByCurrency, compare, rowsByKey } from '../report-figures.js';
import type { ReportFilter } from '../report-query.dto.js';

export const quotes = reportTable({
  name: 'quotes',
  title: 'Quotes',
  definition:
    'Quotes made in this period by API client, and what became of their lines to date. Quotes have no owner and no product: a report of one person or product has all of them.',
  empty: 'No quotes in this period.',
  row: 'The quotes of an API client. Most lines first.',
  most: 10_000,
  columns: {
    clientId: unprinted(text('', 'Identifies the API client. @kind uuid')),
    name: text('Client', 'The name. @maxLength 120 @example "Quillfeather Networks"'),
    quotes: count('Quotes', 'Quotes made in the period.'),
    lines: count('Lines', 'Their lines: the sites.'),
    priced: count('With a price', 'Of these, those that had a price at once.'),
    enquired: count('Asked for', 'Those that the client asked for.'),
    ordered: count('Ordered', 'Those that became an order.'),
    orderedAmounts: amounts('per month ordered', 'Monthly prices of these orders, by currency.'),
  },
  count: async (from, query) => {
    const { rows, rowOf } = rowsByKey(newTally);
    const read = (tx: Tx, slice: Span) => madeIn(tx, slice, query);
    for await (const { made, used } of inSlices(from.transactions, from.rangeOf(query), read)) {
      for (const { id, name, n, lines, priced } of made) {
        const row = rowOf(id);
        row.name = name;
        row.quotes += Number(n);
        row.lines += Number(lines);
        row.priced += Number(priced);
      }
      for (const { id, kind, n, currency, amount } of used) {
        const row = rowOf(id);
        row[kind === 'order' ? 'ordered' : 'enquired'] += Number(n);
        if (kind === 'order') addAmount(row.amounts, currency, amount);
      }
    }
    return [...rows]
      .map(([clientId, { amounts: ordered, ...row }]) => {
        return { clientId, ...row, orderedAmounts: amountsByCurrency(ordered) };
      })
      .sort((a, b) => b.lines - a.lines || compare(a.name, b.name));
  },
  link: ({ clientId }) => `/staff/quotes?${new URLSearchParams({ client: clientId }).toString()}`,
});

function newTally() {
  const amounts = new Map<string, number>();
  return { name: '', quotes: 0, lines: 0, priced: 0, enquired: 0, ordered: 0, amounts };
}

type Counted = Readonly<
  Record<'id' | 'name' | 'kind' | 'n' | 'lines' | 'priced' | 'currency' | 'amount', string>
>;

async function madeIn(tx: Tx, slice: Span, { client }: ReportFilter) {
  // By client, for the index of the quotes of one.
  const query = tx
    .createQueryBuilder(ApiClient, 'c')
    .innerJoin(Quote, 'q', 'q.clientId = c.id AND q.createdAt >= :start AND q.createdAt < :end')
    .select('c.id', 'id')
    .addSelect('COUNT(*)', 'n')
    .setParameters(slice)
    .groupBy('c.id');
  if (client !== undefined) query.where('c.id = :client', { client });
  const used = await query
    .clone()
    .innerJoin(Order, 'r', 'r.quoteId = q.id')
    .addSelect('r.kind', 'kind')
    .addSelect('r.currency', 'currency')
    .addSelect('SUM(r.amountMinor)', 'amount')
    .addGroupBy('r.kind')
    .addGroupBy('r.currency')
    .getRawMany<Counted>();
  const made = await query
    .addSelect('c.name', 'name')
    .addSelect('SUM(q.lineCount)', 'lines')
    .addSelect('SUM(q.pricedCount)', 'priced')
    .addGroupBy('c.name')
    .getRawMany<Counted>();
  return { made, used };
}
