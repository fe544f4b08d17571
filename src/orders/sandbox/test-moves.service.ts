import { Injectable } from '@nestjs/common';
import { type Actor, AuditService } from '../../audit/audit.service.js';
import { Clock } from '../../kernel/clock.js';
import { Transactions } from '../../database/transactions.js';
import type { Tx } from '../../database/engine/tx.js';
import { OrderChanges } from '../moves/order-changes.service.js';
import { type Order, orderSubject, TestOrder } from '../order.entity.js';
import { isRefusal, type Move, type Mover, planMove } from '../moves/order-state.js';
import { moveRefused } from '../orders.errors.js';

const TEST = { isTest: true };
const sandbox: Actor = { type: 'system', id: null, name: 'sandbox' };

/** The one place that moves a test order: by the rules of the live ones, and told to its client. */
@Injectable()
export class TestMovesService {
  constructor(
    private readonly transactions: Transactions,
    private readonly audit: AuditService,
    private readonly changes: OrderChanges,
    private readonly clock: Clock,
  ) {}

  /** In a transaction of its own; null where another call was first. */
  make(order: Order, move: Move, mover: Mover): Promise<Order | null> {
    return this.transactions.run((tx) => this.makeWithin(tx, order, move, mover));
  }

  /** @throws {NotPermitted | ValidationFailed} where the rules refuse the move */
  async makeWithin(tx: Tx, order: Order, move: Move, mover: Mover): Promise<Order | null> {
    const plan = planMove(order, move, mover, this.clock.now());
    if (isRefusal(plan)) throw moveRefused(plan);
    const { id, state, version } = order;
    const { affected } = await tx.update(TestOrder, { id, state, version }, plan.changes);
    if (affected !== 1) return null;
    const moved = { ...order, ...plan.changes };
    await this.audit.record(tx, {
      subject: [orderSubject(TEST), id],
      action: plan.action,
      actor: mover.kind === 'client' ? { type: 'client', id: mover.id, name: mover.name } : sandbox,
      details: { ...plan.details },
    });
    await this.changes.moved(tx, order, moved, TEST);
    return moved;
  }
}
