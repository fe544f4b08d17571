import { Injectable } from '@nestjs/common';
import { Clock } from '../../kernel/clock.js';
import {
  CHECK_AREA,
  CHECK_DISTRICT,
  MADE_BY_STAFF,
  NOTHING_FOUND,
  ReportCountsService,
} from './report-counts.service.js';
import { type ReportDays, rangeOf, rowsByKey } from './report-figures.js';

/** Sectors that are named of those that were not served. */
const MOST_MISSED = 20;

/** What was asked for in a district: the postcode's first part, `EC2A`. */
export interface DistrictRow {
  readonly district: string;
  readonly checks: number;
  /** Of these, those with nothing to sell. */
  readonly checksWithoutProduct: number;
  /** Of these, those that staff made for an API client on the telephone. */
  readonly checksByStaff: number;
  readonly orders: number;
}

export interface AreaDemand {
  /** Most checks first. */
  readonly districts: readonly DistrictRow[];
  /** Sectors in which checks found nothing to sell, with how many, most first. */
  readonly missed: readonly { readonly sector: string; readonly checks: number }[];
}

/** Of an order: the last four characters of a postcode are the space and the inward code. */
const ORDER_DISTRICT = 'SUBSTR(r.postcode, 1, LENGTH(r.postcode) - 4)';

/** What lies behind one area of the demand report. */
@Injectable()
export class AreaDemandService {
  constructor(
    private readonly counts: ReportCountsService,
    private readonly clock: Clock,
  ) {}

  /** @param area one that there is: it becomes part of a statement */
  async find(area: string, days: ReportDays): Promise<AreaDemand> {
    if (!/^[A-Z]{1,2}$/.test(area)) throw new RangeError('This is no postcode area.');
    const range = rangeOf(days, this.clock.now());
    const checks = await this.counts.checks(
      {
        by: { sector: 'r.sector', district: CHECK_DISTRICT },
        counting: { none: NOTHING_FOUND, staff: MADE_BY_STAFF },
        where: `${CHECK_AREA} = '${area}'`,
      },
      range.days,
    );
    const orders = await this.counts.orders(
      { at: 'receivedAt', by: { district: ORDER_DISTRICT }, where: `r.area = '${area}'` },
      range,
    );
    const { rows, rowOf } = rowsByKey((district) => ({ ...nothing, district }));
    for (const { by, n, counted } of checks) {
      const row = rowOf(by.district);
      row.checks += n;
      row.checksWithoutProduct += counted.none ?? 0;
      row.checksByStaff += counted.staff ?? 0;
    }
    for (const { by, n } of orders) rowOf(by.district).orders = n;
    return {
      districts: [...rows.values()].sort((a, b) => b.checks - a.checks || b.orders - a.orders),
      missed: checks
        .map(({ by, counted }) => ({ sector: String(by.sector), checks: counted.none ?? 0 }))
        .filter((row) => row.checks > 0)
        .sort((a, b) => b.checks - a.checks || (a.sector < b.sector ? -1 : 1))
        .slice(0, MOST_MISSED),
    };
  }
}

const nothing = { checks: 0, checksWithoutProduct: 0, checksByStaff: 0, orders: 0 };
