import { Injectable } from '@nestjs/common';
import type { Tx } from '../platform/database/engine/tx.js';
import { inSlices, type Span } from '../platform/database/slices.js';
import { Transactions } from '../platform/database/transactions.js';
import { Clock } from '../platform/kernel/clock.js';
import { Charge } from '../orders/record/charge.entity.js';
import {
  chargeCategories,
  type ChargeCategory,
  type ChargeState,
} from '../orders/record/charge-states.js';
import { Order } from '../orders/record/order.entity.js';
import { addAmount, narrowed } from './report-counts.service.js';
import { monthlyAmounts, rangeOf } from './report-figures.js';
import type { ChargeReport } from './charge-report.dto.js';
import type { ReportFilter, ReportQuery } from './reports.dto.js';

interface ChargeCount {
  readonly category: ChargeCategory;
  readonly state: ChargeState;
  readonly currency: string;
  readonly n: number | string;
  readonly amount: number | string;
}

/** Counts the charges on the orders of a filter. */
@Injectable()
export class ChargeReportService {
  constructor(
    private readonly transactions: Transactions,
    private readonly clock: Clock,
  ) {}

  async charges(query: ReportQuery): Promise<ChargeReport> {
    const rows: ChargeCount[] = [];
    const read = (tx: Tx, slice: Span) => proposedIn(tx, slice, query);
    const range = rangeOf(query, this.clock.now());
    for await (const some of inSlices(this.transactions, range, read)) rows.push(...some);
    const items = chargeCategories.map((category) => {
      const own = rows.filter((row) => row.category === category);
      const ofState = (state: ChargeState) => own.filter((row) => row.state === state);
      const accepted = ofState('accepted');
      return {
        category,
        proposed: countOf(own),
        amounts: amountsOf(own),
        accepted: countOf(accepted),
        acceptedAmounts: amountsOf(accepted),
        awaitingResponse: countOf(ofState('awaitingResponse')),
        rejected: countOf(ofState('rejected')),
        lapsed: countOf(ofState('lapsed')),
        withdrawn: countOf(ofState('withdrawn')),
      };
    });
    return { items: items.filter(({ proposed }) => proposed > 0) };
  }
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
  return rows.reduce((total, { n }) => total + Number(n), 0);
}

function amountsOf(rows: readonly ChargeCount[]) {
  const amounts = new Map<string, number>();
  for (const { currency, amount } of rows) addAmount(amounts, currency, amount);
  return monthlyAmounts(amounts);
}
