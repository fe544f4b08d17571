import type { INestApplicationContext } from '@nestjs/common';
import { OrderDeliveriesService } from '../../src/orders/delivery/order-deliveries.service.js';
import { CancellationsService } from '../../src/orders/delivery/cancellations.service.js';
import { Delivery } from '../../src/orders/record/delivery.entity.js';
import { milestoneCodes } from '../../src/orders/record/milestones.js';
import { Order } from '../../src/orders/record/order.entity.js';
import { Transactions } from '../../src/platform/database/transactions.js';
import { addDays } from '../../src/platform/kernel/time.js';
import { londonDay } from '../../src/platform/kernel/working-hours.js';
import type { Cast } from './orders.js';

/** Who is waited for, and for what: the client, no one, us, a third party, no one, no one. */
const waits = [
  { party: 'client', what: 'Name a contact at the site for the survey.' },
  null,
  { party: 'operator', what: 'Order the fibre for the last 40 metres.' },
  { party: 'thirdParty', what: 'Consent of the landlord.' },
  null,
  null,
] as const;

/** Every accepted order is at another milestone, from none to live. One client asks to cancel. */
export async function deliverOrders(
  service: INestApplicationContext,
  now: Date,
  { clients, colleagues }: Cast,
): Promise<void> {
  const deliveries = service.get(OrderDeliveriesService, { strict: false });
  const today = londonDay(now);
  const won = await service.get(Transactions, { strict: false }).read(async (tx) => {
    const orders = await tx.find(Order, {
      where: { kind: 'order', state: 'won' },
      order: { closedAt: 'ASC', id: 'ASC' },
    });
    const of = new Map((await tx.find(Delivery)).map((one) => [one.orderId, one]));
    return orders.flatMap((order) => {
      const delivery = of.get(order.id);
      return delivery ? [{ order, delivery }] : [];
    });
  });
  for (const [i, { order, delivery }] of won.entries()) {
    const done = i % (milestoneCodes.length + 1);
    const isLive = done === milestoneCodes.length;
    const milestones = milestoneCodes.slice(0, done + 1).map((code, n) => {
      const plannedFor = addDays(today, 3 * (n - done) + 4);
      const early = addDays(today, n + 1 - done);
      const doneOn = early < delivery.acceptedOn ? delivery.acceptedOn : early;
      return n < done ? { code, doneOn } : { code, plannedFor };
    });
    await deliveries.change(
      { orderId: order.id, version: order.version },
      {
        milestones,
        committedDate: i % 5 === 2 ? addDays(delivery.acceptedOn, 1) : delivery.promisedOn,
        ...(done >= 3 && { serviceId: `CCT-${204_417 + 13 * i}` }),
        ...(!isLive && { waitingFor: waits[i % waits.length]! }),
      },
      colleagues[i % colleagues.length]!,
    );
  }
  const last = won.find((_, i) => i % (milestoneCodes.length + 1) === 1)?.order;
  const client = clients.find(({ clientId }) => clientId === last?.clientId);
  if (last && client) {
    const reason = 'The end customer moves elsewhere.';
    await service.get(CancellationsService, { strict: false }).cancel(last.id, { reason }, client);
  }
}
