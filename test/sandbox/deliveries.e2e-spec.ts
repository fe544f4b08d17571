import { beforeAll, expect, it } from '@jest/globals';
import type { ClientOrder } from '../../src/orders/record/orders.dto.js';
import { onOneEngine, type Service, startService } from '../support/service.js';

onOneEngine('deliveries of test orders', (engine) => {
  let service: Service;
  let token: string;

  beforeAll(async () => {
    service = await startService(engine);
    await service.given.catalogue({});
    token = await service.given.token({ kind: 'test' });
  });

  const post = (path: string, body: object = {}) =>
    service.http.post<ClientOrder & { readonly code: string }>(
      `/product-availability/${path}`,
      body,
      {
        token,
      },
    );
  const accepted = async (postcode = 'ZZ99 1AA') => {
    const { body } = await post('order', { postcode, productCode: 'TEST-1G-12' });
    await post(`test/order/${body.orderId}/advance`, { to: 'accepted' });
    return body.orderId;
  };
  const advance = (id: string) => post(`test/order/${id}/advance`);

  it('go on by one milestone with each call, until they are live', async () => {
    const id = await accepted();
    const first = (await advance(id)).body;
    expect([first.state, first.delivery]).toMatchObject([
      'accepted',
      {
        milestones: [{ code: 'surveyed', doneOn: '2026-03-02' }, {}, {}, {}, {}, {}, {}],
        waitingFor: { party: 'client' },
      },
    ]);
    expect((await advance(id)).body.delivery).toMatchObject({
      waitingFor: null,
      serviceId: 'TEST-CCT-1',
    });
    for (let i = 0; i < 4; i += 1) await advance(id);
    expect((await advance(id)).body.delivery).toMatchObject({ liveOn: '2026-03-02' });
    expect(await advance(id)).toMatchObject({ status: 409, body: { code: 'order-moved' } });
  });

  it('are cancelled when the client asks for it, at one postcode for a charge', async () => {
    const id = await accepted();
    await post(`order/${id}/cancellation`);
    expect((await advance(id)).body.state).toBe('cancelled');
    const charged = await accepted('ZZ99 1AZ');
    await post(`order/${charged}/cancellation`);
    const { charges } = (await advance(charged)).body;
    const { chargeId, category, state } = charges.at(-1)!;
    expect([category, state]).toEqual(['cancellation', 'awaitingResponse']);
    expect((await advance(charged)).status).toBe(409);
    const answered = await post(`order/${charged}/charge/${chargeId}/answer`, { accept: true });
    expect(answered.body.state).toBe('cancelled');
  });
});
