import { describe, expect, it } from '@jest/globals';
import { Transactions } from '../../src/platform/database/transactions.js';
import type { OrderDetail } from '../../src/orders/staff/detail.dto.js';
import { StaleClaimsService } from '../../src/queue/waiting/waiting-orders.service.js';
import { EmailKindsService } from '../../src/platform/notifications/messages/email-kinds.service.js';
import { newDatabase } from '../support/databases.js';
import { FakeClock } from '../support/fake-clock.js';
import { onOneEngine, startService } from '../support/service.js';
import { postAsStaff } from '../support/moves.js';

const CLAIMS = 25;

describe('stale claims, with three instances on one PostgreSQL', () => {
  it('are released and audited once each', async () => {
    const database = await newDatabase('postgres');
    const clock = new FakeClock();
    const config = { rateLimits: false };
    const one = await startService('postgres', { database, clock, config });
    await one.given.catalogue();
    const two = await startService('postgres', { database, clock, config });
    const three = await startService('postgres', { database, clock, config });
    const instances = [one, two, three];
    const staff = await one.given.staff();
    const token = await one.given.token({ staff });
    const client = await one.given.token();
    const claim = async () => {
      const { orderId } = await one.given.order({ token: client });
      const reply = await postAsStaff(
        one.http,
        `/follow-up/orders/${orderId}/claim`,
        { version: 0 },
        { token },
      );
      expect(reply.status).toBe(200);
      return orderId;
    };
    const stale: string[] = [];
    for (let n = 0; n < CLAIMS; n += 1) stale.push(await claim());
    clock.advance({ hours: 7 });
    const fresh = await claim();
    clock.advance({ hours: 18 });

    const looks = [...instances, ...instances].map((instance) =>
      instance.get(StaleClaimsService).releaseStale(),
    );
    const released = await Promise.all(looks);
    expect(released.reduce((a, b) => a + b, 0)).toBe(CLAIMS);

    const rows = await one.get(Transactions).read((tx) =>
      tx.query<{ id: string; state: string; version: number; entries: string }[]>(
        `SELECT o.id, o.state, o.version,
           (SELECT COUNT(*) FROM audit_entries a WHERE a.subject_type = 'order'
              AND a.subject_id = o.id::text AND a.action = 'released') AS entries
         FROM orders o ORDER BY o.received_at, o.id`,
      ),
    );
    const seen = rows.map(({ id, state, version, entries }) => [
      id,
      state,
      version,
      Number(entries),
    ]);
    expect(seen).toHaveLength(CLAIMS + 1);
    expect(seen).toEqual(
      expect.arrayContaining(stale.map((id): unknown[] => [id, 'waiting', 2, 1])),
    );
    expect(seen).toContainEqual([fresh, 'in_progress', 1, 0]);
  });
});

onOneEngine('a scheduled order', (engine) => {
  it('stays with its owner until the call-back has long been due, and is then released', async () => {
    const service = await startService(engine, { config: { rateLimits: false } });
    await service.given.catalogue();
    const staff = await service.given.staff();
    const token = await service.given.token({ staff });
    const { orderId } = await service.given.order();
    const path = `/follow-up/orders/${orderId}`;
    const nextActionAt = new Date(service.clock.now().getTime() + 7 * 24 * 3_600_000);
    await postAsStaff(service.http, `${path}/claim`, { version: 0 }, { token });
    const contact = { version: 1, channel: 'phone', result: 'reached' };
    await postAsStaff(service.http, `${path}/logContact`, contact, { token });
    const scheduled = await postAsStaff(
      service.http,
      `${path}/schedule`,
      { version: 2, nextActionAt, reason: 'callback_agreed' },
      { token },
    );
    expect(scheduled.status).toBe(200);
    const after = async (days: number) => {
      service.clock.advance({ days });
      await service.get(StaleClaimsService).releaseStale();
      const { order } = (await service.http.get<OrderDetail>(path, { token })).body;
      return [order.state, order.ownerId];
    };
    expect(await after(6)).toEqual(['scheduled', staff.id]);
    expect(await after(1)).toEqual(['scheduled', staff.id]);
    expect(await after(7)).toEqual(['waiting', null]);
    const kind = service.get(EmailKindsService).find('reminder')!;
    const reminder = await service.get(Transactions).read((tx) => kind.facts(tx, ''));
    expect(reminder?.facts.groups).toMatchObject([{ heading: 'Waiting for an owner', total: '1' }]);
  });
});
