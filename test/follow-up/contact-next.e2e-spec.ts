import { beforeAll, expect, it } from '@jest/globals';
import type { OrderDetail } from '../../src/orders/staff/detail.dto.js';
import type { FollowUpOrder } from '../../src/orders/staff/follow-up.dto.js';
import { onOneEngine, type Service, startService } from '../support/service.js';

onOneEngine('a contact with its next step', (engine) => {
  let service: Service;
  let token: string;
  beforeAll(async () => {
    service = await startService(engine, { config: { rateLimits: false } });
    await service.given.catalogue();
    const staff = await service.given.staff({ name: 'Sam Poole' });
    token = await service.given.token({ staff });
  });

  const call = (id: string, body: object) =>
    service.http.post<FollowUpOrder>(`/follow-up/orders/${id}/contact`, body, { token });
  const claimed = async () => {
    const { orderId } = await service.given.order();
    await service.http.post(`/follow-up/orders/${orderId}/claim`, { version: 0 }, { token });
    return orderId;
  };
  const detailOf = async (id: string) =>
    (await service.http.get<OrderDetail>(`/follow-up/orders/${id}`, { token })).body;
  const inAnHour = () => new Date(service.clock.now().getTime() + 3_600_000).toISOString();
  const noSteps = { schedule: null, win: null, lose: null };
  const contact = { version: 1, channel: 'phone', result: 'no_answer', note: 'Rang twice.' };

  it.each([
    ['schedule', { reason: 'retry_no_answer' }, 'scheduled', 'scheduled'],
    ['win', { externalReference: 'SF-1' }, 'won', 'won'],
    ['lose', { reason: 'other', note: 'They moved.' }, 'lost', 'lost'],
  ])('makes both moves, each with its audit entry: %s', async (name, body, state, action) => {
    const id = await claimed();
    const step = name === 'schedule' ? { ...body, nextActionAt: inAnHour() } : body;
    const reply = await call(id, { ...contact, next: { ...noSteps, [name]: step } });
    expect([reply.status, reply.body]).toMatchObject([
      200,
      { state, version: 3, contactAttempts: 1 },
    ]);
    const { timeline } = await detailOf(id);
    expect(timeline.slice(-2)).toMatchObject([
      {
        action: 'contact_logged',
        details: { to: 'in_progress', version: 2, result: 'no_answer', note: 'Rang twice.' },
      },
      { action, details: { from: 'in_progress', to: state, version: 3 } },
    ]);
  });

  it.each([
    [
      'a time in the past',
      { schedule: { nextActionAt: '2020-01-01T00:00:00Z', reason: 'callback_agreed' } },
      '/next/schedule/nextActionAt',
    ],
    ['a missing reason', { lose: {} }, '/next/lose/reason'],
    ['a missing note', { lose: { reason: 'other' } }, '/next/lose/note'],
    ['no step', {}, '/next'],
    ['steps that are null', { schedule: null, win: null }, '/next'],
    ['two steps', { win: {}, lose: { reason: 'price' } }, '/next'],
  ])('changes nothing for %s', async (_name, next, pointer) => {
    const id = await claimed();
    const reply = await call(id, { ...contact, next });
    expect([reply.status, reply.body]).toMatchObject([400, { errors: [{ pointer }] }]);
    const { order, timeline } = await detailOf(id);
    expect([order.version, order.contactAttempts, timeline.length]).toEqual([1, 0, 2]);
  });

  it('changes nothing at an old version', async () => {
    const id = await claimed();
    const { status } = await call(id, { ...contact, version: 0, next: { win: {} } });
    expect([status, (await detailOf(id)).order.version]).toEqual([409, 1]);
  });
});
