import { beforeAll, expect, it } from '@jest/globals';
import { operator } from '../../src/platform/audit/audit.service.js';
import { DeliveryImportService } from '../../src/orders/delivery/delivery-import.service.js';
import type { OrderDetail } from '../../src/orders/staff/detail.dto.js';
import { FaultInjector } from '../support/fault-injector.js';
import { onBothEngines, type Service, startService } from '../support/service.js';
import { postAsStaff } from '../support/moves.js';

onBothEngines('deliveries on a database that fails', (engine) => {
  let service: Service;
  let staff: string;

  beforeAll(async () => {
    service = await startService(engine, { config: { rateLimits: false } });
    await service.given.catalogue();
    staff = await service.given.token({ staff: await service.given.staff() });
  });

  const answer = (id: string, path: string, body: object) =>
    postAsStaff(service.http, `/follow-up/orders/${id}/${path}`, body, { token: staff });
  const detailOf = async (id: string) =>
    (await service.http.get<OrderDetail>(`/follow-up/orders/${id}`, { token: staff })).body;
  /** An accepted order that its client asks to cancel. */
  const asked = async () => {
    const { orderId, token } = await service.given.order({ productCode: 'INT-100M-12' });
    await answer(orderId, 'claim', { version: 0 });
    await answer(orderId, 'win', { version: 1 });
    const path = `/product-availability/order/${orderId}/cancellation`;
    expect((await service.http.post(path, {}, { token })).status).toBe(200);
    return orderId;
  };

  type Work = (id: string, order: OrderDetail['order']) => Promise<{ readonly status: number }>;
  it.each<[what: string, action: string, Work]>([
    [
      'when staff change them',
      'delivery_changed',
      (id, { version }) =>
        answer(id, 'delivery', {
          ...{ version, serviceId: 'CCT-77', note: 'Agreed.' },
          milestones: [{ code: 'built', doneOn: '2026-03-02' }],
        }),
    ],
    [
      'when a request to cancel is refused',
      'cancellation_refused',
      (id, { version }) =>
        answer(id, 'cancellation-answer', { version, accept: false, note: 'It is built.' }),
    ],
    [
      'when a cancellation gets a charge',
      'charge_proposed',
      (id, { version }) =>
        answer(id, 'cancellation-answer', { version, accept: true, amount: 120 }),
    ],
    [
      'when an import says that they are live',
      'delivery_changed',
      (_id, { reference }) => {
        const file = `order,milestone,done,note\n${reference},live,2026-03-02,Agreed.\n`;
        const imported = service.get(DeliveryImportService).run(file, operator);
        return imported.then(
          () => ({ status: 200 }),
          () => ({ status: 500 }),
        );
      },
    ],
    [
      'when they are cancelled',
      'cancelled',
      (id, { version }) => answer(id, 'cancellation-answer', { version, accept: true }),
    ],
  ])('change whole or not at all if any statement fails, %s', async (_, action, work) => {
    const injector = new FaultInjector(service);
    let id = await asked();
    let before = await detailOf(id);
    for (let n = 1; n === 1 || injector.struck; n++) {
      injector.arm(n, 'fails');
      const { status } = await work(id, before.order);
      injector.disarm();
      const after = await detailOf(id);
      if (status !== 200) {
        expect(after).toEqual(before);
        continue;
      }
      expect(after.timeline.map((entry) => entry.action)).toContain(action);
      // The statement that failed was of work in the background.
      id = await asked();
      before = await detailOf(id);
    }
  });
});
