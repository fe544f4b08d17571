import { beforeAll, expect, it } from '@jest/globals';
import { AuditService } from '../../src/platform/audit/audit.service.js';
import { Transactions } from '../../src/platform/database/transactions.js';
import type { OrderDetail } from '../../src/orders/staff/detail.dto.js';
import { onOneEngine, type Service, startService } from '../support/service.js';

onOneEngine('an order', (engine) => {
  let service: Service;
  let token: string;

  beforeAll(async () => {
    service = await startService(engine);
    await service.given.catalogue();
    token = await service.given.staffToken();
  });

  const read = async (orderId: string) =>
    (await service.http.get<OrderDetail>(`/follow-up/orders/${orderId}`, { token })).body;

  it('shows the latest 200 entries of a long timeline, and says that there are more', async () => {
    const { orderId } = await service.given.order();
    const short = await read(orderId);
    expect([short.timeline.length, short.timelineTruncated]).toEqual([1, false]);
    const entry = (n: number) => ({
      subject: ['order', orderId] as const,
      action: 'noted' as const,
      actor: { type: 'system' as const, id: null, name: 'test' },
      details: { note: `note ${n}` },
    });
    const add = (from: number, count: number) =>
      service
        .get(Transactions)
        .run((tx) =>
          service
            .get(AuditService)
            .record(tx, ...Array.from({ length: count }, (_, i) => entry(from + i))),
        );
    await add(1, 199);
    const full = await read(orderId);
    expect([full.timeline.length, full.timelineTruncated]).toEqual([200, false]);
    await add(200, 2);
    const long = await read(orderId);
    expect([long.timeline.length, long.timelineTruncated]).toEqual([200, true]);
    expect([long.timeline[0]?.details, long.timeline.at(-1)?.details]).toEqual([
      { note: 'note 2' },
      { note: 'note 201' },
    ]);
  });
});
