import { Injectable } from '@nestjs/common';
import { Check } from '../../availability/check.entity.js';
import { Clock } from '../../kernel/clock.js';
import { Order } from '../../orders/order.entity.js';
import { ReportCounts } from './report-counts.service.js';
import { rangeOf } from './report-figures.js';

/** Postcodes that are named of those asked for in vain. */
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
  /** Postcodes with nothing to sell, those checked most often first. */
  readonly missed: readonly { readonly postcode: string; readonly checks: number }[];
}

/** The days of a report, London, both included. */
interface Days {
  readonly from: string;
  readonly to: string;
}

/** What stands before the space: the last four characters are the space and the inward code. */
const DISTRICT = 'SUBSTR(r.postcode, 1, LENGTH(r.postcode) - 4)';

/** What lies behind one area of the demand report. */
@Injectable()
export class AreaDemandService {
  constructor(
    private readonly counts: ReportCounts,
    private readonly clock: Clock,
  ) {}

  /** @param area one that there is: it becomes part of a statement */
  async find(area: string, days: Days): Promise<AreaDemand> {
    if (!/^[A-Z]{1,2}$/.test(area)) throw new RangeError('This is no postcode area.');
    const range = rangeOf(days, this.clock.now());
    const inArea = `r.area = '${area}'`;
    const checks = await this.counts.groups(
      {
        of: Check,
        at: 'checkedAt',
        by: { district: DISTRICT },
        counting: { none: 'r.productCount = 0', staff: 'r.staffId IS NOT NULL' },
        where: inArea,
      },
      range,
    );
    const orders = await this.counts.groups(
      { of: Order, at: 'receivedAt', by: { district: DISTRICT }, where: inArea },
      range,
    );
    const missed = await this.counts.groups(
      {
        of: Check,
        at: 'checkedAt',
        by: { postcode: 'r.postcode' },
        where: `${inArea} AND r.productCount = 0`,
      },
      range,
    );
    const rows = new Map<string, DistrictRow>();
    for (const { by, n, counted } of checks) {
      const district = String(by.district);
      const { none = 0, staff = 0 } = counted;
      const checked = { checks: n, checksWithoutProduct: none, checksByStaff: staff };
      rows.set(district, { ...nothing, district, ...checked });
    }
    for (const { by, n } of orders) {
      const district = String(by.district);
      rows.set(district, { ...nothing, district, ...rows.get(district), orders: n });
    }
    return {
      districts: [...rows.values()].sort((a, b) => b.checks - a.checks || b.orders - a.orders),
      missed: missed
        .map(({ by, n }) => ({ postcode: String(by.postcode), checks: n }))
        .sort((a, b) => b.checks - a.checks || (a.postcode < b.postcode ? -1 : 1))
        .slice(0, MOST_MISSED),
    };
  }
}

const nothing = { checks: 0, checksWithoutProduct: 0, checksByStaff: 0, orders: 0 };
