import { afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { operator } from '../../src/platform/audit/audit.service.js';
import { AccessService } from '../../src/clients/access.service.js';
import { ClientsService } from '../../src/clients/clients.service.js';
import type { Me } from '../../src/clients/me.dto.js';
import { newToken } from '../../src/clients/token-format.js';
import type { ClientCaller } from '../../src/platform/access/caller.js';
import { StaleClaimsService } from '../../src/queue/waiting/waiting-orders.service.js';
import { RateLimitsService } from '../../src/platform/limits/rate-limits.service.js';
import { SharedCountsService } from '../../src/platform/limits/shared-counts.service.js';
import { Transactions } from '../../src/platform/database/transactions.js';
import { ChargesService } from '../../src/orders/charges/charges.service.js';
import { OfferExpiryService } from '../../src/orders/offers/offer-changes.service.js';
import { WatchEvaluationService } from '../../src/watches/watch-evaluation.service.js';
import { HOUR } from '../../src/platform/kernel/time.js';
import { newDatabase } from '../support/databases.js';
import { afterAMinute, leftOf, stopWindows } from '../support/rate-limits.js';
import { onBothEntrances } from '../support/entrances.js';
import { onBothEngines, type Service, startService } from '../support/service.js';

const LOOK = '/product-availability/postcode/EC2A2BS';
const BATCH = '/product-availability/postcodes';
const ORDER = '/product-availability/order';
const wish = { postcode: 'EC2A 2BS', productCode: 'INT-1G-12' };

beforeEach(stopWindows);
afterEach(() => void jest.restoreAllMocks());

const limitsOf = (headers: Record<string, unknown>) =>
  ['ratelimit-policy', 'ratelimit', 'retry-after'].map((name) => headers[name]);

onBothEntrances('an API client', (engine) => {
  let service: Service;
  beforeAll(async () => {
    service = await startService(engine, {
      config: { lookupsPerMinute: 3, ordersPerMinute: 2, failuresPerMinute: 3 },
    });
    await service.given.catalogue();
  });

  const look = async (token: string) => {
    const { status, headers } = await service.http.get(LOOK, { token });
    return [status, ...limitsOf(headers)];
  };

  it('receives its limit of checks, what is left, and when it may retry', async () => {
    const token = await service.given.token();
    const policy = '"look-ups";q=3;w=60, "burst";q=100;w=1';
    expect(await look(token)).toEqual([200, policy, leftOf('look-ups', 2), undefined]);
    await look(token);
    expect(await look(token)).toEqual([200, policy, leftOf('look-ups', 0), undefined]);
    expect(await look(token)).toEqual([429, policy, leftOf('look-ups', 0), afterAMinute]);
  });

  it('shares its limit among its tokens, but not with other clients', async () => {
    const client = await service.given.client();
    const [one, two] = [
      await service.given.token({ client }),
      await service.given.token({ client }),
    ];
    for (const token of [one, two, one]) expect((await look(token))[0]).toBe(200);
    expect((await look(two))[0]).toBe(429);
    expect((await look(await service.given.token()))[0]).toBe(200);
  });

  it('can have its own limits', async () => {
    const client = await service.given.client();
    const token = await service.given.token({ client });
    const clients = service.get(ClientsService);
    await clients.edit(client.id, { lookupsPerMinute: 1 }, operator);
    expect((await look(token))[1]).toBe('"look-ups";q=1;w=60, "burst";q=100;w=1');
    expect((await look(token))[0]).toBe(429);
    await clients.edit(client.id, { lookupsPerMinute: null }, operator);
    expect((await look(token))[0]).toBe(200);
  });

  it('can have its own burst limit', async () => {
    const client = await service.given.client();
    const token = await service.given.token({ client });
    await service.get(ClientsService).edit(client.id, { lookupBurst: 1 }, operator);
    const answers = await Promise.all([look(token), look(token)]);
    expect(answers.map(([status]) => status).sort()).toEqual([200, 429]);
    expect(answers[0][1]).toBe('"look-ups";q=3;w=60, "burst";q=1;w=1');
  });

  it('has a limit for orders, accepted or not', async () => {
    const token = await service.given.token();
    const order = async (body: unknown) => {
      const { status, headers } = await service.http.post(ORDER, body, { token });
      return [status, headers.ratelimit];
    };
    expect(await order(wish)).toEqual([201, leftOf('orders', 1)]);
    expect(await order({})).toEqual([400, leftOf('orders', 0)]);
    expect(await order(wish)).toEqual([429, leftOf('orders', 0)]);
    expect((await look(token))[0]).toBe(200);
  });

  it('keeps its quota while others fail from the same address', async () => {
    const token = await service.given.token();
    const tries = Array.from({ length: 4 }, () => newToken('live'));
    const refused = [];
    for (const wrong of tries)
      refused.push((await service.http.get(LOOK, { token: wrong })).status);
    expect(refused).toEqual([401, 401, 401, 429]);
    const { headers } = await service.http.get(LOOK, { token: newToken('live') });
    expect(limitsOf(headers)).toEqual(['"failures";q=3;w=60', leftOf('failures', 0), afterAMinute]);
    expect(await look(token)).toEqual([
      200,
      '"look-ups";q=3;w=60, "burst";q=100;w=1',
      leftOf('look-ups', 2),
      undefined,
    ]);
  });
});

onBothEntrances(
  'checks',
  (engine) => {
    let service: Service;
    beforeAll(async () => {
      service = await startService(engine);
      await service.given.catalogue();
    });

    it('have a limit per second', async () => {
      service.set({ lookupBurst: 2 });
      const token = await service.given.token();
      const replies = await Promise.all([1, 2, 3].map(() => service.http.get(LOOK, { token })));
      expect(replies.map(({ status }) => status).sort()).toEqual([200, 200, 429]);
      const refused = replies.find(({ status }) => status === 429);
      expect(limitsOf(refused!.headers).slice(1)).toEqual(['"burst";r=0;t=1', '1']);
    });

    it('are limited by each of several instances to its share', async () => {
      service.set({ lookupsPerMinute: 6, instances: 3 });
      const token = await service.given.token();
      const answers = [];
      for (let i = 0; i < 3; i += 1) answers.push((await service.http.get(LOOK, { token })).status);
      expect(answers).toEqual([200, 200, 429]);
    });

    it('in a batch larger than the share of an instance pass while half of the share is left', async () => {
      service.set({ lookupsPerMinute: 12, instances: 3 });
      const check = async (token: string, number: number) => {
        const body = { postcodes: Array<string>(number).fill('EC2A 2BS') };
        const { status, headers } = await service.http.post(BATCH, body, { token });
        return [status, headers.ratelimit];
      };
      const token = await service.given.token();
      expect(await check(token, 2)).toEqual([200, leftOf('look-ups', 2)]);
      expect(await check(token, 10)).toEqual([200, leftOf('look-ups', 0)]);
      expect(await check(token, 1)).toEqual([429, leftOf('look-ups', 0)]);
      const other = await service.given.token();
      expect(await check(other, 3)).toEqual([200, leftOf('look-ups', 1)]);
      expect((await check(await service.given.token(), 13))[0]).toBe(429);
      expect(await check(other, 10)).toEqual([429, leftOf('look-ups', 1)]);
    });

    it('never have less than nothing left', async () => {
      service.set({ lookupsPerMinute: 1 });
      const token = await service.given.token();
      for (const status of [200, 429, 429]) {
        expect((await service.http.get(LOOK, { token })).status).toBe(status);
      }
      const body = { postcodes: ['EC2A 2BS'] };
      const { status, headers } = await service.http.post(BATCH, body, { token });
      expect([status, headers.ratelimit]).toEqual([429, leftOf('look-ups', 0)]);
    });

    it('are limited by each of several instances to its share of the burst', async () => {
      service.set({ lookupBurst: 6, instances: 3 });
      const token = await service.given.token();
      const replies = await Promise.all([1, 2, 3].map(() => service.http.get(LOOK, { token })));
      expect(replies.map(({ status }) => status).sort()).toEqual([200, 200, 429]);
    });

    it('count towards the limit of concurrent requests', async () => {
      service.set({ inFlight: 1 });
      const token = await service.given.token();
      const look = () => service.http.get(LOOK, { token });
      expect((await look()).status).toBe(200);
      // An accepted order that is not yet in the database.
      const room = service
        .get(RateLimitsService)
        .enter(service.get(AccessService).recognise(`Bearer ${token}`) as ClientCaller);
      const { status, headers } = await look();
      expect([status, headers.ratelimit]).toEqual([429, '"in-flight";r=0;t=1']);
      room.running -= 1;
      expect((await look()).status).toBe(200);
    });
  },
  ['sqlite'],
);

describe('concurrent requests', () => {
  it('have a limit for each client, and are counted until they end', async () => {
    const service = await startService('postgres', { config: { inFlight: 2 } });
    await service.given.catalogue();
    const token = await service.given.token();
    const order = () => service.http.post<{ code?: string }>(ORDER, wish, { token });
    for (let round = 0; round < 3; round += 1) {
      const replies = await Promise.all(Array.from({ length: 6 }, order));
      const accepted = replies.filter(({ status }) => status === 201).length;
      const refused = replies.filter(({ status }) => status === 429);
      expect([accepted >= 2, accepted + refused.length]).toEqual([true, 6]);
      for (const { headers } of refused) {
        expect(limitsOf(headers)).toEqual([
          '"in-flight";q=2;qu="concurrent-requests"',
          '"in-flight";r=0;t=1',
          '1',
        ]);
      }
    }
    expect((await order()).status).toBe(201);
  });
});

onBothEntrances(
  'requests without a token',
  (engine) => {
    it('have a limit for each address, which does not affect requests with a token', async () => {
      const config = { lookupsPerMinute: 3, lookupBurst: 2 };
      const service = await startService(engine, { config });
      await service.given.catalogue();
      const look = async () => {
        const { status, headers } = await service.http.get(LOOK);
        return [status, ...limitsOf(headers)];
      };
      const policy = '"nameless";q=3;w=60, "nameless-burst";q=2;w=1';
      expect((await look())[0]).toBe(401);
      expect((await look())[0]).toBe(401);
      expect(await look()).toEqual([429, policy, '"nameless-burst";r=0;t=1', '1']);
      expect((await look()).slice(0, 3)).toEqual([429, policy, leftOf('nameless', 0)]);
      const token = await service.given.token();
      expect((await service.http.get(LOOK, { token })).status).toBe(200);
      expect((await service.http.get('/health/live')).status).toBe(200);
    });
  },
  ['sqlite'],
);

onBothEngines('the window of a limit', (engine) => {
  let ahead: Service;
  /** SQLite has one instance. */
  let other: Service | undefined;
  beforeAll(async () => {
    const database = await newDatabase(engine);
    const config = { ordersPerMinute: 2 };
    ahead = await startService(engine, { database, config });
    if (engine === 'postgres') other = await startService(engine, { database, config });
    await ahead.given.catalogue();
  });

  it('ends within its length, also if the clock of an instance was an hour ahead', async () => {
    const token = await ahead.given.token();
    const { http } = other ?? ahead;
    await other?.learnChanges();
    const now = Date.now.bind(Date);
    const clock = jest.spyOn(Date, 'now').mockImplementation(() => now() + HOUR);
    expect((await ahead.http.post(ORDER, wish, { token })).status).toBe(201);
    clock.mockRestore();
    expect((await http.post(ORDER, wish, { token })).status).toBe(201);
    const { status, headers } = await http.post(ORDER, wish, { token });
    expect([status, headers['retry-after']]).toEqual([429, afterAMinute]);
  });

  it('ends within its length, also if the clock of the database was an hour ahead', async () => {
    if (engine === 'sqlite') return;
    const token = await ahead.given.token();
    const order = () => ahead.http.post(ORDER, wish, { token });
    expect((await order()).status).toBe(201);
    await ahead
      .get(Transactions)
      .run((tx) => tx.query(`UPDATE rate_limits SET expire = expire + ${HOUR}`));
    const { body } = await ahead.http.get<Me>('/product-availability/me', { token });
    expect(body.limits?.ordersPerMinute).toEqual({ limit: 2, remaining: 1, reset: 60 });
    expect((await order()).status).toBe(201);
    const { status, headers } = await order();
    expect([status, headers['retry-after']]).toEqual([429, afterAMinute]);
  });
});

describe('an instance whose clock is an hour ahead', () => {
  it('ends nothing early for the other instances', async () => {
    const service = await startService('postgres', { config: { staleClaimHours: 1 } });
    await service.given.catalogue();
    const works = [
      () => service.get(OfferExpiryService).endOffers(),
      () => service.get(ChargesService).endOverdue(),
      () => service.get(StaleClaimsService).releaseStale(),
      () => service.get(WatchEvaluationService).evaluate(),
    ];
    for (const work of works) await work();
    // So that there are watches to evaluate again.
    await service.given.catalogue({ coverage: ['N1,NEARNET'] });
    const now = Date.now.bind(Date);
    jest.spyOn(Date, 'now').mockImplementation(() => now() + HOUR);
    for (const work of works) await expect(work()).rejects.toThrow('ahead of the database');
  });
});

describe('orders on several instances', () => {
  let first: Service;
  let second: Service;
  beforeAll(async () => {
    const database = await newDatabase('postgres');
    const config = { ordersPerMinute: 7 };
    first = await startService('postgres', { database, config });
    second = await startService('postgres', { database, config });
  });

  it('have an exact limit, counted in the database', async () => {
    await first.given.catalogue();
    const token = await first.given.token();
    await second.http.get(LOOK, { token });
    const replies = await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        [first, second][i % 2]!.http.post(ORDER, wish, { token }),
      ),
    );
    const counts = [201, 429].map((code) => replies.filter(({ status }) => status === code).length);
    expect(counts).toEqual([7, 13]);
  });

  it('are counted one by one if they arrive together', async () => {
    const shared = first.get(SharedCountsService);
    const added = Array.from({ length: 6 }, () => shared.add({ key: 'client', most: 4 }));
    const counts = (await Promise.all(added)).map(({ count }) => count);
    expect(counts).toEqual([1, 2, 3, 4, 5, 6]);
  });
});
