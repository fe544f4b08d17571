import { Injectable } from '@nestjs/common';
import type { SelectQueryBuilder } from 'typeorm';
import type { StaffCaller } from '../../platform/access/caller.js';
import { Clock } from '../../platform/kernel/clock.js';
import { Transactions } from '../../platform/database/transactions.js';
import { Order } from '../../orders/record/order.entity.js';
import type { FollowUpFilter } from './list.dto.js';
import type { PlaceCounter } from '../../platform/ui/navigation.js';
import { narrow } from './list-filter.js';
import { deliveryViews } from './views.js';

/** Orders of a view are counted up to this number. */
export const MOST_SHOWN = 1_000;

/** The lists whose numbers the navigation shows. */
const countedLists = {
  waiting: { view: 'waiting' },
  mine: { view: 'mine' },
  /** The caller's own. */
  due: { view: 'due', owner: 'me' },
  teamDue: { view: 'due' },
  late: { view: 'late' },
  open: { view: 'open' },
  'waiting-for-client': { view: 'waiting-for-client' },
  'date-at-risk': { view: 'date-at-risk' },
  'cancellation-requests': { view: 'cancellation-requests' },
  approvals: { view: 'approvals' },
} as const satisfies Readonly<Record<string, FollowUpFilter>>;
type CountedList = keyof typeof countedLists;
/** `deliveries` adds up the lists of its tabs. */
export type ViewCounts = Readonly<Record<CountedList | 'deliveries', number>>;

/** Future call-backs of one staff member. */
export interface CallBacks {
  readonly number: number;
  readonly first: Date | null;
}

/** Counts the orders in the views of a staff member. */
@Injectable()
export class CountsService implements PlaceCounter {
  constructor(
    private readonly transactions: Transactions,
    private readonly clock: Clock,
  ) {}

  /** Counts all lists in one query, each by its index and up to `MOST_SHOWN`. */
  async ofViews(caller: StaffCaller): Promise<ViewCounts> {
    const now = this.clock.now();
    return this.transactions.read(async (tx) => {
      const all = tx.createQueryBuilder().from('(SELECT 1)', 'one');
      for (const [name, filter] of Object.entries(countedLists)) {
        const orders: SelectQueryBuilder<Order> = tx
          .createQueryBuilder(Order, 'o')
          .select('o.id', 'id');
        const listing = { filter, found: null, me: caller.staffId, now };
        const rows = narrow(orders, listing).limit(MOST_SHOWN);
        all
          .addSelect(
            `(SELECT COUNT(*) FROM (${rows.getQuery()}) AS ${name.replaceAll('-', '_')}_rows)`,
            name,
          )
          .setParameters(rows.getParameters());
      }
      const counted = await all.getRawOne<Record<string, number | string>>();
      const numberOf = (name: string) => Number(counted?.[name] ?? 0);
      return {
        ...Object.fromEntries(Object.keys(countedLists).map((name) => [name, numberOf(name)])),
        deliveries: deliveryViews.reduce((sum, name) => sum + numberOf(name), 0),
      } as ViewCounts;
    });
  }

  /** The caller's call-backs after now and before `until`. */
  async callBacks(caller: StaffCaller, until: Date): Promise<CallBacks> {
    const now = this.clock.now();
    const row = await this.transactions.read((tx) =>
      tx
        .createQueryBuilder(Order, 'o')
        .select('COUNT(*)', 'number')
        .addSelect('MIN(o.nextActionAt)', 'first')
        .where('o.nextActionAt > :now', { now: now.getTime() })
        .andWhere('o.nextActionAt < :until', { until: until.getTime() })
        .andWhere('o.ownerId = :me', { me: caller.staffId })
        .getRawOne<{ number: number | string; first: number | string | null }>(),
    );
    const first = row?.first ?? null;
    return {
      number: Number(row?.number ?? 0),
      first: first === null ? null : new Date(Number(first)),
    };
  }
}
