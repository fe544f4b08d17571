import { beforeAll, describe, expect, it } from '@jest/globals';
import { operator } from '../../src/platform/audit/audit.service.js';
import { ClientsService } from '../../src/clients/clients.service.js';
import type { Me } from '../../src/clients/me.dto.js';
import { expectProblem } from '../support/problems.js';
import { onOneEngine, type Service, startService } from '../support/service.js';

const ME = '/product-availability/me';
const LOOK = '/product-availability/postcode/EC2A2BS';
const wish = { postcode: 'EC2A 2BS', productCode: 'INT-1G-12' };

onOneEngine('GET /product-availability/me', (engine) => {
  let service: Service;
  const me = (token: string) => service.http.get<Me>(ME, { token });

  beforeAll(async () => {
    service = await startService(engine, {
      config: { lookupsPerMinute: 10, lookupBurst: 5, ordersPerMinute: 4, inFlight: 7 },
    });
    await service.given.catalogue();
  });

  it('returns the owner, scopes and expiry of the token', async () => {
    const client = await service.given.client({ priceList: 'partner', compatibility: '0.2' });
    for (const kind of ['live', 'test'] as const) {
      const { id, token, expiresAt } = await service.given.issuedToken({
        client,
        kind,
        scopes: ['orders:read'],
        days: 9,
      });
      const { status, body } = await me(token);
      expect([status, body]).toEqual([
        200,
        {
          client: {
            id: client.id,
            name: client.name,
            priceList: 'partner',
            legacyFieldNames: true,
            compatibility: '0.2',
            interconnects: [],
          },
          token: {
            id,
            label: 'test',
            mode: kind,
            scopes: ['orders:read'],
            expiresAt: expiresAt.toISOString(),
          },
          limits: {
            lookupsPerMinute: { limit: 10, remaining: 10, reset: expect.any(Number) },
            lookupsPerSecond: { limit: 5, remaining: 5, reset: 1 },
            ordersPerMinute: { limit: 4, remaining: 4, reset: expect.any(Number) },
            inFlight: { limit: 7, running: 1 },
          },
        },
      ]);
    }
  });

  it('returns what is left of the limits, and does not count', async () => {
    const client = await service.given.client();
    const token = await service.given.token({ client });
    await service.http.get(LOOK, { token });
    await service.http.get(LOOK, { token });
    await service.http.post('/product-availability/order', wish, { token });
    for (let n = 0; n < 12; n += 1) {
      const { status, headers, body } = await me(token);
      expect([status, body.limits?.lookupsPerMinute, body.limits?.ordersPerMinute]).toEqual([
        200,
        { limit: 10, remaining: 8, reset: expect.any(Number) },
        { limit: 4, remaining: 3, reset: expect.any(Number) },
      ]);
      const { reset } = body.limits!.lookupsPerMinute;
      expect([headers['ratelimit'], headers['ratelimit-policy']]).toEqual([
        `"look-ups";r=8;t=${reset}`,
        '"look-ups";q=10;w=60, "burst";q=5;w=1',
      ]);
    }
    await service.get(ClientsService).edit(client.id, { lookupsPerMinute: 3 }, operator);
    expect((await me(token)).body.limits?.lookupsPerMinute).toMatchObject({
      limit: 3,
      remaining: 1,
    });
    const test = await service.given.token({ client, kind: 'test' });
    expect((await me(test)).body.limits?.lookupsPerMinute).toMatchObject({
      limit: 3,
      remaining: 3,
    });
  });

  it('works when the limits are used up', async () => {
    const token = await service.given.token();
    for (let n = 0; n < 6; n += 1)
      await service.http.post('/product-availability/order', {}, { token });
    expect((await me(token)).body.limits?.ordersPerMinute.remaining).toBe(0);
  });

  it('is for API clients, with any scope', async () => {
    const staff = await me(await service.given.staffToken());
    expectProblem(staff, 'insufficient-scope');
    expect(staff.headers['www-authenticate']).toBe(
      'Bearer realm="product-availability", error="insufficient_scope"',
    );
    expectProblem(await service.http.get(ME), 'missing-token');
    for (const scope of ['availability:read', 'orders:write'] as const) {
      expect((await me(await service.given.token({ scopes: [scope] }))).status).toBe(200);
    }
  });
});

describe('GET /product-availability/me without rate limits', () => {
  it('returns no limits', async () => {
    const service = await startService('sqlite', { config: { rateLimits: false } });
    const token = await service.given.token();
    const { body, headers } = await service.http.get<Me>(ME, { token });
    expect([body.limits, headers.ratelimit]).toEqual([null, undefined]);
  });
});
