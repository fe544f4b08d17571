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
import { moverOf } from '../../orders/staff/order-actions.service.js';
import { printOrders } from '../../orders/staff/print-order.js';
import { In } from 'typeorm';
import { MINUTE } from '../../platform/kernel/time.js';
import { uncontacted } from './views.js';
import { entitiesOf } from '../../platform/database/engine/rows.js';
import type { Tx } from '../../platform/database/engine/tx.js';
import { Order } from '../../orders/record/order.entity.js';

/** Milliseconds after which a due call-back is given again, if no call was recorded. */
const TAKEN_FOR = 15 * MINUTE;

/** Extra orders to read, for seekers who lost an order and get a random one of the next. */
const MARGIN = 32;

/** A staff member who wants an order. */
interface Seeker {
  readonly staffId: string;
  /** Orders that the seeker has lost to another instance. */
  readonly tried: ReadonlySet<string>;
}

interface OrderChoice {
  readonly order: Order;
  readonly why: NonNullable<TakenOrder['why']>;
}

/**
 * Chooses a different order for each seeker: first their own due call-backs, then waiting orders that
 * are late or nearly late, then the longest waiting, and at last their due call-backs that they have taken within a
 * quarter of an hour without recording a call; null if none is left. A seeker who has lost an
 * order gets a random one of the next, so that two instances do not race for the same one again.
 */
export async function chooseOrders(
  tx: Tx,
  seekers: readonly Seeker[],
  now: Date,
): Promise<(OrderChoice | null)[]> {
  const given = new Set<string>();
  const pick = ({ tried }: Seeker, choices: readonly OrderChoice[]): OrderChoice | null => {
    const free = choices.filter(({ order: { id } }) => !given.has(id) && !tried.has(id));
    const choice = free[tried.size === 0 ? 0 : Math.floor(Math.random() * free.length)] ?? null;
    if (choice) given.add(choice.order.id);
    return choice;
  };
  const most = seekers.length + new Set(seekers.flatMap(({ tried }) => [...tried])).size;
  const due = await dueCallBacks(tx, seekers, now, most, false);
  const chosen = seekers.map((seeker) => pick(seeker, due.get(seeker.staffId) ?? []));
  const fill = (choices: readonly OrderChoice[]) => {
    for (const [i, seeker] of seekers.entries()) chosen[i] ??= pick(seeker, choices);
    return !chosen.includes(null);
  };
  if (!chosen.includes(null)) return chosen;
  const limit = most + (seekers.some(({ tried }) => tried.size > 0) ? MARGIN : 0);
  if (fill(await urgent(tx, now, limit)) || fill(await waiting(tx, limit))) return chosen;
  const taken = await dueCallBacks(tx, seekers, now, most, true);
  for (const [i, seeker] of seekers.entries()) {
    chosen[i] ??= pick(seeker, taken.get(seeker.staffId) ?? []);
  }
  return chosen;
}

/** The due call-backs of each staff member, longest due first. @param isTaken only those taken a moment ago, or only the others */
async function dueCallBacks(
  tx: Tx,
  seekers: readonly Seeker[],
  now: Date,
  limit: number,
  isTaken: boolean,
): Promise<Map<string, OrderChoice[]>> {
  const people = [...new Set(seekers.map(({ staffId }) => staffId))];
  const since = now.getTime() - TAKEN_FOR;
  const taken = (o: string) =>
    `${o}.takenAt IS NOT NULL AND ${o}.takenAt >= ${o}.nextActionAt AND ${o}.takenAt > :since`;
  const parts = people.map((me, i) =>
    tx
      .createQueryBuilder(Order, `o${i}`)
      .select(`o${i}.id`, 'id')
      .where(`o${i}.nextActionAt <= :now`)
      .andWhere(`o${i}.ownerId = :me${i}`)
      .andWhere(isTaken ? taken(`o${i}`) : `NOT (${taken(`o${i}`)})`)
      .setParameters({ [`me${i}`]: me, now: now.getTime(), since })
      .orderBy(`o${i}.nextActionAt`, 'ASC')
      .addOrderBy(`o${i}.id`, 'ASC')
      .limit(limit),
  );
  const all = parts.map((part, i) => `SELECT * FROM (${part.getQuery()}) AS p${i}`);
  const rows = await tx
    .createQueryBuilder()
    .select('due.id', 'id')
    .from(`(${all.join(' UNION ALL ')})`, 'due')
    .setParameters(Object.assign({}, ...parts.map((part) => part.getParameters())) as object)
    .getRawMany<{ id: string }>();
  const orders =
    rows.length > 0 ? await tx.findBy(Order, { id: In(rows.map(({ id }) => id)) }) : [];
  orders.sort((a, b) => a.nextActionAt!.getTime() - b.nextActionAt!.getTime());
  const byOwner = new Map(people.map((id) => [id, [] as OrderChoice[]]));
  for (const order of orders) byOwner.get(order.ownerId!)?.push({ order, why: 'call-back due' });
  return byOwner;
}

async function urgent(tx: Tx, now: Date, limit: number): Promise<OrderChoice[]> {
  const orders = await waitingBy(tx, 'firstContactDueAt', limit, uncontacted);
  return orders
    .filter(({ firstContactWarnAt }) => firstContactWarnAt <= now)
    .map((order) => ({ order, why: order.firstContactDueAt <= now ? 'late' : 'nearly late' }));
}

async function waiting(tx: Tx, limit: number): Promise<OrderChoice[]> {
  const orders = await waitingBy(tx, 'receivedAt', limit);
  return orders.map((order) => ({ order, why: 'waiting' }));
}

function waitingBy(
  tx: Tx,
  key: 'firstContactDueAt' | 'receivedAt',
  limit: number,
  and: readonly string[] = [],
) {
  const query = tx
    .createQueryBuilder(Order, 'o')
    .where([`o.state = 'waiting'`, ...and].join(' AND '))
    .orderBy(`o.${key}`, 'ASC')
    .addOrderBy('o.id', 'ASC')
    .limit(limit);
  return entitiesOf(query);
}

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
    // A call-back that is due stays so until a call is recorded.
    const moved: (Order | null)[] = [];
    for (const { order } of claims.filter(({ order }) => order.state !== 'waiting')) {
      const { id, version } = order;
      const { affected } = await tx.update(Order, { id, version }, { takenAt: now });
      moved.push(affected === 1 ? { ...order, takenAt: now } : null);
    }
    const waiting = claims.filter(({ order }) => order.state === 'waiting');
    const claimed = await this.moves.attemptAll(
      tx,
      waiting.map(({ taker, order }) => ({
        order,
        move: { name: 'claim' },
        mover: moverOf(taker.caller),
        // A message of the client makes it due for its new owner at once, who has just got it.
        columns: { takenAt: now },
      })),
    );
    moved.push(...claimed);
    const people = takers.map(({ caller }) => ({ id: caller.staffId, name: caller.name }));
    const printed = await printOrders(
      tx,
      moved.filter((order) => order !== null),
      now,
      people,
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
