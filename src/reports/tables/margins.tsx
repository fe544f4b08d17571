import { supplierOf } from '../../catalogue/content/coverage-codec.js';
import { Bars } from '../drawing/charts.js';
import { amounts, amountsInWords, count, share, text } from '../drawing/columns.js';
import { MOST_BARS, oneSeries, reportTable } from '../drawing/report-table.js';
import type { SupplierCost } from '../../catalogue/content/review/margins.js';
import { addAmount, type CountedGroup } from '../report-counts.service.js';
import { amountsByCurrency, compare, ratio, rowsByKey, sum } from '../report-figures.js';
import { whole } from '../../platform/kernel/counts.js';

type OfferCost = Pick<SupplierCost, 'costMinor' | 'currency'>;

/** What an offer was compared with; null if the supplier sold nothing like it. */
function offerCostOf({ offerCost, offerCurrency }: CountedGroup['by']): OfferCost | null {
  if (offerCost == null) return null;
  return { costMinor: Number(offerCost), currency: String(offerCurrency) };
}

/** What orders of third-party networks sell for, and what their suppliers charge. */
export const margins = reportTable({
  name: 'margins',
  title: 'Margin of third-party networks',
  definition:
    'Orders received in this period for products of suppliers, without those that were lost, cancelled or duplicates. Costs are those of the cost book from which the price was calculated; of an accepted offer, those that it was compared with. The cost of an order is not known if its version is no longer stored, or if the supplier sells nothing like the offer: its price is left out of the margin.',
  empty: 'No order for a product of a supplier was received in this period.',
  row: 'A supplier.',
  most: 1_000,
  columns: {
    supplier: text(
      'Supplier',
      'The code of the supplier. @pattern ^[a-z0-9-]+$ @maxLength 12 @example "pxc"',
    ),
    received: count('Orders', 'Orders received.'),
    unknown: count('Cost not known', 'Of these, those whose cost is not known.'),
    amounts: amounts('per month', 'Monthly prices of the orders whose cost is known, by currency.'),
    costs: amounts('cost per month', 'What the supplier charges for them a month, by currency.'),
    margins: amounts('margin per month', 'The difference, by currency.'),
    share: share(
      'Margin',
      'Margin as a share of the price; null in several currencies. @example 0.2',
      'Margin as a share of the price',
    ),
  },
  count: async (from, query) => {
    const groups = await from.counts.orders(
      {
        at: 'receivedAt',
        by: {
          zone: 'r.zone',
          product: 'r.productCode',
          list: 'r.priceList',
          version: 'r.catalogueVersion',
          offer: 'f.reference',
          offerCost: 'f.costMinor',
          offerCurrency: 'f.currency',
        },
        withOffer: true,
        where: `r.zone LIKE '%:%' AND r.state NOT IN ('lost', 'cancelled', 'duplicate')`,
      },
      from.rangeOf(query),
      query,
    );
    const { rows, rowOf } = rowsByKey(() => ({
      received: 0,
      unknown: 0,
      sold: new Map<string, number>(),
      paid: new Map<string, number>(),
    }));
    for (const [version, own] of Map.groupBy(groups, ({ by }) => Number(by.version))) {
      const sold = own.map(({ by }) => ({
        zone: String(by.zone),
        productCode: String(by.product),
        priceList: String(by.list),
      }));
      const costs = await from.costs.of(version, sold);
      for (const [i, { n, by, amounts: minor }] of own.entries()) {
        const row = rowOf(supplierOf(sold[i]!.zone));
        const cost = by.offer === null ? costs[i] : offerCostOf(by);
        row.received += n;
        const amount = cost && minor.get(cost.currency);
        if (!cost || amount === undefined) row.unknown += n;
        else {
          addAmount(row.sold, cost.currency, amount);
          addAmount(row.paid, cost.currency, cost.costMinor * n);
        }
      }
    }
    return [...rows]
      .map(([supplier, { sold, paid, ...row }]) => {
        const left = new Map(
          [...sold].map(([currency, minor]) => [currency, minor - paid.get(currency)!]),
        );
        const [currency] = sold.keys();
        const isOne = currency !== undefined && sold.size === 1;
        return {
          supplier,
          ...row,
          amounts: amountsByCurrency(sold),
          costs: amountsByCurrency(paid),
          margins: amountsByCurrency(left),
          share: isOne ? ratio(left.get(currency)!, sold.get(currency)!) : null,
        };
      })
      .sort((a, b) => b.received - a.received || compare(a.supplier, b.supplier));
  },
  draw: (rows) =>
    rows.length > 0 && (
      <Bars
        id="margins"
        title="Orders by supplier"
        description={`${whole(sum(rows.map(({ received }) => received)))} orders for products of suppliers.`}
        series={oneSeries('s1', 'Orders')}
        bars={rows.slice(0, MOST_BARS).map((row) => ({
          label: row.supplier,
          values: [row.received],
          text: `${whole(row.received)}, margin ${amountsInWords(row.margins)} of ${amountsInWords(row.amounts)} a month`,
        }))}
      />
    ),
});
