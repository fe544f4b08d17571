import { Injectable } from '@nestjs/common';
import type { StaffCaller } from '../../platform/access/caller.js';
import { actorOf } from '../../platform/audit/audit.service.js';
import { Transactions } from '../../platform/database/transactions.js';
import type { Tx } from '../../platform/database/engine/tx.js';
import { Clock } from '../../platform/kernel/clock.js';
import { Charge } from '../record/charge.entity.js';
import { type ChargeProposal, ChargesService } from './charges.service.js';
import { printCharges } from '../record/print-charge.js';
import { MovesService } from '../moves/moves.service.js';
import { Order } from '../record/order.entity.js';
import { LIVE, ordersOn } from '../record/order-tables.js';
import { OrderNotFound } from '../record/orders.errors.js';
import { refuseUnlessTheirs } from '../staff/order-actions.service.js';
import type { SeenOrder } from '../staff/moves.dto.js';
import { printOrders, printStaffCharge } from '../staff/print-order.js';
import type { ChargeResult, HeardAnswer, OrderCharges } from './staff-charges.dto.js';

/** What staff do with extra charges. */
@Injectable()
export class StaffChargesService {
  constructor(
    private readonly transactions: Transactions,
    private readonly moves: MovesService,
    private readonly charges: ChargesService,
    private readonly clock: Clock,
  ) {}

  /** @throws {OrderNotFound} */
  list(orderId: string): Promise<OrderCharges> {
    return this.transactions.read(async (tx) => {
      const order = await orderOf(tx, orderId);
      const charges = await printCharges(
        ordersOn(LIVE).within(tx),
        [order],
        this.clock.now(),
        printStaffCharge,
      );
      return { items: charges.get(orderId) ?? [] };
    });
  }

  /** By the owner or a manager. @throws {OrderNotFound | OrderMoved | NotPermitted | ExtraChargesExcluded | ValidationFailed} */
  propose(
    { orderId, version }: SeenOrder,
    proposal: ChargeProposal,
    caller: StaffCaller,
  ): Promise<ChargeResult> {
    return this.moves.run(async (tx) => {
      await this.permit(tx, orderId, caller);
      const seen = { id: orderId, version };
      const { id } = await this.charges.propose(tx, seen, proposal, actorOf(caller));
      return this.result(tx, orderId, id);
    });
  }

  /** By the owner or a manager. @throws {OrderNotFound | ChargeNotFound | ChargeAnswered | NotPermitted} */
  withdraw(orderId: string, chargeId: string, caller: StaffCaller): Promise<ChargeResult> {
    return this.moves.run(async (tx) => {
      await this.permit(tx, orderId, caller);
      await this.charges.withdraw(tx, orderId, chargeId, actorOf(caller));
      return this.result(tx, orderId, chargeId);
    });
  }

  /** By any staff member; an acceptance by another than the proposer. @throws {OrderNotFound | ChargeNotFound | ChargeAnswered | NotPermitted} */
  recordAnswer(
    orderId: string,
    chargeId: string,
    answer: HeardAnswer,
    caller: StaffCaller,
  ): Promise<ChargeResult> {
    return this.moves.run(async (tx) => {
      await this.charges.recordAnswer(tx, orderId, chargeId, answer, actorOf(caller));
      return this.result(tx, orderId, chargeId);
    });
  }

  private async permit(tx: Tx, orderId: string, caller: StaffCaller): Promise<void> {
    refuseUnlessTheirs(await orderOf(tx, orderId), caller);
  }

  private async result(tx: Tx, orderId: string, chargeId: string): Promise<ChargeResult> {
    const now = this.clock.now();
    const order = await orderOf(tx, orderId);
    const charge = await tx.findOneByOrFail(Charge, { id: chargeId });
    const [printed] = await printOrders(tx, [order], now);
    return { charge: printStaffCharge(charge, order, now), order: printed! };
  }
}

async function orderOf(tx: Tx, id: string): Promise<Order> {
  const order = await tx.findOneBy(Order, { id });
  if (order) return order;
  throw new OrderNotFound();
}
