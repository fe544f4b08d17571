import { Injectable } from '@nestjs/common';
import type { StaffCaller } from '../../platform/access/caller.js';
import { actorOf } from '../../platform/audit/audit.service.js';
import type { Tx } from '../../platform/database/engine/tx.js';
import type { Charge } from '../record/charge.entity.js';
import { type ChargeProposal, ChargesService } from './charges.service.js';
import { MovesService } from '../moves/moves.service.js';
import { Order } from '../record/order.entity.js';
import { OrderNotFound } from '../record/orders.errors.js';
import { refuseUnlessTheirs } from '../staff/order-actions.service.js';
import type { SeenOrder } from '../staff/moves.dto.js';
import type { HeardAnswer } from './staff-charges.dto.js';

/** What staff do with extra charges. */
@Injectable()
export class StaffChargesService {
  constructor(
    private readonly moves: MovesService,
    private readonly charges: ChargesService,
  ) {}

  /** By the owner or a manager. @throws {OrderNotFound | OrderMoved | NotPermitted | ExtraChargesExcluded | ValidationFailed} */
  propose(
    { orderId, version }: SeenOrder,
    proposal: ChargeProposal,
    caller: StaffCaller,
  ): Promise<Charge> {
    return this.moves.run(async (tx) => {
      await this.permit(tx, orderId, caller);
      const seen = { id: orderId, version };
      return this.charges.propose(tx, seen, proposal, actorOf(caller));
    });
  }

  /** By the owner or a manager. @throws {OrderNotFound | ChargeNotFound | ChargeAnswered | NotPermitted} */
  withdraw(orderId: string, chargeId: string, caller: StaffCaller): Promise<void> {
    return this.moves.run(async (tx) => {
      await this.permit(tx, orderId, caller);
      await this.charges.withdraw(tx, orderId, chargeId, actorOf(caller));
    });
  }

  /** By any staff member; an acceptance by another than the proposer. @throws {OrderNotFound | ChargeNotFound | ChargeAnswered | NotPermitted} */
  recordAnswer(
    orderId: string,
    chargeId: string,
    answer: HeardAnswer,
    caller: StaffCaller,
  ): Promise<void> {
    return this.moves.run(async (tx) => {
      await this.charges.recordAnswer(tx, orderId, chargeId, answer, actorOf(caller));
    });
  }

  private async permit(tx: Tx, orderId: string, caller: StaffCaller): Promise<void> {
    refuseUnlessTheirs(await orderOf(tx, orderId), caller);
  }
}

async function orderOf(tx: Tx, id: string): Promise<Order> {
  const order = await tx.findOneBy(Order, { id });
  if (order) return order;
  throw new OrderNotFound();
}
