import { Injectable } from '@nestjs/common';
import { Transactions } from '../platform/database/transactions.js';
import { CostsService } from '../catalogue/versions/costs.service.js';
import { Clock } from '../platform/kernel/clock.js';
import { DeadlinesService } from '../orders/placing/deadlines.service.js';
import { WatchDemandService } from '../watches/watch-demand.service.js';
import { type OrderCountRequest, ReportCountsService } from './report-counts.service.js';
import { type ReportRange, rangeOf } from './report-figures.js';
import type { ReportFilter, ReportQuery } from './report-query.dto.js';
import type { Span } from '../platform/database/slices.js';
import { HOUR } from '../platform/kernel/time.js';

/** What the tables of reports are counted from. */
@Injectable()
export class ReportSourcesService {
  constructor(
    readonly transactions: Transactions,
    readonly counts: ReportCountsService,
    readonly watches: WatchDemandService,
    readonly deadlines: DeadlinesService,
    readonly costs: CostsService,
    private readonly clock: Clock,
  ) {}

  get now(): Date {
    return this.clock.now();
  }

  /** Working minutes in which a client should be contacted first. */
  get targetMinutes(): number {
    return this.deadlines.firstContactTime / 60_000;
  }

  /** @throws {ValidationFailed} for less than 1 day or more than 400 */
  rangeOf(query: ReportQuery): ReportRange {
    return rangeOf(query, this.now);
  }

  /** Counts orders by UTC hour: London differs from UTC by whole hours. */
  async byHour(request: OrderCountRequest, span: Span, filter: ReportFilter) {
    const by = { hour: `r.${request.at} / ${HOUR}` };
    const groups = await this.counts.orders({ ...request, by }, span, filter);
    return groups.map(({ by: { hour }, n, amounts }) => {
      return { at: new Date(Number(hour) * HOUR), n, amounts };
    });
  }
}
