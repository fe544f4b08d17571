import { Injectable } from '@nestjs/common';
import { MoreThan, Not } from 'typeorm';
import { type Actor, type AuditEvent, AuditService } from '../../platform/audit/audit.service.js';
import { Clock } from '../../platform/kernel/clock.js';
import { wordsOf, wordsOfCode } from '../record/search-words.js';
import { Transactions } from '../../platform/database/transactions.js';
import { OrderChangesService } from './order-changes.service.js';
import { moveRefused, orderMoved, isRefusal, planMove } from './plan-move.js';
import { UndoService } from './undo.service.js';
import { newId } from '../../platform/database/new-id.js';
import { addRows } from '../../platform/database/engine/rows.js';
import { addWords } from '../record/order-word.entity.js';
import { LIVE, type Side } from '../../platform/database/sides.js';
import {
  lockedOrder,
  liveOrders,
  ordersOn,
  type OrdersTx,
  workingOwner,
} from '../record/order-tables.js';
import { reopeningFault, startDelivery } from '../record/deliveries.js';
import { storeEndOfOffers } from '../record/print-offers.js';
import { nextDueOf, Order } from '../record/order.entity.js';
import { type MessageRecord, replyFault } from '../record/message.entity.js';
import type { Move, MoveName, Mover } from './move-contents.js';
import type { MovePlan } from './move-rules.js';
import { ChargeOpen, OrderNotFound } from '../record/orders.errors.js';
import { movedRules, mustHold, orderRules } from '../record/money-rules.js';

/** A move with the version that the caller last saw (optimistic locking). */
export interface MoveRequest {
  readonly orderId: string;
  readonly version: number;
  readonly move: Move;
  readonly mover: Mover;
}

export interface MoveAttempt {
  readonly order: Order;
  readonly move: Move;
  readonly mover: Mover;
  /** What the request says from then on, in addition to what the move sets. */
  readonly columns?: Partial<Order>;
}

/** A move whose audit entry is still to be written. */
interface AppliedMove {
  readonly name: MoveName;
  readonly before: Order;
  readonly after: Order;
  readonly plan: MovePlan;
  readonly mover: Mover;
  readonly message: MessageRecord | null;
}

/** The only code that moves orders. */
@Injectable()
export class MovesService {
  constructor(
    private readonly transactions: Transactions,
    private readonly audit: AuditService,
    private readonly changes: OrderChangesService,
    private readonly undos: UndoService,
    private readonly clock: Clock,
  ) {}

  /** Runs moves in one transaction; after the commit, notifies open pages. */
  run<T>(work: (tx: OrdersTx) => Promise<T>): Promise<T> {
    return this.runOn(LIVE, work);
  }

  /** As `run`, for a caller's orders. */
  async runOn<T>(side: Side, work: (tx: OrdersTx) => Promise<T>): Promise<T> {
    const result = await this.transactions.run((tx) => work(ordersOn(tx, side)));
    this.changes.notifyPages(side);
    return result;
  }

  async runBatch<T>(work: (tx: OrdersTx) => Promise<T>): Promise<T> {
    const result = await this.transactions.runBatch((tx) => work(liveOrders(tx)));
    this.changes.notifyPages();
    return result;
  }

  /** @throws {OrderNotFound | OrderMoved | NotPermitted | ValidationFailed} */
  make(request: MoveRequest): Promise<Order> {
    return this.run((tx) => this.makeWithin(tx, request));
  }

  /** As `make`, inside a transaction. */
  async makeWithin(tx: OrdersTx, { orderId, version, move, mover }: MoveRequest): Promise<Order> {
    const order = await tx.findOneBy(Order, { id: orderId });
    if (!order) throw new OrderNotFound();
    if (order.version !== version) throw await orderMoved(tx, order);
    const moved = await this.attempt(tx, order, move, mover);
    if (moved) return moved;
    throw await orderMoved(tx, await tx.findOneByOrFail(Order, { id: orderId }));
  }

  /**
   * Moves `order` as it was read. Changes nothing and returns null if someone else moved it since.
   * @throws {OrderMoved | NotPermitted | ValidationFailed} if the rules refuse the move
   */
  async attempt(
    tx: OrdersTx,
    order: Order,
    move: Move,
    mover: Mover,
    columns?: Partial<Order>,
  ): Promise<Order | null> {
    const [moved] = await this.attemptAll(tx, [{ order, move, mover, columns }]);
    return moved ?? null;
  }

  /** As `attempt`, for several orders: one conditional update each, one insert of audit entries. */
  async attemptAll(tx: OrdersTx, attempts: readonly MoveAttempt[]): Promise<(Order | null)[]> {
    const made: (AppliedMove | null)[] = [];
    for (const attempt of attempts) made.push(await this.update(tx, attempt));
    const moves = made.filter((move) => move !== null);
    const events = moves.map(({ before, plan, mover }): AuditEvent => ({
      subject: [tx.subject, before.id],
      action: plan.action,
      actor: actorOfMover(mover, tx),
      details: { ...plan.details },
    }));
    await this.audit.record(tx, ...events);
    for (const { name, message, ...made } of moves) {
      const { before, after, plan } = made;
      const words = [...wordsOfMove(plan), ...wordsOf(message?.text ?? '')];
      await addWords(tx, { orderId: after.id, words });
      const heldUntil = () => this.undos.heldUntil(tx, name, made);
      const messages = message
        ? await this.changes.wrote(tx, after, message, heldUntil)
        : await this.changes.moved(tx, before, after, heldUntil);
      await this.undos.offer(tx, name, made, messages);
    }
    return made.map((move) => move?.after ?? null);
  }

  /** Who reopens an order gets it where its owner is disabled. */
  private async asPlanned(tx: OrdersTx, order: Order, { name }: Move): Promise<Order> {
    if (name !== 'reopen') return order;
    return { ...order, ownerId: await workingOwner(tx, order.ownerId) };
  }

  private async update(
    tx: OrdersTx,
    { order, move, mover, columns }: MoveAttempt,
  ): Promise<AppliedMove | null> {
    const planned = planMove(await this.asPlanned(tx, order, move), move, mover, this.clock.now());
    if (isRefusal(planned)) {
      const { refused } = planned;
      throw refused === 'state'
        ? await orderMoved(tx, order, planned.detail)
        : moveRefused(planned);
    }
    if (move.name === 'reply') await refuseReply(tx, order, this.clock.now());
    const message = messageOf(order, move, mover, planned.changes.lastEntryAt!);
    const named = message && { messageId: message.id };
    const plan = { ...planned, details: { ...planned.details, ...named } };
    const { id, state, version } = order;
    const lock = () => (move.name === 'duplicate' ? lockOriginal(tx, move.of.id) : undefined);
    // Two orders may become duplicates of each other at once. Locking the lower id first avoids deadlock.
    const lower = move.name === 'duplicate' && move.of.id < id;
    if (lower) await lock();
    const moved = { ...order, ...columns, ...plan.changes };
    mustHold(orderRules, moved, order.reference);
    mustHold(movedRules, { before: order, after: moved }, order.reference);
    const nextDueAt = nextDueOf(moved);
    // SQLite rewrites the entries of an index for each column that is set, even to the same value.
    const isSame = nextDueAt.getTime() === order.nextDueAt.getTime();
    const changes = { ...columns, ...plan.changes, ...(!isSame && { nextDueAt }) };
    const { affected } = await tx.update(tx.orders, { id, state, version }, changes);
    if (affected !== 1) return null;
    if (message) await addRows(tx, tx.messages, [message]);
    if (move.name === 'win') {
      await refuseOpenCharges(tx, id, this.clock.now());
      await startDelivery(tx, order, this.clock.now());
    }
    if (move.name === 'reopen' && state === 'won') await refuseReopening(tx, order);
    if (move.name === 'reopen' && order.kind === 'enquiry') {
      await storeEndOfOffers(tx, order, this.clock.now());
    }
    if (!lower) await lock();
    const after = { ...order, ...changes };
    return { name: move.name, before: order, after, plan, mover, message };
  }
}

/** What the move writes to the other side; null for other moves. */
function messageOf({ id }: Order, move: Move, mover: Mover, at: Date): MessageRecord | null {
  if (move.name !== 'hear' && move.name !== 'reply') return null;
  const isClient = move.name === 'hear';
  return {
    id: isClient ? move.messageId : newId(),
    orderId: id,
    sender: isClient ? 'client' : 'operator',
    text: move.text,
    at,
    answersWaiting: isClient && move.answersWaiting,
    authorId: mover.kind === 'staff' ? mover.id : null,
  };
}

/** @throws {OrderMoved} where the message would reach no one, or the order ended too long ago */
async function refuseReply(tx: OrdersTx, order: Order, now: Date): Promise<void> {
  const delivery = await tx.findOneBy(tx.deliveries, { orderId: order.id });
  const { contactEmail, clientId } = order;
  const fault = replyFault(order, { clientId, email: contactEmail }, delivery, now);
  if (fault !== null) throw await orderMoved(tx, order, fault);
}

/** The words of the note and of the reference in the order system. */
function wordsOfMove({ details: { note, externalReference } }: MovePlan): string[] {
  return [
    ...(typeof note === 'string' ? wordsOf(note) : []),
    ...(typeof externalReference === 'string' ? wordsOfCode(externalReference) : []),
  ];
}

function actorOfMover(mover: Mover, { isTest }: Side): Actor {
  if (mover.kind !== 'staff' && mover.kind !== 'client') {
    return { type: 'system', id: null, name: 'The service' };
  }
  // The service itself plays the staff of test orders.
  return isTest && mover.kind === 'staff'
    ? { type: 'system', id: null, name: mover.name }
    : { type: mover.kind, id: mover.id, name: mover.name };
}

/** The client has to answer a charge before it agrees, or staff withdraw it. @throws {ChargeOpen} */
async function refuseOpenCharges(tx: OrdersTx, orderId: string, now: Date): Promise<void> {
  const open = { orderId, state: 'awaitingResponse', dueAt: MoreThan(now) } as const;
  const charges = await tx.findBy(tx.charges, open);
  if (charges.length > 0) throw new ChargeOpen(charges.map(({ id }) => id));
}

/**
 * What staff or the client still do with the accepted order comes first.
 * @param order its row is locked, so that its delivery stays as it is
 * @throws {OrderMoved}
 */
async function refuseReopening(tx: OrdersTx, order: Order): Promise<void> {
  const delivery = await tx.findOneBy(tx.deliveries, { orderId: order.id });
  const fault = delivery && reopeningFault(delivery.liveOn, delivery.cancellationAskedAt);
  if (fault !== null) throw await orderMoved(tx, order, fault);
}

async function lockOriginal(tx: OrdersTx, id: string): Promise<void> {
  const original = await lockedOrder(tx, { id, state: Not('duplicate') });
  if (!original) throw await orderMoved(tx, await tx.findOneByOrFail(Order, { id }));
}
