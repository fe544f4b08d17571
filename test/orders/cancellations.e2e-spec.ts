import { expect, it } from '@jest/globals';
import type { FollowUpOrder } from '../../src/orders/staff/follow-up.dto.js';
import type { OrderDetail } from '../../src/orders/staff/detail.dto.js';
import type { ClientOrder } from '../../src/orders/record/orders.dto.js';
import type { EnquiryAcknowledgement } from '../../src/orders/record/enquiries.dto.js';
import { onBothEngines, startService } from '../support/service.js';

onBothEngines('a cancellation by the client', (engine) => {
  it('takes a reason, an empty object or no body', async () => {
    const service = await startService(engine);
    await service.given.catalogue();
    const token = await service.given.token();
    const cancel = (path: string, body?: string) =>
      service.http.send<ClientOrder & { code: string; errors: object[] }>({
        method: 'POST',
        path: `/product-availability/${path}/cancellation`,
        token,
        ...(body !== undefined && { headers: { 'Content-Type': 'application/json' }, body }),
      });
    const paths = async () => {
      const { orderId } = await service.given.order({ token });
      const enquiry = await service.http.post<EnquiryAcknowledgement>(
        '/product-availability/enquiry',
        { postcode: 'EC2A 2BS', wanted: { bandwidth: 10 } },
        { token },
      );
      return [`order/${orderId}`, `enquiry/${enquiry.body.enquiryId}`];
    };
    for (const body of [undefined, '{}', '{"reason":"Moved."}', '{"reason":null}']) {
      for (const path of await paths()) {
        const { status, body: cancelled } = await cancel(path, body);
        expect([status, cancelled.state]).toEqual([200, 'cancelled']);
        expect((await cancel(path, body)).status).toBe(200);
      }
    }
    const [order] = await paths();
    for (const body of ['[]', '{"why":"Moved."}', `{"reason":"${'x'.repeat(501)}"}`]) {
      expect((await cancel(order!, body)).body.code).toBe('validation-error');
    }
    await service.close();
  });

  it('is answered with a charge only where the order is cancelled; null is as good as missing', async () => {
    const service = await startService(engine, { config: { rateLimits: false } });
    await service.given.catalogue();
    const token = await service.given.token();
    const staff = await service.given.token({ staff: await service.given.staff() });
    const asked = async () => {
      const { orderId } = await service.given.order({ token });
      const path = `/follow-up/orders/${orderId}`;
      await service.http.post(`${path}/claim`, { version: 0 }, { token: staff });
      await service.http.post(`${path}/win`, { version: 1 }, { token: staff });
      const own = `/product-availability/order/${orderId}/cancellation`;
      await service.http.post(own, { reason: null }, { token });
      const answer = (body: object) =>
        service.http.post<FollowUpOrder & { errors?: object[] }>(
          `${path}/cancellation-answer`,
          { version: 3, ...body },
          { token: staff },
        );
      return { path, answer };
    };
    const { path, answer } = await asked();
    expect(await answer({ accept: false, amount: 250 })).toMatchObject({
      status: 400,
      body: {
        errors: [
          {
            pointer: '/amount',
            code: 'not-allowed',
            detail: 'A charge is only possible if the order is cancelled.',
          },
        ],
      },
    });
    const kept = await answer({ accept: false, amount: null, note: null });
    expect([kept.status, kept.body.state]).toEqual([200, 'won']);
    const { timeline } = (await service.http.get<OrderDetail>(path, { token: staff })).body;
    const entries = timeline.filter(({ action }) => action.startsWith('cancellation_'));
    expect(entries.map(({ details }) => details)).toEqual([{}, {}]);
    const found = await service.http.get<{ items: object[] }>('/follow-up/orders?q=null', {
      token: staff,
    });
    expect(found.body.items).toEqual([]);
    const ended = await (await asked()).answer({ accept: true, amount: null, note: null });
    expect([ended.status, ended.body.state]).toEqual([200, 'cancelled']);
    await service.close();
  });
});
