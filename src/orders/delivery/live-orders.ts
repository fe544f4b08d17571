/** The orders that went live, for what was promised against what happened. */
import { And, LessThan, MoreThanOrEqual, type SelectQueryBuilder } from 'typeorm';
import { type LiveOrder, Tracks } from '../../catalogue/track/track.js';
import type { Transactions } from '../../platform/database/transactions.js';
import type { Tx } from '../../platform/database/engine/tx.js';
import { majorUnits } from '../../platform/kernel/money.js';
import { addDays, DAY } from '../../platform/kernel/time.js';
import { Charge } from '../record/charge.entity.js';
import { Delivery, type DeliveryRecord } from '../record/delivery.entity.js';
import { ACCEPTED } from '../record/deliveries.js';
import { Order } from '../record/order.entity.js';

/** Days of a track. */
const YEAR = 365;

type LiveRow = Omit<LiveOrder, 'promisedDays' | 'tookDays' | 'committedDays' | 'charged'> &
  Pick<DeliveryRecord, 'acceptedOn' | 'promisedOn' | 'committedDate' | 'clientDays'> & {
    readonly liveOn: string;
    readonly charged: number | string | null;
  };

/** The tracks of the year before a day in London. */
export async function tracksBefore(transactions: Transactions, today: string): Promise<Tracks> {
  return Tracks.of(liveOrders(transactions, addDays(today, -YEAR), today));
}

/** The orders of each day that has some, by the index of these days. @param end the day after the last one */
export async function* liveOrders(
  transactions: Transactions,
  start: string,
  end: string,
): AsyncGenerator<LiveOrder[]> {
  for (let from = start; ;) {
    const where = { liveOn: And(MoreThanOrEqual(from), LessThan(end)) };
    const next = await transactions.read((tx) =>
      tx.findOne(Delivery, { select: { liveOn: true }, where, order: { liveOn: 'ASC' } }),
    );
    if (!next) return;
    const day = next.liveOn!;
    const rows = await transactions.read((tx) => liveOn(tx, day).getRawMany<LiveRow>());
    yield rows.map(orderOf);
    from = addDays(day, 1);
  }
}

/** A query of the accepted orders that went live on a day. */
export function liveOn(tx: Tx, day: string): SelectQueryBuilder<Delivery> {
  return tx
    .createQueryBuilder(Delivery, 'd')
    .innerJoin(Order, 'o', 'o.id = d.orderId')
    .select('o.clientId', 'clientId')
    .addSelect('o.productFamily', 'family')
    .addSelect('o.zone', 'zone')
    .addSelect('o.currency', 'currency')
    .addSelect('d.acceptedOn', 'acceptedOn')
    .addSelect('d.promisedOn', 'promisedOn')
    .addSelect('d.committedDate', 'committedDate')
    .addSelect('d.liveOn', 'liveOn')
    .addSelect('d.clientDays', 'clientDays')
    .addSelect(
      (charges) =>
        charges
          .select('SUM(c.amountMinor)')
          .from(Charge, 'c')
          .where(`c.orderId = o.id AND c.state = 'accepted' AND c.category <> 'cancellation'`),
      'charged',
    )
    .where({ liveOn: day })
    .andWhere(ACCEPTED)
    .andWhere('o.zone IS NOT NULL AND o.productFamily IS NOT NULL');
}

function orderOf({
  acceptedOn,
  promisedOn,
  committedDate,
  liveOn,
  charged,
  clientDays,
  ...row
}: LiveRow): LiveOrder {
  return {
    ...row,
    promisedDays: daysBetween(acceptedOn, promisedOn),
    // What the client did not do in time is not for the operator to promise.
    tookDays: Math.max(0, daysBetween(acceptedOn, liveOn) - (clientDays ?? 0)),
    committedDays: committedDate === null ? null : daysBetween(acceptedOn, committedDate),
    charged: majorUnits(Number(charged ?? 0), row.currency),
  };
}

function daysBetween(from: string, to: string): number {
  return Math.round((Date.parse(to) - Date.parse(from)) / DAY);
}
