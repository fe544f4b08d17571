import { Injectable } from '@nestjs/common';
import { Clock } from '../../kernel/clock.js';
import {
  CHECK_AREA,
  CHECK_DISTRICT,
  MADE_BY_STAFF,
  NOTHING_FOUND,
  ReportCountsService,
} from './report-counts.service.js';
import { rangeOf, rowsByKey } from './report-figures.js';
import type { DemandRow, ReportQuery } from './reports.dto.js';

/** Sectors without service in the answer. */
const MOST_MISSED = 20;

/** The demand in a district: the first part of a postcode, such as `EC2A`. */
interface DistrictRow extends Omit<DemandRow, 'area'> {
  readonly district: string;
  /** Of `checks`, those that staff made for an API client on the phone. */
  checksByStaff: number;
}

export interface AreaDemand {
  /** Most checks first. */
  readonly districts: readonly DistrictRow[];
  /** Sectors with checks that found no product, most checks first. */
  readonly missed: readonly { readonly sector: string; readonly checks: number }[];
}

/** The last four characters of a postcode are the space and the inward code. */
const ORDER_DISTRICT = 'SUBSTR(r.postcode, 1, LENGTH(r.postcode) - 4)';

/** The details of one area of the demand report. */
@Injectable()
export class AreaDemandService {
  constructor(
    private readonly counts: ReportCountsService,
    private readonly clock: Clock,
  ) {}

  /** @param area becomes part of an SQL statement, so only letters are allowed */
  async find(area: string, days: ReportQuery): Promise<AreaDemand> {
    if (!/^[A-Z]{1,2}$/.test(area)) throw new RangeError('This is not a postcode area.');
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
    const { rows, rowOf } = rowsByKey((district): DistrictRow => ({ ...nothing, district }));
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
