import { Injectable } from '@nestjs/common';
import { Check } from '../availability/check.entity.js';
import { startOfLondonDay } from '../common/working-hours.js';
import { Transactions } from '../database/transactions.js';
import { Order } from '../orders/order.entity.js';

const DAY = 86_400_000;
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

/** What lies behind one area of the demand report. */
@Injectable()
export class AreaDemandService {
  constructor(private readonly transactions: Transactions) {}

  async find(area: string, { from, to }: Days): Promise<AreaDemand> {
    const range = {
      area,
      start: startOfLondonDay(from).getTime(),
      end: startOfLondonDay(dayAfter(to)).getTime(),
    };
    const outward = (column: string) => `SUBSTR(${column}, 1, LENGTH(${column}) - 4)`;
    const when = (condition: string) => `SUM(CASE WHEN ${condition} THEN 1 ELSE 0 END)`;
    const inRange = 'c.area = :area AND c.checkedAt >= :start AND c.checkedAt < :end';
    const { checks, orders, missed } = await this.transactions.read(async (tx) => ({
      checks: await tx
        .createQueryBuilder(Check, 'c')
        .select(outward('c.postcode'), 'district')
        .addSelect('COUNT(*)', 'n')
        .addSelect(when('c.productCount = 0'), 'none')
        .addSelect(when('c.staffId IS NOT NULL'), 'staff')
        .where(inRange, range)
        .groupBy(outward('c.postcode'))
        .getRawMany<Record<'district' | 'n' | 'none' | 'staff', string>>(),
      orders: await tx
        .createQueryBuilder(Order, 'o')
        .select(outward('o.postcode'), 'district')
        .addSelect('COUNT(*)', 'n')
        .where('o.area = :area AND o.receivedAt >= :start AND o.receivedAt < :end', range)
        .groupBy(outward('o.postcode'))
        .getRawMany<Record<'district' | 'n', string>>(),
      missed: await tx
        .createQueryBuilder(Check, 'c')
        .select('c.postcode', 'postcode')
        .addSelect('COUNT(*)', 'n')
        .where(`${inRange} AND c.productCount = 0`, range)
        .groupBy('c.postcode')
        .orderBy('COUNT(*)', 'DESC')
        .addOrderBy('c.postcode', 'ASC')
        .limit(MOST_MISSED)
        .getRawMany<Record<'postcode' | 'n', string>>(),
    }));
    const rows = new Map<string, DistrictRow>();
    for (const { district, n, none, staff } of checks) {
      rows.set(district, {
        district,
        checks: Number(n),
        checksWithoutProduct: Number(none),
        checksByStaff: Number(staff),
        orders: 0,
      });
    }
    for (const { district, n } of orders) {
      rows.set(district, { ...(rows.get(district) ?? unasked(district)), orders: Number(n) });
    }
    return {
      districts: [...rows.values()].sort((a, b) => b.checks - a.checks || b.orders - a.orders),
      missed: missed.map(({ postcode, n }) => ({ postcode, checks: Number(n) })),
    };
  }
}

function unasked(district: string): DistrictRow {
  return { district, checks: 0, checksWithoutProduct: 0, checksByStaff: 0, orders: 0 };
}

function dayAfter(day: string): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) + DAY).toISOString().slice(0, 10);
}
