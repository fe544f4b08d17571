import { Injectable } from '@nestjs/common';
import { inSlices, type Span } from '../platform/database/slices.js';
import { Transactions } from '../platform/database/transactions.js';
import type { Tx } from '../platform/database/engine/tx.js';
import { Clock } from '../platform/kernel/clock.js';
import { workingTimeBetween } from '../platform/kernel/working-hours.js';
import { BespokeOffer } from '../orders/record/bespoke-offer.entity.js';
import { Order } from '../orders/record/order.entity.js';
import { DeadlinesService } from '../orders/placing/deadlines.service.js';
import { addAmount } from './report-counts.service.js';
import { compare, monthlyAmounts, nearestRank, rangeOf, rowsByKey } from './report-figures.js';
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
    const total = new EnquiryTally();
    const { rows: areas, rowOf } = rowsByKey(() => new EnquiryTally());
    const read = (tx: Tx, slice: Span) => receivedIn(tx, slice, query);
    const range = rangeOf(query, this.clock.now());
    for await (const rows of inSlices(this.transactions, range, read)) {
      for (const offers of Map.groupBy(rows, ({ id }) => id).values()) {
        const minutes = this.minutesToOffer(offers);
        for (const tally of [total, rowOf(offers[0]!.area)]) tally.add(offers, minutes);
      }
    }
    const items = [...areas].map(([area, tally]) => ({ area, ...tally.print() }));
    return {
      total: total.print(),
      items: items.sort((a, b) => b.received - a.received || compare(a.area, b.area)),
    };
  }

  /** Working minutes until the client could see the first offer; null without one. */
  private minutesToOffer([of, ...others]: readonly EnquiryOffer[]): number | null {
    if (!of || of.opened === null) return null;
    const received = new Date(Number(of.received));
    const first = new Date(Math.min(...[of, ...others].map(({ opened }) => Number(opened))));
    return Math.round(workingTimeBetween(received, first, this.deadlines.calendar) / 60_000);
  }
}

/** Adds up enquiries. */
class EnquiryTally {
  private received = 0;
  private readonly minutes: number[] = [];
  private readonly ended = { won: 0, lost: 0, expired: 0, cancelled: 0 };
  private readonly offeredAmounts = new Map<string, number>();
  private readonly wonAmounts = new Map<string, number>();

  /**
   * @param offers those of one enquiry
   * @param minutes until the first offer
   */
  add(offers: readonly EnquiryOffer[], minutes: number | null): void {
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

  print(): EnquiryFigures {
    const { received, ended, offeredAmounts, wonAmounts } = this;
    const minutes = this.minutes.sort((a, b) => a - b);
    return {
      received,
      offered: minutes.length,
      medianMinutesToOffer: nearestRank(minutes, 0.5),
      ...ended,
      offeredAmounts: monthlyAmounts(offeredAmounts),
      wonAmounts: monthlyAmounts(wonAmounts),
    };
  }
}

function endOf({ state, reason }: EnquiryOffer): 'won' | 'lost' | 'expired' | 'cancelled' | null {
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
  return query.getRawMany<EnquiryOffer>();
}
