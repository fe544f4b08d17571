import { Injectable } from '@nestjs/common';
import type { Tx } from '../database/engine/tx.js';
import { openStates, type OrderState } from './moves/order-states.js';
import { Order } from './order.entity.js';

export interface StateCount<State extends string> {
  readonly state: State;
  readonly count: number;
  /** When the oldest came; null where there is none. */
  readonly oldest: Date | null;
}

/** Counts orders for the metrics. */
@Injectable()
export class OrderCountsService {
  /** For each open state. */
  async open(tx: Tx): Promise<StateCount<OrderState>[]> {
    const rows = await tx
      .createQueryBuilder(Order, 'o')
      .select('o.state', 'state')
      .addSelect('COUNT(*)', 'count')
      .addSelect('MIN(o.receivedAt)', 'oldest')
      .where('o.state IN (:...states)', { states: openStates })
      .groupBy('o.state')
      .getRawMany<{ state: OrderState; count: number | string; oldest: number | string }>();
    return openStates.map((state) => {
      const row = rows.find((one) => one.state === state);
      return {
        state,
        count: Number(row?.count ?? 0),
        oldest: row ? new Date(Number(row.oldest)) : null,
      };
    });
  }
}
