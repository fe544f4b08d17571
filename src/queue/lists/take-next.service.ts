import { Injectable } from '@nestjs/common';
import type { StaffCaller } from '../../platform/access/caller.js';
import { Clock } from '../../platform/kernel/clock.js';
import { type Batch, Batcher } from '../../platform/database/batch/batcher.js';
import { Transactions } from '../../platform/database/transactions.js';
import { isLockTimeout } from '../../platform/database/engine/errors.js';
import type { OrdersTx } from '../../orders/record/order-tables.js';
import { MovesService } from '../../orders/moves/moves.service.js';
import type { FollowUpOrder } from '../../orders/staff/follow-up.dto.js';
import type { TakenOrder } from '../../orders/staff/moves.dto.js';
import { type OrderChoice, chooseOrders, type Seeker } from './next-orders.js';
import { moverOf } from '../../orders/staff/order-actions.service.js';
import { printOrders } from '../../orders/staff/print-order.js';

/** Orders that one call may lose to other instances before it answers that the queue is empty. */
const MOST_ROUNDS = 50;
/** Callers who get an order in one transaction. */
const MOST_AT_ONCE = 32;

const nothing: TakenOrder = { order: null, why: null };

interface Taker extends Seeker {
  readonly caller: StaffCaller;
  readonly tried: Set<string>;
}

/** An order, none because the queue is empty, or `lost` to another instance. */
type TakeOutcome = TakenOrder | 'lost';

/**
 * Gives each caller the most urgent order, and no two callers the same one. Concurrent callers share
 * one query of the queue and one commit. A conditional update claims each order.
 */
@Injectable()
export class TakeNextService {
  private readonly batcher = new Batcher<Taker, TakeOutcome>((batch) => this.giveAll(batch));

  constructor(
    private readonly moves: MovesService,
    private readonly clock: Clock,
    private readonly transactions: Transactions,
  ) {}

  /** Takes an order as `chooseOrders` chooses it; tries again if another instance was faster. */
  async take(caller: StaffCaller): Promise<TakenOrder> {
    const taker: Taker = { caller, staffId: caller.staffId, tried: new Set() };
    for (let round = 0; round < MOST_ROUNDS; round += 1) {
      const outcome = await this.batcher.add(taker, this.transactions.until);
      if (outcome !== 'lost') return outcome;
    }
    return nothing;
  }

  /** The order that `take` would give now, without taking it. */
  preview({ staffId }: StaffCaller): Promise<FollowUpOrder | null> {
    const now = this.clock.now();
    return this.transactions.read(async (tx) => {
      const [choice] = await chooseOrders(tx, [{ staffId, tried: new Set() }], now);
      const [order] = await printOrders(tx, choice ? [choice.order] : [], now);
      return order ?? null;
    });
  }

  private async giveAll({ take }: Batch<Taker>): Promise<TakeOutcome[]> {
    let takers: readonly Taker[] = [];
    try {
      return await this.moves.runBatch((tx) => {
        takers = take(MOST_AT_ONCE);
        return this.give(tx, takers);
      });
    } catch (error) {
      if (!isLockTimeout(error)) throw error;
      return takers.map(() => 'lost');
    }
  }

  private async give(tx: OrdersTx, takers: readonly Taker[]): Promise<TakeOutcome[]> {
    const now = this.clock.now();
    const choices = await chooseOrders(tx, takers, now);
    const claims = takers.flatMap((taker, i) => {
      const choice = choices[i];
      return choice ? [{ taker, choice, order: choice.order }] : [];
    });
    // All instances lock orders in the same sequence, which avoids deadlocks.
    claims.sort((a, b) => (a.order.id < b.order.id ? -1 : 1));
    for (const { taker, order } of claims) taker.tried.add(order.id);
    const moved = await this.moves.attemptAll(
      tx,
      claims.map(({ taker, order }) => ({
        order,
        move: { name: order.state === 'scheduled' ? 'resume' : 'claim' },
        mover: moverOf(taker.caller),
      })),
    );
    const known = takers.map(({ caller }) => ({ id: caller.staffId, name: caller.name }));
    const printed = await printOrders(
      tx,
      moved.filter((order) => order !== null),
      now,
      known,
    );
    const shown = new Map(printed.map((order) => [order.orderId, order]));
    return choices.map((choice) => outcomeOf(choice, shown));
  }
}

function outcomeOf(
  choice: OrderChoice | null,
  shown: ReadonlyMap<string, NonNullable<TakenOrder['order']>>,
): TakeOutcome {
  if (!choice) return nothing;
  const order = shown.get(choice.order.id);
  return order ? { order, why: choice.why } : 'lost';
}
