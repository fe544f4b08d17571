import { Delivery } from '../../src/orders/record/delivery.entity.js';
import { Transactions } from '../../src/platform/database/transactions.js';
import type { World } from './world.js';

/** An accepted order whose delivery waits for the client, who asks to cancel it. */
async function deliveredOrder(world: World): Promise<string> {
  const { service, admin } = world;
  const { reference, id: orderId } = await world.order('won', admin);
  await service.get(Transactions).run((tx) =>
    tx.update(
      Delivery,
      { orderId },
      {
        milestones: { surveyed: { plannedFor: '2026-03-02', doneOn: '2026-03-02' } },
        waitingParty: 'client',
        waitingWhat: 'Name a site contact: '.repeat(9),
        waitingSince: new Date('2026-03-02T09:00:00Z'),
        cancellationAskedAt: new Date('2026-03-02T09:00:00Z'),
      },
    ),
  );
  return reference;
}

export const deliveryStops = [
  {
    name: 'an accepted order whose client asks to cancel it',
    route: '/staff/orders/:reference',
    path: async (world: World) => `/staff/orders/${await deliveredOrder(world)}`,
  },
  {
    name: 'delivery updates',
    route: '/staff/delivery-updates',
    path: () => '/staff/delivery-updates',
  },
  {
    name: 'the form: a delivery',
    route: '/staff/orders/:reference/delivery',
    path: async (world: World) => `/staff/orders/${await deliveredOrder(world)}/delivery`,
  },
  {
    name: 'the form: an amendment',
    route: '/staff/orders/:reference/amendment',
    path: async (world: World) => `/staff/orders/${await deliveredOrder(world)}/amendment`,
  },
  {
    name: 'the form: the answer to a request to cancel',
    route: '/staff/orders/:reference/cancellation-answer',
    path: async (world: World) =>
      `/staff/orders/${await deliveredOrder(world)}/cancellation-answer`,
  },
];
