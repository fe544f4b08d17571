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
import { ChargeOpen, OrderClosed } from '../record/orders.errors.js';
import type { ClientOrder } from '../record/orders.dto.js';
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

  /** @throws {OrderNotFound | OrderClosed} */
  async cancel(
    orderId: string,
    reason: string | undefined,
    client: ClientCaller,
  ): Promise<ClientOrder> {
    const asks = await this.moves.runOn(client, (tx) => this.ask(tx, orderId, reason, client));
    return asks
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

  /** Records the request to cancel an accepted order. @returns false where the order is not accepted */
  private async ask(
    tx: OrdersTx,
    id: string,
    note: string | undefined,
    { clientId, name }: ClientCaller,
  ): Promise<boolean> {
    const order = await lockedOrder(tx, { id, clientId, kind: 'order', state: 'won' });
    if (!order) return false;
    const delivery = await tx.findOneByOrFail(tx.deliveries, { orderId: id });
    if (delivery.liveOn !== null) throw new OrderClosed('order', 'accepted');
    if (delivery.cancellationAskedAt !== null) return true;
    const actor: Actor = { type: 'client', id: clientId, name };
    const details = { ...(note != null && { note }) };
    const event = { action: 'cancellation_requested', actor, details } as const;
    await this.deliveries.store(tx, id, { cancellationAskedAt: this.clock.now() }, event);
    return true;
  }
}
