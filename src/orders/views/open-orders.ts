import type { SelectQueryBuilder } from 'typeorm';
import type { Tx } from '../../platform/database/engine/tx.js';
import { LIVE, type Side, tableOn } from '../../platform/database/sides.js';
import type { Span } from '../../platform/database/slices.js';
import type { Transactions } from '../../platform/database/transactions.js';
import { inTurns } from '../../platform/kernel/turns.js';
import { Order, type OrderRecord } from '../record/order.entity.js';

const OPEN_IN = 'r.closedAt IS NULL AND r.receivedAt >= :start AND r.receivedAt < :end';

/**
 * Reads the open orders, with a turn of the event loop after each `size`, by when they were received: a
 * change moves none into another slice. An order from long ago does not make it read the days in between.
 * @param read receives a query of the orders `r` of a slice
 */
export function openOrders<T>(
  transactions: Transactions,
  size: number,
  read: (query: SelectQueryBuilder<OrderRecord>) => Promise<T>,
  side: Side = LIVE,
): AsyncGenerator<T> {
  return inTurns(slices(transactions, size, read, side));
}

async function* slices<T>(
  transactions: Transactions,
  size: number,
  read: (query: SelectQueryBuilder<OrderRecord>) => Promise<T>,
  side: Side,
): AsyncGenerator<T> {
  for (let start = Number.MIN_SAFE_INTEGER; start < Number.MAX_SAFE_INTEGER;) {
    const slice = { start, end: Number.MAX_SAFE_INTEGER };
    yield await transactions.read(async (tx) => {
      const [next] = await openIn(tx, side, slice)
        .select('r.receivedAt', 'at')
        .orderBy('r.receivedAt')
        .offset(size)
        .limit(1)
        .getRawMany<{ at: number | string }>();
      if (next) slice.end = Math.max(Number(next.at), start + 1);
      return read(openIn(tx, side, slice));
    });
    start = slice.end;
  }
}

function openIn(tx: Tx, side: Side, slice: Span): SelectQueryBuilder<OrderRecord> {
  return tx.createQueryBuilder(tableOn(Order, side), 'r').where(OPEN_IN, slice);
}
