import { Injectable } from '@nestjs/common';
import { inSlices, type Span } from '../../database/slices.js';
import { Transactions } from '../../database/transactions.js';
import type { Tx } from '../../database/engine/tx.js';
import { Clock } from '../../kernel/clock.js';
import { workingTimeBetween } from '../../kernel/working-hours.js';
import { BespokeOffer } from '../../orders/offers/bespoke-offer.entity.js';
import { Order } from '../../orders/order.entity.js';
import { DeadlinesService } from '../../orders/placing/deadlines.service.js';
import { addAmount } from './report-counts.service.js';
import { compare, monthlyAmounts, nearestRank, rangeOf } from './report-figures.js';
import type { EnquiryFigures, EnquiryReport } from './enquiry-report.dto.js';
import type { ReportFilter, ReportQuery } from './reports.dto.js';

/** A received enquiry with one of its offers that the client could see, or with null for none. */
interface EnquiryOffer {
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

/** Counts the enquiries that were received, and what was offered for them. */
@Injectable()
export class EnquiryReportService {
  constructor(
    private readonly transactions: Transactions,
    private readonly deadlines: DeadlinesService,
    private readonly clock: Clock,
  ) {}

  async enquiries(query: ReportQuery): Promise<EnquiryReport> {
    const rows: EnquiryOffer[] = [];
    const read = (tx: Tx, slice: Span) => receivedIn(tx, slice, query);
    const range = rangeOf(query, this.clock.now());
    for await (const some of inSlices(this.transactions, range, read)) rows.push(...some);
    const items = [...Map.groupBy(rows, ({ area }) => area)].map(([area, own]) => {
      return { area, ...this.figuresOf(own) };
    });
    return {
      total: this.figuresOf(rows),
      items: items.sort((a, b) => b.received - a.received || compare(a.area, b.area)),
    };
  }

  private figuresOf(rows: readonly EnquiryOffer[]): EnquiryFigures {
    const enquiries = [...Map.groupBy(rows, ({ id }) => id).values()];
    const count = (is: (of: EnquiryOffer) => boolean) => enquiries.filter(([of]) => is(of!)).length;
    const offered = enquiries.filter(([of]) => of!.opened !== null);
    const minutes = offered.map((offers) => this.minutesToOffer(offers)).sort((a, b) => a - b);
    const [offeredAmounts, wonAmounts] = [new Map<string, number>(), new Map<string, number>()];
    for (const offers of offered) {
      const largest = offers.reduce((a, b) => (Number(b.amount) > Number(a.amount) ? b : a));
      addAmount(offeredAmounts, largest.currency, largest.amount);
      for (const { accepted, currency, amount } of offers) {
        if (Number(accepted) === 1) addAmount(wonAmounts, currency, amount);
      }
    }
    const isExpired = ({ state, reason }: EnquiryOffer) =>
      state === 'lost' && reason === 'offer_expired';
    return {
      received: enquiries.length,
      offered: offered.length,
      medianMinutesToOffer: nearestRank(minutes, 0.5),
      won: count(({ state }) => state === 'won'),
      lost: count((of) => of.state === 'lost' && !isExpired(of)),
      expired: count(isExpired),
      cancelled: count(({ state }) => state === 'cancelled' || state === 'duplicate'),
      offeredAmounts: monthlyAmounts(offeredAmounts),
      wonAmounts: monthlyAmounts(wonAmounts),
    };
  }

  /** Working minutes until the client could see the first offer. */
  private minutesToOffer(offers: readonly EnquiryOffer[]): number {
    const received = new Date(Number(offers[0]!.received));
    const first = new Date(Math.min(...offers.map(({ opened }) => Number(opened))));
    return Math.round(workingTimeBetween(received, first, this.deadlines.calendar) / 60_000);
  }
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
  return query.getRawMany<EnquiryOffer>();
}
