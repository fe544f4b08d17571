import { Injectable } from '@nestjs/common';
import type { ClientCaller, StaffCaller } from '../../platform/access/caller.js';
import { type Actor, actorOf } from '../../platform/audit/audit.service.js';
import { Clock } from '../../platform/kernel/clock.js';
import { openCancellationCharges } from '../charges/charge-steps.service.js';
import { ChargesService } from '../charges/charges.service.js';
import { MovesService } from '../moves/moves.service.js';
import { orderMoved } from '../moves/plan-move.js';
import { ValidationFailed } from '../../platform/problems/problem.js';
import { lockedOrder, type OrdersTx } from '../record/order-tables.js';
import {
  CancellationCostsMore,
  ChargeOpen,
  minorUnitsOf,
  OrderClosed,
} from '../record/orders.errors.js';
import { majorUnits } from '../../platform/kernel/money.js';
import { costOfCancelling } from '../record/deliveries.js';
import type { DeliveryRecord } from '../record/delivery.entity.js';
import { phaseInWords } from '../record/milestones.js';
import type { Order } from '../record/order.entity.js';
import type { ClientOrder, OrderCancellation } from '../record/orders.dto.js';
import type { FollowUpOrder } from '../staff/follow-up.dto.js';
import type { SeenOrder } from '../staff/moves.dto.js';
import { moverOf, refuseUnlessTheirs } from '../staff/order-actions.service.js';
import { ClientOrdersService } from '../views/client-orders.service.js';
import { orderView } from '../views/client-views.js';
import { OrderDeliveriesService } from './order-deliveries.service.js';
import type { CancellationAnswerBody } from './staff-delivery.dto.js';

/** Cancellations of orders by their clients: at once while an order is open, by request once it is accepted. */
@Injectable()
export class CancellationsService {
  constructor(
    private readonly moves: MovesService,
    private readonly clientOrders: ClientOrdersService,
    private readonly charges: ChargesService,
    private readonly deliveries: OrderDeliveriesService,
    private readonly clock: Clock,
  ) {}

  /** @throws {OrderNotFound | OrderClosed | CancellationCostsMore} */
  async cancel(
    orderId: string,
    asked: OrderCancellation,
    client: ClientCaller,
  ): Promise<ClientOrder> {
    const { reason } = asked;
    const isAccepted = await this.moves.runOn(client, (tx) =>
      this.cancelAccepted(tx, orderId, asked, client),
    );
    return isAccepted
      ? this.clientOrders.find(orderView, orderId, client)
      : this.clientOrders.cancel(orderView, orderId, reason, client);
  }

  /** By the owner or a manager. @throws {OrderNotFound | OrderMoved | NotPermitted | ChargeOpen | ValidationFailed} */
  answer(
    { orderId, version }: SeenOrder,
    answer: Omit<CancellationAnswerBody, 'version'>,
    caller: StaffCaller,
  ): Promise<FollowUpOrder> {
    return this.deliveries.run({ orderId, version }, async (tx, { order, delivery }) => {
      if (delivery.cancellationAskedAt === null) {
        throw await orderMoved(tx, order, 'The client has not asked to cancel this order.');
      }
      refuseUnlessTheirs(order, caller);
      const { accept, amount } = answer;
      const note = answer.note ?? undefined;
      if (!accept && amount != null) {
        const detail = 'A charge is only possible if the order is cancelled.';
        throw new ValidationFailed([{ pointer: '/amount', code: 'not-allowed', detail }]);
      }
      const open = await openCancellationCharges(tx, [orderId], this.clock.now());
      if (open.length > 0) throw new ChargeOpen(open.map((charge) => charge.id));
      if (!accept) {
        const details = { ...(note !== undefined && { note }) };
        const event = { action: 'cancellation_refused', actor: actorOf(caller), details } as const;
        await this.deliveries.store(tx, orderId, { cancellationAskedAt: null }, event);
      } else if (amount != null) {
        const charge = { category: 'cancellation', amount, note: note ?? 'Cancellation' } as const;
        await this.charges.propose(tx, order, charge, actorOf(caller));
      } else {
        await this.deliveries.cancel(tx, order, moverOf(caller), note);
      }
    });
  }

  /**
   * Cancels an accepted order at a cost that its client accepts, or records the request.
   * @returns false where the order is not accepted
   */
  private async cancelAccepted(
    tx: OrdersTx,
    id: string,
    { reason: note, acceptUpTo }: OrderCancellation,
    client: ClientCaller,
  ): Promise<boolean> {
    const { clientId, name } = client;
    const order = await lockedOrder(tx, { id, clientId, kind: 'order', state: 'won' });
    if (!order) return false;
    const delivery = await tx.findOneByOrFail(tx.deliveries, { orderId: id });
    if (delivery.liveOn !== null) throw new OrderClosed('order', 'accepted');
    if (acceptUpTo != null && (await this.acceptCost(tx, order, delivery, acceptUpTo, client))) {
      return true;
    }
    if (delivery.cancellationAskedAt !== null) return true;
    const actor: Actor = { type: 'client', id: clientId, name };
    const details = { ...(note != null && { note }) };
    const event = { action: 'cancellation_requested', actor, details } as const;
    await this.deliveries.store(tx, id, { cancellationAskedAt: this.clock.now() }, event);
    return true;
  }

  /**
   * Accepts what staff have asked for the cancellation, or else what it costs by the catalogue. Nothing is recorded of a cost of 0.
   * @returns false where a person says what it costs @throws {CancellationCostsMore}
   */
  private async acceptCost(
    tx: OrdersTx,
    order: Order,
    delivery: DeliveryRecord,
    acceptUpTo: number,
    client: ClientCaller,
  ): Promise<boolean> {
    const [asked] = await openCancellationCharges(tx, [order.id], this.clock.now());
    const cost = asked ?? costOfCancelling(order, delivery);
    if (cost === null) return false;
    const currency = order.currency!;
    const amount = majorUnits(cost.amountMinor, currency);
    if (minorUnitsOf(acceptUpTo, currency, '/acceptUpTo') < cost.amountMinor) {
      throw new CancellationCostsMore({ amount, currency });
    }
    const { clientId: id, name } = client;
    if (asked)
      await this.charges.answerWithin(tx, { order, charge: asked }, { accept: true }, client);
    else if ('after' in cost && amount > 0) {
      const note = `Cancellation ${phaseInWords(cost.after)}, by our list of charges.`;
      const charge = { category: 'cancellation', amount, note } as const;
      await this.charges.propose(tx, order, charge, BY_CATALOGUE, { type: 'client', id, name });
    } else await this.deliveries.cancel(tx, order, { kind: 'client', id, name });
    return true;
  }
}

const BY_CATALOGUE: Actor = { type: 'system', id: null, name: 'The service' };
