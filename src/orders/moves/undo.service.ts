import { Injectable } from '@nestjs/common';
import { In, IsNull, LessThan } from 'typeorm';
import type { AuditAction } from '../../platform/audit/audit-actions.js';
import { AuditService } from '../../platform/audit/audit.service.js';
import { Clock } from '../../platform/kernel/clock.js';
import { MINUTE, SECOND } from '../../platform/kernel/time.js';
import { Transactions } from '../../platform/database/transactions.js';
import { addRows } from '../../platform/database/engine/rows.js';
import type { Tx } from '../../platform/database/engine/tx.js';
import type { Side, SideTx } from '../../platform/database/sides.js';
import { OutboxMessage } from '../../platform/notifications/messages/outbox-message.entity.js';
import { lockedOrder, type OrdersTx } from '../record/order-tables.js';
import { BespokeOffer } from '../record/bespoke-offer.entity.js';
import type { DeliveryRecord } from '../record/delivery.entity.js';
import { nextDueOf, Order } from '../record/order.entity.js';
import { NotPermitted, OrderNotFound } from '../record/orders.errors.js';
import { orderMoved } from './plan-move.js';
import type { MoveName, Mover, OrderOwner, StaffMover } from './move-contents.js';
import { type MovePlan, moveRules } from './move-rules.js';
import type { OrderProgress } from '../record/order-states.js';
import { OrderUndo, type UndoneDelivery, type UndoneOffer } from './order-undo.entity.js';
import { publicStateOf } from '../record/public-state.js';

/** Milliseconds for which a move can be undone, and its messages wait. */
export const UNDO_TIME = 10 * SECOND;

const undoable: ReadonlySet<MoveName> = new Set([
  'logContact',
  'schedule',
  'win',
  'lose',
  'cancel',
  'duplicate',
  'release',
  'reply',
  'settle',
  'offer',
]);

/** A move that a staff member can still undo. */
export interface UndoOffer {
  readonly orderId: string;
  readonly reference: string;
  readonly action: string;
  readonly version: number;
  /** How long that is still possible. */
  readonly seconds: number;
  /** What it has left as the next step of the order. */
  readonly next: Pick<Order, 'nextActionAt' | 'nextActionReason'>;
}

interface MadeMove {
  readonly before: OrderProgress;
  readonly after: OrderProgress;
  readonly plan: MovePlan;
  readonly mover: Mover;
}

/**
 * Takes back the last change of an order: a call, closing, releasing, cancelling, marking as a duplicate,
 * sending offers or changing the delivery, for ten seconds, by the staff member who made it. Its messages wait as
 * long in the outbox.
 */
@Injectable()
export class UndoService {
  constructor(
    private readonly transactions: Transactions,
    private readonly audit: AuditService,
    private readonly clock: Clock,
  ) {}

  /** Before when the messages of this move must not be sent; null for at once. */
  async heldUntil(tx: SideTx, name: MoveName, { before, mover }: MadeMove): Promise<Date | null> {
    const now = this.clock.now();
    if (isUndoable(tx, name, mover)) return new Date(now.getTime() + UNDO_TIME);
    // Its messages follow those of the move before, which may still wait.
    return this.until(tx, before.id);
  }

  /** Until when the last move of an order can be undone; null if it cannot. */
  async until(tx: Tx, orderId: string): Promise<Date | null> {
    const last = await tx.findOneBy(OrderUndo, { orderId });
    return last && last.until > this.clock.now() ? last.until : null;
  }

  /** Adds offers, as they were before the last move, and messages that wait, to what undoing the move takes back. */
  async extend(
    tx: SideTx,
    orderId: string,
    more: {
      readonly before: readonly BespokeOffer[];
      readonly messages: readonly string[];
      readonly action?: AuditAction | undefined;
    },
  ): Promise<void> {
    if (tx.isTest) return;
    const { before, action } = more;
    const last = await tx.findOneByOrFail(OrderUndo, { orderId });
    const offers = before.map(({ id, state, openedAt, endedAt, approverId }): UndoneOffer => {
      return { id, state, openedAt, endedAt, approverId };
    });
    const messages = [...last.messages, ...more.messages];
    await tx.update(OrderUndo, { orderId }, { offers, messages, ...(action && { action }) });
  }

  /** Remembers how to take a move back. @param messages the ids of those that wait for it */
  async offer(
    tx: SideTx,
    name: MoveName,
    { before, after, plan, mover }: MadeMove,
    messages: readonly string[],
  ): Promise<void> {
    if (!isUndoable(tx, name, mover)) return;
    const restored = Object.keys(plan.changes).filter((column) => !alwaysSet.has(column));
    const old = new Map<string, unknown>(Object.entries(before));
    const last = await tx.findOneBy(OrderUndo, { orderId: before.id });
    const contact =
      last &&
      last.until > this.clock.now() &&
      isSameCall(last, name, before) &&
      last.staffId === mover.id
        ? last
        : null;
    await tx.delete(OrderUndo, { orderId: before.id });
    const row: OrderUndo = {
      orderId: before.id,
      staffId: mover.id,
      action: contact?.action ?? plan.action,
      version: after.version,
      until: new Date(this.clock.now().getTime() + UNDO_TIME),
      before: {
        ...Object.fromEntries(restored.map((column) => [column, old.get(column)])),
        ...contact?.before,
      },
      offers: [],
      delivery: null,
      messages: [...messages],
    };
    await addRows(tx, OrderUndo, [row]);
  }

  /**
   * Remembers how to take a change of a delivery back. Its webhook waits as long.
   * @param version that the change has made
   */
  async offerDelivery(
    tx: Tx,
    before: DeliveryRecord,
    columns: Partial<DeliveryRecord>,
    { version, staffId }: { readonly version: number; readonly staffId: string },
  ): Promise<void> {
    const { orderId, unreportedSince, reportedAt } = before;
    const changed = Object.entries(before).filter(
      ([name, value]) =>
        Object.hasOwn(columns, name) && columns[name as keyof typeof columns] !== value,
    );
    await tx.delete(OrderUndo, { orderId });
    const row: OrderUndo = {
      orderId,
      staffId,
      action: 'delivery_changed',
      version,
      until: new Date(this.clock.now().getTime() + UNDO_TIME),
      before: {},
      offers: [],
      delivery: { ...Object.fromEntries(changed), unreportedSince, reportedAt },
      messages: [],
    };
    await addRows(tx, OrderUndo, [row]);
  }

  /**
   * Takes the last move back, and deletes its messages unsent.
   * @throws {OrderNotFound | OrderMoved | NotPermitted}
   */
  async undo(
    tx: OrdersTx,
    { orderId, version }: { readonly orderId: string; readonly version: number },
    by: OrderOwner,
  ): Promise<Order> {
    const now = this.clock.now();
    const order = await lockedOrder(tx, { id: orderId });
    if (!order) throw new OrderNotFound();
    if (order.version !== version) throw await orderMoved(tx, order);
    const last = await tx.findOneBy(OrderUndo, { orderId });
    const tooLate = () => orderMoved(tx, order, 'The last change can no longer be undone.');
    if (!last || last.version !== version || last.until <= now) throw await tooLate();
    if (last.staffId !== by.id) {
      throw new NotPermitted('Only the person who made the last change can undo it.');
    }
    const ids = last.messages;
    const unsent = { id: In(ids), state: 'waiting', attempts: 0, claim: IsNull() } as const;
    const deleted = ids.length === 0 ? 0 : (await tx.delete(OutboxMessage, unsent)).affected;
    if (deleted !== ids.length) throw await tooLate();
    const before: Partial<Order> = columnsOf(last.before);
    const isReply = last.action === moveRules.reply.action;
    const isSeen =
      isReply ||
      last.offers.length > 0 ||
      last.delivery !== null ||
      publicStateOf({ ...order, ...before }) !== publicStateOf(order);
    const { affected } = await tx.update(
      Order,
      { id: orderId, version },
      {
        ...before,
        nextDueAt: nextDueOf({ ...order, ...before }),
        version: version + 1,
        lastEntryAt: now,
        ...(isSeen && { publicStateAt: now }),
      },
    );
    if (affected !== 1) throw await tooLate();
    for (const { id, ...columns } of last.offers) {
      await tx.update(BespokeOffer, { id }, columnsOf(columns));
    }
    if (isReply) await takeBackReply(tx, orderId);
    if (last.delivery !== null) await restoreDelivery(tx, orderId, last.delivery, now);
    await tx.delete(OrderUndo, { orderId });
    await this.audit.record(tx, {
      subject: ['order', orderId],
      action: 'undone',
      actor: { type: 'staff', ...by },
      details: {
        from: order.state,
        to: before.state ?? order.state,
        version: version + 1,
        undone: last.action,
      },
    });
    return tx.findOneByOrFail(Order, { id: orderId });
  }

  /** The newest move that this staff member can still undo. */
  latest(staffId: string): Promise<UndoOffer | null> {
    const now = this.clock.now();
    return this.transactions.read(async (tx) => {
      const [last] = await tx.find(OrderUndo, {
        where: { staffId },
        order: { until: 'DESC' },
        take: 1,
      });
      if (!last || last.until <= now) return null;
      const order = await tx.findOneBy(Order, { id: last.orderId, version: last.version });
      if (!order) return null;
      const { orderId, action, version, until } = last;
      const { nextActionAt, nextActionReason } = order;
      const next = { nextActionAt, nextActionReason };
      const seconds = Math.ceil((until.getTime() - now.getTime()) / SECOND);
      return { orderId, reference: order.reference, action, version, seconds, next };
    });
  }

  /** Removes what can no longer be undone. */
  async prune(): Promise<void> {
    const old = new Date(this.clock.now().getTime() - MINUTE);
    await this.transactions.run((tx) => tx.delete(OrderUndo, { until: LessThan(old) }));
  }
}

/** The service itself plays the staff of test orders. */
function isUndoable({ isTest }: Side, name: MoveName, mover: Mover): mover is StaffMover {
  return !isTest && mover.kind === 'staff' && undoable.has(name);
}

/** Whether a move is the next step of the contact that its owner has just logged: both are one call. */
function isSameCall(last: OrderUndo, name: MoveName, before: OrderProgress): boolean {
  return (
    name === 'schedule' &&
    last.action === moveRules.logContact.action &&
    last.version === before.version
  );
}

/** The reply is the last that staff wrote: another one would be the last change. */
async function takeBackReply(tx: OrdersTx, orderId: string): Promise<void> {
  const where = { orderId, sender: 'operator' } as const;
  const reply = await tx.findOneOrFail(tx.messages, { where, order: { id: 'DESC' } });
  await tx.delete(tx.messages, { id: reply.id });
}

/** Columns that every move sets. */
const alwaysSet: ReadonlySet<string> = new Set(['version', 'lastEntryAt', 'publicStateAt']);

/** If a webhook has reported the change all the same, another one reports that it was taken back. */
async function restoreDelivery(
  tx: OrdersTx,
  orderId: string,
  kept: UndoneDelivery,
  now: Date,
): Promise<void> {
  const { reportedAt, unreportedSince, ...columns } = columnsOf({ ...kept }) as UndoneDelivery;
  const current = await tx.findOneByOrFail(tx.deliveries, { orderId });
  const isReported = current.reportedAt?.getTime() !== reportedAt?.getTime();
  const news = { unreportedSince: isReported ? now : unreportedSince };
  await tx.update(tx.deliveries, { orderId }, { ...columns, ...news });
}

/** From JSON, where instants are texts. */
function columnsOf(kept: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(kept).map(([column, value]) => [
      column,
      /(At|Since)$/.test(column) && typeof value === 'string' ? new Date(value) : value,
    ]),
  );
}
