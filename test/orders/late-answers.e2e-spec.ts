import { beforeAll, expect, it } from '@jest/globals';
import type { OrderDetail } from '../../src/orders/staff/detail.dto.js';
import { onOneEngine, type Service, startService } from '../support/service.js';
import { postAsStaff } from '../support/moves.js';

interface Answered {
  readonly state?: string;
  readonly charges: readonly { readonly chargeId: string }[];
}

onOneEngine('an answer to a charge that staff record', (engine) => {
  let service: Service;
  let sam: string;
  let bo: string;
  beforeAll(async () => {
    service = await startService(engine, { config: { rateLimits: false } });
    await service.given.catalogue({
      prices: ['INT-1G-12,ONNET,standard,550.00,GBP,84,0,subjectToSurvey'],
    });
    const person = async (name: string, role: 'agent' | 'manager') =>
      service.given.token({ staff: await service.given.staff({ name, role }) });
    sam = await person('Sam Poole', 'agent');
    bo = await person('Bo Ross', 'manager');
  });

  const post = (by: string, path: string, body: object) =>
    postAsStaff<Answered>(service.http, `/follow-up/orders/${path}`, body, { token: by });
  /** An order of Sam's with an open charge. */
  const charged = async (dueAt?: Date) => {
    const { orderId } = await service.given.order();
    await post(sam, `${orderId}/claim`, { version: 0 });
    const survey = { category: 'survey', amount: 250, note: 'The duct is full.' };
    const { body } = await post(sam, `${orderId}/charges`, { version: 1, dueAt, ...survey });
    return { orderId, chargeId: body.charges.at(-1)!.chargeId };
  };
  /** A manager may record both answers. */
  const answer = async ({ orderId, chargeId }: { orderId: string; chargeId: string }) => {
    const heard = { accept: true, by: 'Jo' };
    const { status, body } = await post(bo, `${orderId}/charges/${chargeId}/answer`, heard);
    return [status, body.state];
  };

  it('is refused after the due date, before the service has ended the charge', async () => {
    const late = await charged(new Date(service.clock.now().getTime() + 60_000));
    service.clock.advance({ minutes: 2 });
    expect(await answer(late)).toEqual([409, 'lapsed']);
  });

  it('is refused on a closed order, before the service has ended the charge', async () => {
    const closed = await charged();
    const { body } = await service.http.get<OrderDetail>(`/follow-up/orders/${closed.orderId}`, {
      token: sam,
    });
    const lost = { version: body.order.version, reason: 'price' };
    await post(sam, `${closed.orderId}/lose`, lost);
    expect(await answer(closed)).toEqual([409, 'withdrawn']);
  });

  it('leaves the order waiting while another charge is open', async () => {
    const first = await charged();
    const { orderId } = first;
    const read = async () =>
      (await service.http.get<OrderDetail>(`/follow-up/orders/${orderId}`, { token: sam })).body
        .order;
    const survey = { category: 'other', amount: 10, note: 'A key.' };
    const { version } = await read();
    const { body } = await post(sam, `${orderId}/charges`, { version, ...survey });
    expect((await answer(first))[0]).toBe(200);
    expect(await read()).toMatchObject({ state: 'scheduled', nextActionReason: 'charge_open' });
    expect((await answer({ orderId, chargeId: body.charges.at(-1)!.chargeId }))[0]).toBe(200);
    expect(await read()).toMatchObject({ state: 'in_progress', nextActionAt: null });
  });

  it('ends the time in which a release can be undone', async () => {
    const released = await charged();
    const { orderId } = released;
    const read = async () =>
      (await service.http.get<OrderDetail>(`/follow-up/orders/${orderId}`, { token: sam })).body
        .order;
    const { version } = await read();
    await post(sam, `${orderId}/release`, { version, reason: 'On leave.' });
    expect((await answer(released))[0]).toBe(200);
    const undone = await postAsStaff<{ code: string }>(
      service.http,
      `/follow-up/orders/${orderId}/undo`,
      { version: (await read()).version },
      { token: sam },
    );
    expect([undone.status, (await read()).state]).toEqual([409, 'waiting']);
  });
});
