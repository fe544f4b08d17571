import { beforeAll, expect, it } from '@jest/globals';
import type { OrderDetail } from '../../src/orders/staff/detail.dto.js';
import type { SentMove } from '../../src/orders/staff/order-actions.service.js';
import type { StaffMember } from '../../src/staff/member/staff-member.entity.js';
import { moveAll, postAsStaff } from '../support/moves.js';
import { onOneEngine, type Service, startService } from '../support/service.js';

onOneEngine('a contact with its next step', (engine) => {
  let service: Service;
  let sam: StaffMember;
  let token: string;
  beforeAll(async () => {
    service = await startService(engine, { config: { rateLimits: false } });
    await service.given.catalogue();
    sam = await service.given.staff({ name: 'Sam Poole' });
    token = await service.given.token({ staff: sam });
  });

  const claimed = async () => {
    const { orderId } = await service.given.order();
    const path = `/follow-up/orders/${orderId}/claim`;
    await postAsStaff(service.http, path, { version: 0 }, { token });
    return orderId;
  };
  const detailOf = async (id: string) =>
    (await service.http.get<OrderDetail>(`/follow-up/orders/${id}`, { token })).body;
  const contact: SentMove = {
    name: 'logContact',
    channel: 'phone',
    result: 'no_answer',
    note: 'Rang twice.',
  };
  const call = (orderId: string, next: SentMove, version = 1) =>
    moveAll(service, sam, { orderId, version }, [contact, next]);
  const inAnHour = () => new Date(service.clock.now().getTime() + 3_600_000);

  it.each<[string, () => SentMove, string]>([
    [
      'scheduled',
      () => ({ name: 'schedule', nextActionAt: inAnHour(), reason: 'retry_no_answer' }),
      'scheduled',
    ],
    ['won', () => ({ name: 'win', externalReference: 'SF-1' }), 'won'],
    ['lost', () => ({ name: 'lose', reason: 'other', note: 'They moved.' }), 'lost'],
  ])('makes both moves, each with its audit entry: %s', async (action, next, state) => {
    const id = await claimed();
    expect(await call(id, next())).toMatchObject({ state, version: 3, contactAttempts: 1 });
    const { timeline } = await detailOf(id);
    expect(timeline.slice(-2)).toMatchObject([
      {
        action: 'contact_logged',
        details: { to: 'in_progress', version: 2, result: 'no_answer', note: 'Rang twice.' },
      },
      { action, details: { from: 'in_progress', to: state, version: 3 } },
    ]);
  });

  it('changes nothing if the second move is refused, or at an old version', async () => {
    const id = await claimed();
    const lose = { name: 'lose', reason: 'other', at: '/next' } as const;
    await expect(call(id, lose)).rejects.toMatchObject({ errors: [{ pointer: '/next/note' }] });
    await expect(call(id, { name: 'win' }, 0)).rejects.toMatchObject({ code: 'order-moved' });
    const { order, timeline } = await detailOf(id);
    expect([order.version, order.contactAttempts, timeline.length]).toEqual([1, 0, 2]);
  });
});
