import { Injectable } from '@nestjs/common';
import type { SelectQueryBuilder } from 'typeorm';
import type { StaffCaller } from '../../access/caller.js';
import { Clock } from '../../kernel/clock.js';
import { Transactions } from '../../database/transactions.js';
import { Order } from '../../orders/order.entity.js';
import { narrow } from './list-filter.js';

/** Orders of a view are counted up to this number. */
export const MOST_SHOWN = 1_000;

/** The views whose numbers the navigation shows. */
export const countedViews = ['waiting', 'mine', 'due', 'late', 'open'] as const;
export type ViewCounts = Readonly<Record<(typeof countedViews)[number], number>>;

/** Future call-backs of one staff member. */
export interface CallBacks {
  readonly number: number;
  readonly first: Date | null;
}

/** Counts the orders in the views of a staff member. */
@Injectable()
export class CountsService {
  constructor(
    private readonly transactions: Transactions,
    private readonly clock: Clock,
  ) {}

  /** Counts all views in one query, each by its index and up to `MOST_SHOWN`. */
  async ofViews(caller: StaffCaller): Promise<ViewCounts> {
    const now = this.clock.now();
    return this.transactions.read(async (tx) => {
      const all = tx.createQueryBuilder().from('(SELECT 1)', 'one');
      for (const view of countedViews) {
        const orders: SelectQueryBuilder<Order> = tx
          .createQueryBuilder(Order, 'o')
          .select('o.id', 'id');
        const listing = { filter: { view }, found: null, me: caller.staffId, now };
        const rows = narrow(orders, listing).limit(MOST_SHOWN);
        all
          .addSelect(`(SELECT COUNT(*) FROM (${rows.getQuery()}) AS ${view}_rows)`, view)
          .setParameters(rows.getParameters());
      }
      const counted = await all.getRawOne<Record<string, number | string>>();
      return Object.fromEntries(
        countedViews.map((view) => [view, Number(counted?.[view] ?? 0)]),
      ) as ViewCounts;
    });
  }

  /** The caller's call-backs after now and before `until`. */
  async callBacks(caller: StaffCaller, until: Date): Promise<CallBacks> {
    const now = this.clock.now();
    const found = await this.transactions.read((tx) =>
      tx
        .createQueryBuilder(Order, 'o')
        .select('COUNT(*)', 'number')
        .addSelect('MIN(o.nextActionAt)', 'first')
        .where('o.nextActionAt IS NOT NULL AND o.nextActionAt > :now', { now: now.getTime() })
        .andWhere('o.nextActionAt < :until', { until: until.getTime() })
        .andWhere('o.ownerId = :me', { me: caller.staffId })
        .getRawOne<{ number: number | string; first: number | string | null }>(),
    );
    const first = found?.first ?? null;
    return {
      number: Number(found?.number ?? 0),
      first: first === null ? null : new Date(Number(first)),
    };
  }
}
