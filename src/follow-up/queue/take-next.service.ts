import { Injectable } from '@nestjs/common';
import type { StaffCaller } from '../../access/caller.js';
import { Clock } from '../../kernel/clock.js';
import { isLockTimeout } from '../../database/errors.js';
import type { Tx } from '../../database/engine/tx.js';
import { MovesService } from '../../orders/moves/moves.service.js';
import type { Taken } from '../moves/moves.dto.js';
import { type Choice, chooseOrders, type Seeker } from './next-orders.js';
import { moverOf } from '../moves/order-actions.service.js';
import { printOrders } from '../print-order.js';

/** People who are given an order in one transaction. */
const MOST_AT_ONCE = 32;
/** Orders lost to other instances, one after the other, before a caller gives up. */
const MOST_ROUNDS = 50;

const nothing: Taken = { order: null, why: null };

/** A caller who waits for an order. */
interface Waiting extends Seeker {
  readonly caller: StaffCaller;
  readonly tried: Set<string>;
  rounds: number;
  readonly resolve: (taken: Taken) => void;
  readonly reject: (error: unknown) => void;
}

/** What came of it: an order, `lost` to somebody else, or an empty queue. */
type Outcome = Taken | 'lost';

/**
 * Gives each person who asks the order that needs somebody most, and no other person the same one.
 *
 * Those who ask while others are being served are served together: one look at the queue and one
 * commit for all of them. Each order is claimed by its own conditional update, with its own audit
 * entry.
 */
@Injectable()
export class TakeNextService {
  private readonly queue: Waiting[] = [];
  private serving = false;

  constructor(
    private readonly moves: MovesService,
    private readonly clock: Clock,
  ) {}

  /**
   * Takes, in this order: my call-backs that are due; waiting orders that are late or nearly; waiting
   * orders, longest waiting first. Whoever loses a race to another instance takes one of the next.
   */
  take(caller: StaffCaller): Promise<Taken> {
    return new Promise((resolve, reject) => {
      const { staffId } = caller;
      this.queue.push({ caller, staffId, tried: new Set(), rounds: 0, resolve, reject });
      if (!this.serving) void this.serveAll();
    });
  }

  private async serveAll(): Promise<void> {
    this.serving = true;
    while (this.queue.length > 0) await this.serveSome();
    this.serving = false;
  }

  /** Whoever comes before the transaction has begun is served in it. */
  private async serveSome(): Promise<void> {
    let served: Waiting[] = [];
    try {
      const outcomes = await this.moves.run((tx) => {
        served = this.queue.splice(0, MOST_AT_ONCE);
        return this.give(tx, served);
      });
      for (const [i, waiting] of served.entries()) this.answer(waiting, outcomes[i]!);
    } catch (error) {
      // Where there was no transaction at all, there is none for anybody.
      if (served.length === 0) served = this.queue.splice(0);
      for (const waiting of served) {
        if (isLockTimeout(error)) this.answer(waiting, 'lost');
        else waiting.reject(error);
      }
    }
  }

  private answer(waiting: Waiting, outcome: Outcome): void {
    if (outcome !== 'lost') return waiting.resolve(outcome);
    waiting.rounds += 1;
    if (waiting.rounds < MOST_ROUNDS) this.queue.unshift(waiting);
    else waiting.resolve(nothing);
  }

  private async give(tx: Tx, served: readonly Waiting[]): Promise<Outcome[]> {
    const now = this.clock.now();
    const choices = await chooseOrders(tx, served, now);
    const claims = served.flatMap((waiting, i) => {
      const choice = choices[i];
      return choice ? [{ waiting, choice, order: choice.order }] : [];
    });
    // Instances that claim several orders at once hold them in the same order: none waits for ever.
    claims.sort((a, b) => (a.order.id < b.order.id ? -1 : 1));
    for (const { waiting, order } of claims) waiting.tried.add(order.id);
    const moved = await this.moves.attemptAll(
      tx,
      claims.map(({ waiting, order }) => ({
        order,
        move: { name: order.state === 'scheduled' ? 'resume' : 'claim' },
        mover: moverOf(waiting.caller),
      })),
    );
    const known = served.map(({ caller }) => ({ id: caller.staffId, name: caller.name }));
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
  choice: Choice | null,
  shown: ReadonlyMap<string, NonNullable<Taken['order']>>,
): Outcome {
  if (!choice) return nothing;
  const order = shown.get(choice.order.id);
  return order ? { order, why: choice.why } : 'lost';
}
