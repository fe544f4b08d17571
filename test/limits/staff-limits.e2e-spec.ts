import { beforeAll, describe, expect, it, jest } from '@jest/globals';
import { once } from 'node:events';
import { connect } from 'node:net';
import type { StaffCaller } from '../../src/platform/access/caller.js';
import { AuditEntry } from '../../src/platform/audit/audit-entry.entity.js';
import { Transactions } from '../../src/platform/database/transactions.js';
import { AccessService } from '../../src/clients/access.service.js';
import { ReportCountsService } from '../../src/reports/report-counts.service.js';
import { FollowUpService } from '../../src/queue/lists/follow-up.service.js';
import { type InFlight, RateLimitsService } from '../../src/platform/limits/rate-limits.service.js';
import { until } from '../support/catalogue.js';
import { type Service, startService } from '../support/service.js';
import { StaffBrowser } from '../support/staff-browser.js';

const PEOPLE = '/follow-up/people';

describe('concurrent requests of a staff member', () => {
  let service: Service;
  let browser: StaffBrowser;
  let token: string;
  let caller: StaffCaller;

  beforeAll(async () => {
    service = await startService('sqlite', { config: { staffInFlight: 2, staffHeavyInFlight: 1 } });
    await service.given.catalogue();
    browser = await StaffBrowser.signedIn(service, { role: 'admin' });
    token = await service.given.token({ staff: browser.member });
    await service.http.get(PEOPLE, { token });
    caller = service.get(AccessService).recognise(`Bearer ${token}`) as StaffCaller;
  });

  const get = (path: string) => service.http.get<string>(path, { token });

  /** Runs `use` while as many requests of the member run as may. */
  const whileFull = async (kind: 'heavy' | 'other', use: () => Promise<void>) => {
    const limits = service.get(RateLimitsService);
    const running: InFlight[] = [];
    for (let i = kind === 'heavy' ? 1 : 2; i > 0; i -= 1) {
      running.push(limits.enterStaff(caller, kind === 'heavy'));
    }
    try {
      await use();
    } finally {
      for (const one of running) one.running -= 1;
    }
  };

  it('are bounded, by token and in a browser together', async () => {
    await whileFull('other', async () => {
      const refused = await get(PEOPLE);
      expect([
        refused.status,
        refused.headers['ratelimit-policy'],
        refused.headers.ratelimit,
        refused.headers['retry-after'],
      ]).toEqual([429, '"in-flight";q=2;qu="concurrent-requests"', '"in-flight";r=0;t=1', '1']);
      const page = await browser.get('/staff/queue', { Accept: 'text/html' });
      expect([page.status, page.headers['content-type']]).toEqual([
        429,
        'text/html; charset=utf-8',
      ]);
      expect(page.body).toContain('Too many requests');
    });
    expect([(await get(PEOPLE)).status, (await browser.get('/staff/queue')).status]).toEqual([
      200, 200,
    ]);
  });

  it('of another member are not affected', async () => {
    const other = await service.given.staffToken();
    await whileFull('other', async () => {
      expect((await service.http.get(PEOPLE, { token: other })).status).toBe(200);
    });
  });

  it.each([
    '/follow-up/orders?q=Ada',
    '/follow-up/orders.csv',
    '/catalogue/versions/1',
    '/follow-up/reports/promised',
    '/follow-up/reports/margins',
    '/follow-up/reports/demand?from=2026-01-01&to=2026-11-21',
    '/catalogue/versions/1/diff',
    '/catalogue/explain/EC2A2BS?at=2026-11-21T09:30:00Z',
  ])('have a smaller bound for %s', async (path) => {
    await whileFull('heavy', async () => {
      const { status, headers } = await get(path);
      expect([status, headers.ratelimit]).toEqual([429, '"heavy-in-flight";r=0;t=1']);
    });
  });

  it.each([
    '/staff/search?q=Ada',
    '/staff/queue?q=Ada',
    '/staff/queue.csv',
    '/staff/reports',
    '/staff/reports/promised',
    '/staff/reports/margins',
    '/staff/map',
    '/staff/catalogue/versions/1',
  ])('have a smaller bound for the page %s', async (path) => {
    await whileFull('heavy', async () => {
      expect((await browser.get(path)).status).toBe(429);
    });
    expect((await browser.get(path)).status).not.toBe(429);
  });

  it.each(['/staff/queue', '/staff/search', '/staff/queue?q=', '/staff/catalogue'])(
    'have the usual bound for the page %s',
    async (path) => {
      await whileFull('heavy', async () => {
        expect((await browser.get(path)).status).toBe(200);
      });
    },
  );

  it('are counted down as they end', async () => {
    const counts = service.get(ReportCountsService);
    const whole = counts.openOrders.bind(counts);
    for (let round = 0; round < 3; round += 1) {
      // The reports that may run last until another one is refused.
      const refused = Promise.withResolvers<void>();
      jest.spyOn(counts, 'openOrders').mockImplementation(async (...about) => {
        await refused.promise;
        return whole(...about);
      });
      const ask = async () => {
        const { status } = await get('/follow-up/reports/promised');
        if (status === 429) refused.resolve();
        return status;
      };
      const statuses = new Set(await Promise.all(Array.from({ length: 20 }, ask)));
      expect([...statuses].sort()).toEqual([200, 429]);
    }
    jest.restoreAllMocks();
    expect((await get('/follow-up/reports/promised')).status).toBe(200);
  });

  it('do not include streams of changes', async () => {
    const request = `GET /follow-up/changes HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${token}\r\n\r\n`;
    const sockets = [1, 2, 3].map(() => connect(service.http.port, '127.0.0.1'));
    for (const socket of sockets) {
      socket.write(request);
      await once(socket, 'data');
    }
    expect((await get(PEOPLE)).status).toBe(200);
    for (const socket of sockets) socket.destroy();
  });

  it('no longer include an export whose caller has left', async () => {
    const followUp = service.get(FollowUpService);
    const whole = followUp.after.bind(followUp);
    const socket = connect(service.http.port, '127.0.0.1');
    const gate = Promise.withResolvers<void>();
    const reading = jest.spyOn(followUp, 'after').mockImplementationOnce(async (...about) => {
      socket.destroy();
      await gate.promise;
      return whole(...about);
    });
    socket.write(
      `GET /follow-up/orders.csv HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${token}\r\n\r\n`,
    );
    await once(socket, 'close');
    expect(reading).toHaveBeenCalledTimes(1);
    expect((await get('/follow-up/orders.csv')).status).toBe(429);
    gate.resolve();
    await until(async () => (await get('/follow-up/orders.csv')).status === 200);
    const ended = await service.get(Transactions).read((tx) =>
      tx.find(AuditEntry, {
        where: { subjectType: 'export', action: 'ended' },
        order: { id: 'ASC' },
      }),
    );
    expect(ended.slice(-2).map(({ details }) => details?.complete)).toEqual([false, true]);
  });
});

it('no number of concurrent requests of staff is refused without rate limits', async () => {
  const service = await startService('sqlite', {
    config: { rateLimits: false, staffInFlight: 1, staffHeavyInFlight: 1 },
  });
  const token = await service.given.staffToken();
  const replies = await Promise.all(
    Array.from({ length: 10 }, () => service.http.get(PEOPLE, { token })),
  );
  expect(replies.map(({ status }) => status)).toEqual(Array(10).fill(200));
});
