import type { Tx } from '../../platform/database/engine/tx.js';
import { inSlices, type Span } from '../../platform/database/slices.js';
import { Charge } from '../../orders/record/charge.entity.js';
import {
  chargeCategories,
  type ChargeCategory,
  chargeCategoryNames,
  type ChargeState,
} from '../../orders/record/charge-states.js';
import { Order } from '../../orders/record/order.entity.js';
import { Bars, Legend } from '../drawing/charts.js';
import { amounts, amountsInWords, code, count } from '../drawing/columns.js';
import { reportTable, type ChartSeries } from '../drawing/report-table.js';
import { addAmount, narrowed } from '../report-counts.service.js';
import { amountsByCurrency, sum } from '../report-figures.js';
import type { ReportFilter } from '../report-query.dto.js';
import { whole } from '../../platform/kernel/counts.js';

const series: readonly ChartSeries[] = [
  { series: 's1', name: 'Accepted' },
  { series: 's4', name: 'Not accepted' },
];

export const charges = reportTable({
  name: 'charges',
  title: 'Extra charges',
  definition: 'Charges proposed in this period by category, and how many are accepted to date.',
  empty: 'No charges in this period.',
  row: 'The extra charges of a category, by their state to date.',
  most: chargeCategories.length,
  columns: {
    category: code(
      'Category',
      '`construction`, `survey`, `connection`, `expedite` or `other`. @enumName ChargeCategory',
      chargeCategoryNames,
    ),
    proposed: count('Proposed', 'Charges proposed in the period.'),
    accepted: count('Accepted', 'Of the charges proposed, those that the client accepted.'),
    rejected: count('Rejected', 'Those that the client rejected.'),
    lapsed: count('Lapsed', 'Those without an answer in time.'),
    withdrawn: count('Withdrawn', 'Those withdrawn.'),
    awaitingResponse: count('Awaiting an answer', 'Those that await an answer.'),
    amounts: amounts('proposed', 'The amounts of the charges proposed, by currency.'),
    acceptedAmounts: amounts('accepted', 'The amounts of those accepted, by currency.'),
  },
  count: async (from, query) => {
    const counted: ChargeCount[] = [];
    const read = (tx: Tx, slice: Span) => proposedIn(tx, slice, query);
    const slices = inSlices(from.transactions, from.rangeOf(query), read);
    for await (const some of slices) counted.push(...some);
    const byCategory = Map.groupBy(counted, ({ category }) => category);
    return chargeCategories
      .filter((category) => byCategory.has(category))
      .map((category) => {
        const charges = byCategory.get(category) ?? [];
        const ofState = (state: ChargeState) => charges.filter((row) => row.state === state);
        const accepted = ofState('accepted');
        return {
          category,
          proposed: countOf(charges),
          accepted: countOf(accepted),
          rejected: countOf(ofState('rejected')),
          lapsed: countOf(ofState('lapsed')),
          withdrawn: countOf(ofState('withdrawn')),
          awaitingResponse: countOf(ofState('awaitingResponse')),
          amounts: amountsOf(charges),
          acceptedAmounts: amountsOf(accepted),
        };
      });
  },
  draw: (rows) => {
    const total = (of: 'proposed' | 'accepted') => whole(sum(rows.map((row) => row[of])));
    return (
      rows.length > 0 && (
        <>
          <Legend series={series} />
          <Bars
            id="charges"
            title="Extra charges"
            description={`${total('proposed')} charges proposed; ${total('accepted')} of them are accepted.`}
            series={series}
            bars={rows.map((row) => ({
              label: chargeCategoryNames[row.category],
              values: [row.accepted, row.proposed - row.accepted],
              text: `${whole(row.accepted)} of ${whole(row.proposed)}${row.accepted === 0 ? '' : `, ${amountsInWords(row.acceptedAmounts)}`}`,
            }))}
          />
        </>
      )
    );
  },
});

interface ChargeCount {
  readonly category: ChargeCategory;
  readonly state: ChargeState;
  readonly currency: string;
  readonly n: number | string;
  readonly amount: number | string;
}

function proposedIn(tx: Tx, slice: Span, filter: ReportFilter): Promise<ChargeCount[]> {
  const query = tx
    .createQueryBuilder(Order, 'r')
    .innerJoin(Charge, 'c', 'c.orderId = r.id')
    .select('c.category', 'category')
    .addSelect('c.state', 'state')
    .addSelect('c.currency', 'currency')
    .addSelect('COUNT(*)', 'n')
    .addSelect('SUM(c.amountMinor)', 'amount')
    .where('c.proposedAt >= :start AND c.proposedAt < :end', slice)
    .groupBy('c.category')
    .addGroupBy('c.state')
    .addGroupBy('c.currency');
  return narrowed(query, filter).getRawMany<ChargeCount>();
}

function countOf(rows: readonly ChargeCount[]): number {
  return sum(rows.map(({ n }) => Number(n)));
}

function amountsOf(rows: readonly ChargeCount[]) {
  const total = new Map<string, number>();
  for (const { currency, amount } of rows) addAmount(total, currency, amount);
  return amountsByCurrency(total);
}
