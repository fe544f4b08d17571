import { Injectable } from '@nestjs/common';
import type { StaffCaller } from '../common/caller.js';
import { Clock } from '../common/clock.js';
import type { Tx } from '../database/transactions.js';
import { MovesService } from '../orders/moves.service.js';
import { Order } from '../orders/order.entity.js';
import type { Taken } from './moves.dto.js';
import { moverOf } from './order-actions.service.js';
import { printOrders } from './print-order.js';

/** Orders looked at in one go. At least as many as callers that are likely at the same moment. */
const CANDIDATES = 24;
/** Rounds of candidates that all were lost to others, before the queue counts as empty. */
const MOST_ROUNDS = 20;

type Why = NonNullable<Taken['why']>;
interface Candidate {
  readonly order: Order;
  readonly why: Why;
}

/** Gives each person who asks the order that needs somebody most, and no other person the same one. */
@Injectable()
export class TakeNextService {
  /** Orders that a caller of this instance is claiming: the others need not wait for its commit. */
  private readonly beingClaimed = new Set<string>();

  constructor(
    private readonly moves: MovesService,
    private readonly clock: Clock,
  ) {}

  /**
   * Takes, in this order: my call-backs that are due; waiting orders that are late or nearly; waiting
   * orders, longest waiting first. Whoever loses a race for one takes the next.
   */
  async take(caller: StaffCaller): Promise<Taken> {
    for (let round = 1; round <= MOST_ROUNDS; round += 1) {
      const mine = new Set<string>();
      try {
        const taken = await this.moves.run((tx) => this.attempt(tx, caller, mine));
        if (taken !== 'lost all') return taken;
      } finally {
        for (const id of mine) this.beingClaimed.delete(id);
      }
    }
    return { order: null, why: null };
  }

  private async attempt(
    tx: Tx,
    caller: StaffCaller,
    mine: Set<string>,
  ): Promise<Taken | 'lost all'> {
    const now = this.clock.now();
    const candidates = await this.candidates(tx, caller, now);
    for (const { order, why } of candidates) {
      if (this.beingClaimed.has(order.id)) continue;
      this.beingClaimed.add(order.id);
      mine.add(order.id);
      const name = order.state === 'scheduled' ? 'resume' : 'claim';
      const taken = await this.moves.attempt(tx, order, { name }, moverOf(caller));
      if (!taken) continue;
      const [printed] = await printOrders(tx, [taken], now);
      return { order: printed!, why };
    }
    return candidates.length > 0 ? 'lost all' : { order: null, why: null };
  }

  private async candidates(tx: Tx, caller: StaffCaller, now: Date): Promise<Candidate[]> {
    const due = await tx
      .createQueryBuilder(Order, 'o')
      .where('o.nextActionAt IS NOT NULL AND o.nextActionAt <= :now', { now: now.getTime() })
      .andWhere('o.ownerId = :me AND o.closedAt IS NULL', { me: caller.staffId })
      .orderBy('o.nextActionAt', 'ASC')
      .addOrderBy('o.id', 'ASC')
      .limit(1)
      .getMany();
    const [callBack] = due;
    if (callBack && !this.beingClaimed.has(callBack.id)) {
      return [{ order: callBack, why: 'call-back due' }];
    }
    const uncontacted = await tx
      .createQueryBuilder(Order, 'o')
      .where(`o.state = 'waiting' AND o.closedAt IS NULL AND o.firstContactAt IS NULL`)
      .orderBy('o.firstContactDueAt', 'ASC')
      .addOrderBy('o.id', 'ASC')
      .limit(CANDIDATES)
      .getMany();
    const urgent = uncontacted.filter(({ firstContactWarnAt }) => firstContactWarnAt <= now);
    if (urgent.length > 0) {
      return urgent.map((order) => ({
        order,
        why: order.firstContactDueAt <= now ? 'late' : 'nearly late',
      }));
    }
    const waiting = await tx
      .createQueryBuilder(Order, 'o')
      .where(`o.state = 'waiting'`)
      .orderBy('o.receivedAt', 'ASC')
      .addOrderBy('o.id', 'ASC')
      .limit(CANDIDATES)
      .getMany();
    return waiting.map((order) => ({ order, why: 'waiting' }));
  }
}
