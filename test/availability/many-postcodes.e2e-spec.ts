import { afterEach, beforeAll, beforeEach, expect, it, jest } from '@jest/globals';
import type { AvailabilityResult } from '../../src/availability/availability.dto.js';
import { ImportService } from '../../src/catalogue/versions/import.service.js';
import { operator } from '../../src/platform/audit/audit.service.js';
import { Ledger } from '../support/ledger.js';
import { problem, expectProblem } from '../support/problems.js';
import { afterAMinute, leftOf, stopWindows } from '../support/rate-limits.js';
import { onBothEntrances } from '../support/entrances.js';
import { type Service, startService } from '../support/service.js';

const PATH = '/product-availability/postcodes';

type Row = AvailabilityResult & { readonly code?: string; readonly instance?: string };
interface Rows {
  readonly results: Row[];
}

const send = ({ http }: Service, token: string, postcodes: unknown) =>
  http.post<Rows>(PATH, { postcodes }, { token });

onBothEntrances('Many postcodes at once', (engine) => {
  let service: Service;
  let token: string;

  beforeAll(async () => {
    service = await startService(engine, { config: { rateLimits: false } });
    await service.given.catalogue();
    token = await service.given.token();
  });

  it('are answered in order, including duplicates, each like a single check', async () => {
    const asked = ['ec2a2bs', 'AB10 1AB', 'EC2A 20S', 'EC2A 2BS', 'nowhere', 'ZZ99 1AA', 'N1 9GU'];
    const { status, headers, body } = await send(service, token, asked);
    expect([status, headers['content-type'], body.results.length]).toEqual([
      200,
      'application/json',
      asked.length,
    ]);
    for (const [i, postcode] of asked.entries()) {
      const path = `/product-availability/postcode/${encodeURIComponent(postcode)}`;
      const alone = (await service.http.get<Row>(path, { token })).body;
      const { id, instance, ...row } = body.results[i]!;
      const { id: otherId, instance: otherInstance, ...expected } = alone;
      expect(row).toEqual(expected);
      expect([typeof id, typeof instance]).toEqual([typeof otherId, typeof otherInstance]);
      expect(id === undefined || id !== otherId).toBe(true);
    }
    const request = `urn:uuid:${headers['x-request-id'] as string}`;
    expect(body.results[2]).toEqual(
      problem('invalid-postcode', { suggestion: 'EC2A 2DS', instance: request })[1],
    );
  });

  it('are at most 80 kB for a hundred places of forty-eight products, if the client accepts gzip, as is a single check', async () => {
    const national = await startService('sqlite', { config: { rateLimits: false } });
    const options = { label: 'demo', actor: operator, activate: true };
    await national.get(ImportService).importFiles('demo/catalogue', options);
    const own = await national.given.token();
    const postcodes = Array.from(
      { length: 100 },
      (_, i) => `EC2A ${i % 10}${i < 50 ? 'BS' : 'BT'}`,
    );
    const plain = await send(national, own, postcodes);
    expect(plain.body.results.flatMap((one) => one.availableProducts).length).toBeGreaterThan(
      4_000,
    );
    const headers = { 'Accept-Encoding': 'gzip', Authorization: `Bearer ${own}` };
    const base = `http://127.0.0.1:${national.http.port}`;
    const response = await fetch(base + PATH, {
      method: 'POST',
      headers: { ...headers, 'Content-Type': 'application/json' },
      body: JSON.stringify({ postcodes }),
    });
    expect((await response.text()).length).toBeGreaterThan(1_000_000);
    expect(response.headers.get('content-encoding')).toBe('gzip');
    expect(Number(response.headers.get('content-length'))).toBeLessThanOrEqual(80_000);
    for (const query of ['', '?bandwidth=0.1']) {
      const alone = await fetch(`${base}/product-availability/postcode/EC2A2BS${query}`, {
        headers,
      });
      expect(alone.headers.get('content-encoding')).toBe('gzip');
      const { availableProducts } = (await alone.json()) as AvailabilityResult;
      expect(availableProducts).toHaveLength(48);
    }
  });

  it('are recorded one by one, and can be read again', async () => {
    const ledger = new Ledger(service.config);
    await service.flushChecks();
    const before = await ledger.count('checks');
    const { body } = await send(service, token, ['EC2A 2BS', 'EC2A 2BS', 'x', 'N1 9GU']);
    await service.flushChecks();
    expect((await ledger.count('checks')) - before).toBe(3);
    const { id } = body.results[1]!;
    const again = await service.http.get(`/product-availability/check/${id}`, { token });
    expect(again.body).toEqual(body.results[1]);
  });

  it('are at most a hundred, which the refusal explains', async () => {
    const most = Array.from({ length: 100 }, () => 'EC2A 2BS');
    expect((await send(service, token, most)).body.results).toHaveLength(100);
    const tooMany = await send(service, token, [...most, 'EC2A 2BS']);
    expectProblem(tooMany, 'validation-error');
    expect(tooMany.body).toMatchObject({
      errors: [
        { pointer: '/postcodes', code: 'too-long', detail: 'Must have at most 100 postcodes.' },
      ],
    });
  });

  it.each<[string, unknown]>([
    ['nothing', undefined],
    ['none', []],
    ['a text', 'EC2A 2BS'],
    ['numbers', [1, 2]],
    ['null', ['EC2A 2BS', null]],
    ['a long text', ['E'.repeat(257)]],
  ])('are no list of postcodes: %s', async (_what, postcodes) => {
    expectProblem(await send(service, token, postcodes), 'validation-error');
  });

  it('have the misspelt key and whole bandwidths for a client with compatibility 0.2', async () => {
    const client = await service.given.client({ compatibility: '0.2' });
    const { body } = await send(service, await service.given.token({ client }), ['EC2A 2BS']);
    const whole = { bandwidthProvisioned: 1, bandwidthCapacity: 10, bandwidthCapactity: 10 };
    expect(body.results[0]?.availableProducts).toEqual([
      expect.objectContaining(whole),
      expect.objectContaining(whole),
    ]);
  });

  it('can be sandbox postcodes for a test token', async () => {
    const test = await service.given.token({ kind: 'test' });
    const asked = ['ZZ99 1AA', 'ZZ99 1AB', 'ZZ99 1AF', 'ZZ99 1AG', 'EC2A 2BS'];
    const { status, body } = await send(service, test, asked);
    expect([status, body.results.map((row) => row.code ?? row.availableProducts.length)]).toEqual([
      200,
      [3, 0, 'unavailable', 'rate-limited', 3],
    ]);
  });

  it('need the scope of a check', async () => {
    const other = await service.given.token({ scopes: ['orders:write'] });
    expectProblem(await send(service, other, ['EC2A 2BS']), 'insufficient-scope');
  });
});

onBothEntrances(
  'The limit of checks',
  (engine) => {
    beforeEach(stopWindows);
    afterEach(() => void jest.restoreAllMocks());

    it('counts each postcode, and none if the limit does not allow all', async () => {
      const service = await startService(engine, { config: { lookupsPerMinute: 10 } });
      await service.given.catalogue();
      const token = await service.given.token();
      const ask = async (count: number) => {
        const reply = await send(
          service,
          token,
          Array.from({ length: count }, () => 'EC2A 2BS'),
        );
        return [reply.status, reply.headers.ratelimit, reply.headers['retry-after']];
      };
      expect(await ask(6)).toEqual([200, leftOf('look-ups', 4), undefined]);
      expect(await ask(5)).toEqual([429, leftOf('look-ups', 4), afterAMinute]);
      expect(await ask(4)).toEqual([200, leftOf('look-ups', 0), undefined]);
      expect(await ask(1)).toEqual([429, leftOf('look-ups', 0), afterAMinute]);
      const refused = await send(service, token, ['EC2A 2BS', 'N1 9GU']);
      expectProblem(refused, 'rate-limited');
      expect((refused.body as { detail?: string }).detail).toBe(
        'The limit is 10 look-ups a minute. This request counts as 2; 0 are left.',
      );
      const order = { postcode: 'EC2A 2BS', productCode: 'INT-1G-12' };
      expect(
        (await service.http.post('/product-availability/order', order, { token })).status,
      ).toBe(201);
    });

    it('allows a hundred postcodes if the second limit allows them', async () => {
      const service = await startService(engine, { config: { lookupBurst: 5 } });
      await service.given.catalogue();
      const many = Array.from({ length: 100 }, () => 'EC2A 2BS');
      const one = ['EC2A 2BS'];
      const token = await service.given.token();
      const replies = [];
      for (const asked of [many, one, one, one]) replies.push(await send(service, token, asked));
      // The hundred have taken half of the second's burst.
      expect(replies.map(({ status }) => status)).toEqual([200, 200, 200, 429]);
      expect(replies.at(-1)?.headers.ratelimit).toBe('"burst";r=0;t=1');
    });
  },
  ['sqlite'],
);
