import { beforeAll, expect, it } from '@jest/globals';
import type { FollowUpOrder } from '../../src/orders/staff/follow-up.dto.js';
import type { OrderDetail } from '../../src/orders/staff/detail.dto.js';
import type { ClientOrder } from '../../src/orders/record/orders.dto.js';
import { onOneEngine, type Service, startService } from '../support/service.js';
import { postAsStaff } from '../support/moves.js';

onOneEngine('reopening an accepted order', (engine) => {
  let service: Service;
  let manager: string;
  let token: string;

  beforeAll(async () => {
    service = await startService(engine, { config: { rateLimits: false } });
    await service.given.catalogue({ prices: ['INT-1G-12,ONNET,standard,550.00,GBP,84,0,firm'] });
    manager = await service.given.token({ staff: await service.given.staff({ role: 'manager' }) });
    token = await service.given.token();
  });

  const versionOf = async (id: string) =>
    (await service.http.get<OrderDetail>(`/follow-up/orders/${id}`, { token: manager })).body.order
      .version;
  const staff = async (id: string, path: string, body: object = {}) =>
    postAsStaff<FollowUpOrder & { code?: string; detail?: string }>(
      service.http,
      `/follow-up/orders/${id}/${path}`,
      { version: await versionOf(id), ...body },
      { token: manager },
    );
  const client = (id: string, path: string, body: object = {}) =>
    service.http.post<ClientOrder>(`/product-availability/order/${id}/${path}`, body, { token });
  const accepted = async () => {
    const { orderId } = await service.given.order({ token });
    await staff(orderId, 'claim');
    await staff(orderId, 'win');
    return orderId;
  };
  const live = (doneOn: string | null) => ({ milestones: [{ code: 'live', doneOn }] });
  const reopen = (id: string) => staff(id, 'reopen', { reason: 'Not agreed after all.' });
  const refusal = (detail: string) => ({
    status: 409,
    body: { code: 'order-moved', state: 'won', detail: expect.stringContaining(detail) as unknown },
  });

  it('is refused while the service is live', async () => {
    const id = await accepted();
    await staff(id, 'delivery', live('2026-03-02'));
    expect(await reopen(id)).toMatchObject(refusal('remove the day on which Live was done'));
    // The client cannot cancel what is live.
    expect((await client(id, 'cancellation')).status).toBe(409);
    await staff(id, 'delivery', live(null));
    expect((await reopen(id)).body.state).toBe('in_progress');
  });

  it("is refused until staff have answered the client's request to cancel", async () => {
    const id = await accepted();
    const first = refusal('Answer the request first.');
    await client(id, 'cancellation');
    expect(await reopen(id)).toMatchObject(first);
    await staff(id, 'cancellation-answer', { accept: true, amount: 120 });
    expect(await reopen(id)).toMatchObject(first);
    const path = `/product-availability/order/${id}`;
    const { body } = await service.http.get<ClientOrder>(path, { token });
    await client(id, `charge/${body.charges[0]!.chargeId}/answer`, { accept: false });
    expect((await reopen(id)).body.state).toBe('in_progress');
    expect((await staff(id, 'win')).body).toMatchObject({
      state: 'won',
      delivery: { cancellationRequestedAt: null },
    });
  });
});
