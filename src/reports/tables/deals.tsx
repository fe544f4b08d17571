import type { Tx } from '../../platform/database/engine/tx.js';
import { inSlices, type Span } from '../../platform/database/slices.js';
import { type Calendar, workingTimeBetween } from '../../platform/kernel/working-hours.js';
import { BespokeOffer } from '../../orders/record/bespoke-offer.entity.js';
import { Order } from '../../orders/record/order.entity.js';
import { areaWords } from '../sector-places.js';
import { minutes } from '../drawing/chart-scale.js';
import { Bars, Legend } from '../drawing/charts.js';
import {
  amounts,
  amountsInWords,
  area,
  count,
  orNull,
  workingMinutes,
  text,
  unprinted,
  code,
} from '../drawing/columns.js';
import { MOST_BARS, reportTable, type ChartSeries } from '../drawing/report-table.js';
import { addAmount, narrowed } from '../report-counts.service.js';
import { nearestRank } from '../../platform/kernel/sorted.js';
import { amountsByCurrency, compare, rowsByKey, sum } from '../report-figures.js';
import type { ReportFilter } from '../report-query.dto.js';
import { whole } from '../../platform/kernel/counts.js';
import { ApiClient } from '../../clients/api-client.entity.js';
import { Quote } from '../../quotes/record/quote.entity.js';
import { Charge } from '../../orders/record/charge.entity.js';
import {
  chargeCategories,
  type ChargeCategory,
  chargeCategoryNames,
  type ChargeState,
} from '../../orders/record/charge-states.js';

const offerSeries: readonly ChartSeries[] = [
  { series: 's1', name: 'With an offer' },
  { series: 's4', name: 'Without an offer' },
];

export const enquiries = reportTable({
  name: 'enquiries',
  title: 'Enquiries and offers',
  definition:
    'Enquiries received in this period by postcode area, and their outcome to date. An enquiry counts once, however many offers answered it: its largest monthly price counts as offered. Times are working hours: half of the enquiries with an offer had their first one within that time.',
  empty: 'No enquiries in this period.',
  row: 'The enquiries of a postcode area, or of all areas in the first row; then most enquiries first.',
  most: 127,
  columns: {
    area: orNull(area(), 'All areas'),
    received: count('Received', 'Enquiries received.'),
    offered: count('With an offer', 'Of these, those with an offer that the client could see.'),
    medianMinutesToOffer: workingMinutes(
      'Half offered within',
      'Working minutes from receipt to the first offer, nearest rank; null without one. @example 480',
    ),
    won: count('Won', 'Of the enquiries received, those of which the client accepted an offer.'),
    lost: count('Lost', 'Lost: declined by the client, or not possible.'),
    expired: count('Expired', 'Lost because the client did not answer the offers in time.'),
    cancelled: count('Cancelled', 'Cancelled, or duplicates.'),
    offeredAmounts: amounts(
      'per month offered',
      'The largest monthly price that was offered for each enquiry, by currency.',
    ),
    wonAmounts: amounts('per month won', 'Monthly prices of the accepted offers, by currency.'),
  },
  count: async (from, query) => {
    const total = new EnquiryTally();
    const { rows: areas, rowOf } = rowsByKey(() => new EnquiryTally());
    const read = (tx: Tx, slice: Span) => receivedIn(tx, slice, query);
    for await (const rows of inSlices(from.transactions, from.rangeOf(query), read)) {
      for (const offers of Map.groupBy(rows, ({ id }) => id).values()) {
        const spent = minutesToOffer(offers, from.deadlines.calendar);
        for (const tally of [total, rowOf(offers[0]!.area)]) tally.add(offers, spent);
      }
    }
    const rows = [...areas].map(([name, tally]) => ({ area: name, ...tally.print() }));
    rows.sort((a, b) => b.received - a.received || compare(a.area, b.area));
    return rows.length === 0 ? [] : [{ area: null, ...total.print() }, ...rows];
  },
  draw: ([total, ...rows]) => {
    if (!total) return false;
    const median = total.medianMinutesToOffer;
    const figures = [
      `${whole(total.received)} enquiries, ${whole(total.offered)} with an offer`,
      ...(median === null
        ? []
        : [`half of these had their first offer within ${minutes(median)} of working time`]),
      `${amountsInWords(total.offeredAmounts)} per month offered, ${amountsInWords(total.wonAmounts)} won`,
    ].join('; ');
    return (
      <>
        <p>{`${figures}.`}</p>
        <Legend series={offerSeries} />
        <Bars
          id="enquiries"
          title="Enquiries by postcode area"
          description={`${figures}.`}
          series={offerSeries}
          bars={rows.slice(0, MOST_BARS).map(({ area: name, received, offered, won }) => ({
            label: areaWords(name ?? ''),
            values: [offered, received - offered],
            text: `${whole(received)}, ${whole(won)} won`,
          }))}
        />
      </>
    );
  },
});

/** A received enquiry with one of its offers that the client could see, or with null for none. */
interface CountedOffer {
  readonly id: string;
  readonly area: string;
  readonly state: string;
  readonly reason: string | null;
  readonly received: number | string;
  readonly opened: number | string | null;
  readonly accepted: number | string | null;
  readonly amount: number | string | null;
  readonly currency: string | null;
}

/** Working minutes until the client could see the first offer; null without one. */
function minutesToOffer(
  [of, ...others]: readonly CountedOffer[],
  calendar: Calendar,
): number | null {
  if (!of || of.opened === null) return null;
  const received = new Date(Number(of.received));
  const first = new Date(Math.min(...[of, ...others].map(({ opened }) => Number(opened))));
  return Math.round(workingTimeBetween(received, first, calendar) / 60_000);
}

/** Adds up enquiries. */
class EnquiryTally {
  private received = 0;
  private readonly minutes: number[] = [];
  private readonly ended = { won: 0, lost: 0, expired: 0, cancelled: 0 };
  private readonly offeredAmounts = new Map<string, number>();
  private readonly wonAmounts = new Map<string, number>();

  /** @param offers those of one enquiry @param minutes until the first offer */
  add(offers: readonly CountedOffer[], minutes: number | null): void {
    this.received += 1;
    const end = endOf(offers[0]!);
    if (end) this.ended[end] += 1;
    if (minutes === null) return;
    this.minutes.push(minutes);
    const largest = offers.reduce((a, b) => (Number(b.amount) > Number(a.amount) ? b : a));
    addAmount(this.offeredAmounts, largest.currency, largest.amount);
    for (const { accepted, currency, amount } of offers) {
      if (Number(accepted) === 1) addAmount(this.wonAmounts, currency, amount);
    }
  }

  print() {
    const { received, ended, offeredAmounts, wonAmounts } = this;
    const minutes = this.minutes.sort((a, b) => a - b);
    return {
      received,
      offered: minutes.length,
      medianMinutesToOffer: nearestRank(minutes, 0.5),
      ...ended,
      offeredAmounts: amountsByCurrency(offeredAmounts),
      wonAmounts: amountsByCurrency(wonAmounts),
    };
  }
}

function endOf({ state, reason }: CountedOffer): 'won' | 'lost' | 'expired' | 'cancelled' | null {
  if (state === 'lost') return reason === 'offer_expired' ? 'expired' : 'lost';
  if (state === 'cancelled' || state === 'duplicate') return 'cancelled';
  return state === 'won' ? 'won' : null;
}

function receivedIn(tx: Tx, slice: Span, { client, owner }: ReportFilter) {
  const query = tx
    .createQueryBuilder(Order, 'r')
    .leftJoin(BespokeOffer, 'f', 'f.enquiryId = r.id AND f.openedAt IS NOT NULL')
    .select('r.id', 'id')
    .addSelect('r.area', 'area')
    .addSelect('r.state', 'state')
    .addSelect('r.closeReason', 'reason')
    .addSelect('r.receivedAt', 'received')
    .addSelect('f.openedAt', 'opened')
    .addSelect(`CASE WHEN f.state = 'accepted' THEN 1 ELSE 0 END`, 'accepted')
    .addSelect('f.monthlyMinor', 'amount')
    .addSelect('f.currency', 'currency')
    // A literal, for the partial index of enquiries.
    .where(`r.kind = 'enquiry' AND r.receivedAt >= :start AND r.receivedAt < :end`, slice);
  if (client !== undefined) query.andWhere('r.clientId = :client', { client });
  if (owner !== undefined) query.andWhere('r.ownerId = :owner', { owner });
  return query.getRawMany<CountedOffer>();
}

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

const chargeSeries: readonly ChartSeries[] = [
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
          <Legend series={chargeSeries} />
          <Bars
            id="charges"
            title="Extra charges"
            description={`${total('proposed')} charges proposed; ${total('accepted')} of them are accepted.`}
            series={chargeSeries}
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
