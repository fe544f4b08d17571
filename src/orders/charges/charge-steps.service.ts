import { Injectable } from '@nestjs/common';
import { MoreThan } from 'typeorm';
import type { AuditAction } from '../../platform/audit/audit-actions.js';
import { type Actor, AuditService } from '../../platform/audit/audit.service.js';
import { oneOf } from '../../platform/database/engine/rows.js';
import { Clock } from '../../platform/kernel/clock.js';
import { reminderBefore } from '../../platform/kernel/working-hours.js';
import type { ChargeStep } from '../../platform/notifications/messages/order-event.js';
import { OutboxService } from '../../platform/notifications/outbox.service.js';
import type { ServiceReason } from '../moves/move-fields.js';
import { isUnread } from '../moves/move-rules.js';
import { MovesService } from '../moves/moves.service.js';
import type { Move } from '../moves/move-contents.js';
import { OrderUndo } from '../moves/order-undo.entity.js';
import { stateInfo } from '../record/order-states.js';
import { publicStateOf } from '../record/public-state.js';
import type { Order } from '../record/order.entity.js';
import { type OrdersTx, workingOwner } from '../record/order-tables.js';
import { DeadlinesService } from '../placing/deadlines.service.js';
import type { Charge } from '../record/charge.entity.js';
import {
  chargeAfter,
  type ChargeMove,
  type ChargeMover,
  type ChargeState,
} from '../record/charge-states.js';
import { ChargeAnswered } from './charges.errors.js';
import { amountOf, endOf } from '../record/print-charge.js';
import { chargeRules, mustHold } from '../record/money-rules.js';

/** A charge and its order, whose row is locked: no one else changes either. */
export interface ChargedOrder {
  readonly order: Order;
  readonly charge: Charge;
}

export interface ChargeEnd {
  readonly move: ChargeMove;
  readonly mover: ChargeMover;
  readonly actor: Actor;
  /** The person at the client who answered. */
  readonly by?: string | undefined;
  /** For the audit trail. */
  readonly details?: Record<string, unknown>;
}

const steps: Readonly<Record<Exclude<ChargeState, 'awaitingResponse'>, ChargeStep>> = {
  accepted: 'answered',
  rejected: 'answered',
  lapsed: 'lapsed',
  withdrawn: 'withdrawn',
};

/** What belongs to each step of a charge: its state, audit entry and messages, and the work on its order. */
@Injectable()
export class ChargeStepsService {
  constructor(
    private readonly moves: MovesService,
    private readonly audit: AuditService,
    private readonly outbox: OutboxService,
    private readonly deadlines: DeadlinesService,
    private readonly clock: Clock,
  ) {}

  /** Ends the wait for the client. @throws {ChargeAnswered} */
  async end(
    tx: OrdersTx,
    { order, charge }: ChargedOrder,
    { move, mover, actor, by, details }: ChargeEnd,
  ): Promise<ChargedOrder> {
    const state = chargeAfter(charge.state, move, mover);
    if (state === null || state === 'awaitingResponse') throw new ChargeAnswered(charge.state);
    const now = this.clock.now();
    const endedAt = endOf(charge, state, order) ?? now;
    const change = { state, endedAt, answeredBy: by ?? null };
    await tx.update(tx.charges, { id: charge.id }, change);
    // To undo a release would restore the wait for this answer.
    await tx.delete(OrderUndo, { orderId: order.id });
    const ended = { order: await this.touch(tx, order), charge: { ...charge, ...change } };
    mustHold(chargeRules, ended, order.reference);
    const more = { ...(by !== undefined && { answeredBy: by }), ...details };
    await this.record(tx, ended, `charge_${state}`, actor, more);
    // `order.charge-proposed` has reported a charge that is accepted in advance.
    if (move !== 'cover') await this.publish(tx, ended, steps[state], mover);
    // Staff who withdraw what the cancellation costs answer the request in another way.
    if (charge.category !== 'cancellation' || state === 'withdrawn') return ended;
    // Staff may have proposed another charge before the service stored that this one has lapsed.
    if (state === 'lapsed') {
      const others = await openCancellationCharges(tx, [order.id], now);
      if (others.length > 0) return ended;
    }
    await tx.update(tx.deliveries, { orderId: order.id }, { cancellationAskedAt: null });
    if (state !== 'accepted') return ended;
    return { ...ended, order: await this.cancel(tx, ended.order, actor) };
  }

  /** The client has accepted what the cancellation of its order costs. */
  private async cancel(tx: OrdersTx, order: Order, { type, id, name }: Actor): Promise<Order> {
    if (order.state !== 'won') return order;
    const isClient = type === 'client' && id !== null;
    const mover = isClient ? ({ kind: type, id, name } as const) : ({ kind: 'service' } as const);
    const move = { name: 'endDelivery', reason: 'client_request' } as const;
    return (await this.moves.attempt(tx, order, move, mover)) ?? order;
  }

  /** Stores that the order has changed, for lists and for clients that poll. */
  async touch(tx: OrdersTx, order: Order): Promise<Order> {
    const now = this.clock.now();
    const change = { version: order.version, lastEntryAt: now, publicStateAt: now };
    await tx.update(tx.orders, { id: order.id }, change);
    return { ...order, ...change };
  }

  record(
    tx: OrdersTx,
    { order, charge }: ChargedOrder,
    action: AuditAction,
    actor: Actor,
    more: Record<string, unknown>,
  ): Promise<void> {
    const { id: chargeId, category } = charge;
    const details = { chargeId, category, amount: amountOf(charge), ...more };
    const subject = [tx.subject, order.id] as const;
    return this.audit.record(tx, { subject, action, actor, details });
  }

  /** Adds the messages that report a step. */
  publish(
    tx: OrdersTx,
    { order, charge }: ChargedOrder,
    step: ChargeStep,
    by: ChargeMover,
  ): Promise<string[]> {
    const event = {
      type: `order.charge-${step}` as const,
      order,
      state: publicStateOf(order),
      charge: { id: charge.id, state: charge.state, by },
      at: order.lastEntryAt,
    };
    return this.outbox.publish(tx, event);
  }

  /** Schedules a reminder before the charge lapses, unless the owner has scheduled something else. */
  async wait(tx: OrdersTx, { order, charge }: ChargedOrder): Promise<void> {
    if (order.state !== 'in_progress') return;
    const remindAt = reminderBefore(charge.dueAt, this.clock.now(), this.deadlines.calendar);
    await this.move(tx, order, scheduled('charge_open', remindAt));
  }

  /** Makes the order due for its owner now, or returns it to the queue if its owner is disabled. Without an owner it is in the queue anyway. */
  async bringBack(tx: OrdersTx, order: Order, reason: ServiceReason): Promise<void> {
    if (!stateInfo[order.state].owned) return;
    if ((await workingOwner(tx, order.ownerId)) === null) {
      const move = { name: 'release', reason: 'Its owner is disabled.' } as const;
      await this.moves.attempt(tx, order, move, { kind: 'staleRule' });
      return;
    }
    await this.move(tx, order, scheduled(reason, this.clock.now()));
  }

  /** Ends the scheduled wait if no charge is open any more. */
  async resume(tx: OrdersTx, order: Order): Promise<void> {
    const { state, wokenAction, nextActionReason: next } = order;
    // It waits longer while a message of the client is due.
    const reason = isUnread(order) ? wokenAction?.reason : next;
    if (state !== 'scheduled' || reason !== 'charge_open') return;
    const open = { orderId: order.id, state: 'awaitingResponse' } as const;
    if (await tx.existsBy(tx.charges, open)) return;
    await this.move(tx, order, { name: 'resume' });
  }

  private async move(tx: OrdersTx, order: Order, move: Move): Promise<void> {
    await this.moves.attempt(tx, order, move, { kind: 'chargeRule' });
  }
}

function scheduled(reason: ServiceReason, nextActionAt: Date): Move {
  return { name: 'schedule', nextActionAt, reason };
}

/** What the client has to answer about requests to cancel the orders. */
export function openCancellationCharges(tx: OrdersTx, orderIds: readonly string[], now: Date) {
  const open = { category: 'cancellation', state: 'awaitingResponse' } as const;
  return tx.findBy(tx.charges, { ...open, orderId: oneOf(orderIds), dueAt: MoreThan(now) });
}
