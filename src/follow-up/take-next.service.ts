import { Injectable } from '@nestjs/common';
import type { StaffCaller } from '../common/caller.js';
import { Clock } from '../common/clock.js';
import { isLockTimeout } from '../common/database-outage.js';
import { Transactions, type Tx } from '../database/transactions.js';
import { MovesService } from '../orders/moves.service.js';
import { Order } from '../orders/order.entity.js';
import type { Taken } from './moves.dto.js';
import { moverOf } from './order-actions.service.js';
import { printOrders } from './print-order.js';

/** Orders looked at in one go, besides those that this instance is claiming at the moment. */
const CANDIDATES = 12;
/** Orders lost to other instances, one after the other, before a caller gives up. */
const MOST_ROUNDS = 50;

type Why = NonNullable<Taken['why']>;
interface Candidate {
  readonly order: Order;
  readonly why: Why;
}

/** What an attempt came to: an order, `lost` to somebody else, or an empty queue. */
type Attempt = Candidate | 'lost' | null;

/** Gives each person who asks the order that needs somebody most, and no other person the same one. */
@Injectable()
export class TakeNextService {
  /** Orders that a caller of this instance is claiming: the others need not wait for its commit. */
  private readonly beingClaimed = new Set<string>();

  constructor(
    private readonly transactions: Transactions,
    private readonly moves: MovesService,
    private readonly clock: Clock,
  ) {}

  /**
   * Takes, in this order: my call-backs that are due; waiting orders that are late or nearly; waiting
   * orders, longest waiting first. Whoever loses a race to another instance takes one of the next.
   */
  async take(caller: StaffCaller): Promise<Taken> {
    const tried = new Set<string>();
    for (let round = 1; round <= MOST_ROUNDS; round += 1) {
      const taken = await this.attempt(caller, tried);
      if (taken === null) return { order: null, why: null };
      if (taken === 'lost') continue;
      const known = { id: caller.staffId, name: caller.name };
      const [order] = await this.transactions.read((tx) =>
        printOrders(tx, [taken.order], this.clock.now(), known),
      );
      return { order: order!, why: taken.why };
    }
    return { order: null, why: null };
  }

  /** One transaction with one claim, so that nobody holds an order while it waits for another. */
  private async attempt(caller: StaffCaller, tried: Set<string>): Promise<Attempt> {
    let claimed: string | undefined;
    try {
      return await this.moves.run(async (tx) => {
        const now = this.clock.now();
        const candidates = await this.candidates(tx, caller, now, tried);
        const choice = choose(candidates, tried);
        if (!choice) return candidates === null ? null : 'lost';
        const { order, why } = choice;
        claimed = order.id;
        tried.add(order.id);
        this.beingClaimed.add(order.id);
        const name = order.state === 'scheduled' ? 'resume' : 'claim';
        const taken = await this.moves.attempt(tx, order, { name }, moverOf(caller));
        return taken ? { order: taken, why } : 'lost';
      });
    } catch (error) {
      if (isLockTimeout(error)) return 'lost';
      throw error;
    } finally {
      if (claimed !== undefined) this.beingClaimed.delete(claimed);
    }
  }

  /** Null where the queue is empty; none where others of this instance are claiming all of them. */
  private async candidates(
    tx: Tx,
    caller: StaffCaller,
    now: Date,
    tried: ReadonlySet<string>,
  ): Promise<Candidate[] | null> {
    const limit = CANDIDATES + this.beingClaimed.size + tried.size;
    const isFree = ({ id }: Order) => !this.beingClaimed.has(id) && !tried.has(id);
    const due = await tx
      .createQueryBuilder(Order, 'o')
      .where('o.nextActionAt IS NOT NULL AND o.nextActionAt <= :now', { now: now.getTime() })
      .andWhere('o.ownerId = :me', { me: caller.staffId })
      .orderBy('o.nextActionAt', 'ASC')
      .addOrderBy('o.id', 'ASC')
      .limit(1)
      .getMany();
    const [callBack] = due.filter(isFree);
    if (callBack) return [{ order: callBack, why: 'call-back due' }];
    const uncontacted = await tx
      .createQueryBuilder(Order, 'o')
      .where(`o.state = 'waiting' AND o.closedAt IS NULL AND o.firstContactAt IS NULL`)
      .orderBy('o.firstContactDueAt', 'ASC')
      .addOrderBy('o.id', 'ASC')
      .limit(limit)
      .getMany();
    const urgent = uncontacted.filter((order) => order.firstContactWarnAt <= now && isFree(order));
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
      .limit(limit)
      .getMany();
    if (waiting.every(({ id }) => tried.has(id))) return null;
    return waiting.filter(isFree).map((order) => ({ order, why: 'waiting' }));
  }
}

/** The first; after a lost race any of them, so that the losers do not race for the next one too. */
function choose(
  candidates: readonly Candidate[] | null,
  tried: ReadonlySet<string>,
): Candidate | undefined {
  if (candidates === null) return undefined;
  const index = tried.size === 0 ? 0 : Math.floor(Math.random() * candidates.length);
  return candidates[index];
}
