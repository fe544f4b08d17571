import { Injectable } from '@nestjs/common';
import { type Actor, AuditService } from '../../audit/audit.service.js';
import { Clock } from '../../kernel/clock.js';
import { wordsOf } from '../search-words.js';
import { addRows } from '../../database/engine/rows.js';
import { Transactions } from '../../database/transactions.js';
import type { Tx } from '../../database/engine/tx.js';
import { StaffMember } from '../../staff/staff-member.entity.js';
import { OrderChangesService } from './order-changes.service.js';
import { OrderWord } from '../order-word.entity.js';
import { Order, ordersOf, orderSubject } from '../order.entity.js';
import { isRefusal, type Move, type MovePlan, type Mover, planMove } from './order-state.js';
import { moveRefused, OrderMoved, OrderNotFound } from '../orders.errors.js';

/** A move of an order at the version that whoever makes it has seen. */
export interface MoveRequest {
  readonly orderId: string;
  readonly version: number;
  readonly move: Move;
  readonly mover: Mover;
}

/** A move of an order as it was read. */
export interface MoveAttempt {
  readonly order: Order;
  readonly move: Move;
  readonly mover: Mover;
}

/** Whether the orders are those of live or of test tokens: each kind has its table. */
interface OrderKind {
  readonly isTest: boolean;
}

const LIVE: OrderKind = { isTest: false };

/** A move whose update has been made, and whose audit entry has to follow. */
interface AppliedMove {
  readonly before: Order;
  readonly after: Order;
  readonly plan: MovePlan;
  readonly mover: Mover;
}

/** The one place that moves an order. */
@Injectable()
export class MovesService {
  constructor(
    private readonly transactions: Transactions,
    private readonly audit: AuditService,
    private readonly changes: OrderChangesService,
    private readonly clock: Clock,
  ) {}

  /**
   * Runs `work`, which makes moves, in one transaction; notifies the live pages, which show no test
   * orders, when it is on disk.
   */
  async run<T>(work: (tx: Tx) => Promise<T>, { isTest } = LIVE): Promise<T> {
    const result = await this.transactions.run(work);
    if (!isTest) this.changes.tell();
    return result;
  }

  /** As `run`, for a batch of moves. */
  async runBatch<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    const result = await this.transactions.runBatch(work);
    this.changes.tell();
    return result;
  }

  /**
   * Makes one move in a transaction of its own.
   * @throws {OrderNotFound | OrderMoved | NotPermitted | ValidationFailed}
   */
  make(request: MoveRequest): Promise<Order> {
    return this.run((tx) => this.makeWithin(tx, request));
  }

  /** As `make`, inside a transaction. */
  async makeWithin(tx: Tx, { orderId, version, move, mover }: MoveRequest): Promise<Order> {
    const order = await tx.findOneBy(Order, { id: orderId });
    if (!order) throw new OrderNotFound();
    if (order.version !== version) throw await whereItIs(tx, order);
    const moved = await this.attempt(tx, order, move, mover);
    if (moved) return moved;
    throw await whereItIs(tx, await tx.findOneByOrFail(Order, { id: orderId }));
  }

  /**
   * Moves `order` as it was read; null where somebody else was first, and then nothing has happened.
   * @throws {OrderMoved | NotPermitted | ValidationFailed} where the rules refuse the move
   */
  async attempt(
    tx: Tx,
    order: Order,
    move: Move,
    mover: Mover,
    kind = LIVE,
  ): Promise<Order | null> {
    const [moved] = await this.attemptAll(tx, [{ order, move, mover }], kind);
    return moved ?? null;
  }

  /**
   * As `attempt`, of several orders. Each is moved by a conditional update of its own; their audit
   * entries are one statement.
   */
  async attemptAll(
    tx: Tx,
    attempts: readonly MoveAttempt[],
    kind = LIVE,
  ): Promise<(Order | null)[]> {
    const made: (AppliedMove | null)[] = [];
    for (const attempt of attempts) made.push(await this.update(tx, attempt, kind));
    const moves = made.filter((one) => one !== null);
    await this.audit.recordAll(
      tx,
      moves.map(({ before, plan, mover }) => ({
        subject: [orderSubject(kind), before.id],
        action: plan.action,
        actor: actorOfMover(mover, kind),
        details: { ...plan.details },
      })),
    );
    for (const { before, after, plan } of moves) {
      // What was said about it can be searched for; test orders are in no search.
      const { note } = plan.details;
      if (typeof note === 'string' && !kind.isTest) await addWords(tx, after.id, wordsOf(note));
      await this.changes.moved(tx, before, after, kind);
    }
    return made.map((one) => one?.after ?? null);
  }

  private async update(
    tx: Tx,
    { order, move, mover }: MoveAttempt,
    kind: OrderKind,
  ): Promise<AppliedMove | null> {
    const plan = planMove(order, move, mover, this.clock.now());
    if (isRefusal(plan)) {
      throw plan.refused === 'state' ? await whereItIs(tx, order, plan.detail) : moveRefused(plan);
    }
    const { id, state, version } = order;
    const hold = () => (move.name === 'duplicate' ? holdOriginal(tx, move.of.id) : undefined);
    // Two orders that become duplicates of each other at once: both hold the lower id first.
    const lower = move.name === 'duplicate' && move.of.id < id;
    if (lower) await hold();
    const { affected } = await tx.update(ordersOf(kind), { id, state, version }, plan.changes);
    if (affected !== 1) return null;
    if (!lower) await hold();
    return { before: order, after: { ...order, ...plan.changes }, plan, mover };
  }
}

/** Adds words by which the order is found; those that it has already stay. */
export async function addWords(tx: Tx, orderId: string, words: readonly string[]): Promise<void> {
  const rows = words.map((word) => ({ word, orderId }));
  await addRows(tx, OrderWord, rows, 'is left out');
}

function actorOfMover(mover: Mover, { isTest }: OrderKind): Actor {
  if (mover.kind === 'staleRule') return { type: 'system', id: null, name: 'stale claims' };
  // The staff of a test order is the service itself.
  return isTest && mover.kind === 'staff'
    ? { type: 'system', id: null, name: mover.name }
    : { type: mover.kind, id: mover.id, name: mover.name };
}

async function holdOriginal(tx: Tx, id: string): Promise<void> {
  const { affected } = await tx
    .createQueryBuilder()
    .update(Order)
    .set({ version: () => 'version' })
    .where(`id = :id AND state <> 'duplicate'`, { id })
    .execute();
  if (affected !== 1) throw await whereItIs(tx, await tx.findOneByOrFail(Order, { id }));
}

async function whereItIs(tx: Tx, order: Order, detail?: string): Promise<OrderMoved> {
  const owner =
    order.ownerId === null ? null : await tx.findOneBy(StaffMember, { id: order.ownerId });
  return new OrderMoved(order, owner?.name ?? null, detail);
}
