import { beforeAll, describe, expect, it, jest, test } from '@jest/globals';
import { readdirSync, readFileSync } from 'node:fs';
import { operator } from '../../src/platform/audit/audit.service.js';
import { ApiClient } from '../../src/clients/api-client.entity.js';
import { ClientsService } from '../../src/clients/clients.service.js';
import { newToken } from '../../src/clients/token-format.js';
import { TokensService } from '../../src/clients/tokens.service.js';
import { Transactions } from '../../src/platform/database/transactions.js';
import { variables } from '../../src/platform/config/config.js';
import { onOneEngine, type Service, startService } from '../support/service.js';

const LOOK = '/product-availability/postcode/EC2A2BS';
const ORDER = '/product-availability/order';
const wish = { postcode: 'EC2A 2BS', productCode: 'INT-1G-12' };

const policy = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

describe('the headers of every response', () => {
  let service: Service;
  beforeAll(async () => {
    const config = { publicUrl: 'https://api.example.net' };
    service = await startService('sqlite', { config });
    await service.given.catalogue();
  });

  const expected = {
    'x-content-type-options': 'nosniff',
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'strict-transport-security': 'max-age=63072000',
  };

  test.each([LOOK, '/nowhere', '/health/live', '/openapi.json', `/${'x'.repeat(3_000)}`])(
    'are on %s',
    async (path) => {
      const token = await service.given.token();
      for (const method of ['GET', 'OPTIONS', 'DELETE']) {
        const { headers } = await service.http.send({ method, path, token });
        expect(headers).toMatchObject({
          ...expected,
          'content-security-policy': policy,
          'referrer-policy': 'no-referrer',
        });
        const telling = ['x-powered-by', 'server', 'etag', 'access-control-allow-origin'];
        expect(telling.filter((name) => name in headers)).toEqual([]);
      }
    },
  );

  it('are on responses to requests that the parser refuses', async () => {
    const answer = await service.http.sendBytes('nonsense\r\n\r\n');
    for (const [name, value] of Object.entries(expected)) {
      expect(answer.toLowerCase()).toContain(`${name}: ${value.toLowerCase()}`);
    }
  });

  it.each([
    '/docs',
    '/docs/orders',
    '/docs/search',
    '/docs/reference/orders',
    '/problems/not-found',
  ])('allow %s only its own files and search, without inline scripts or styles', async (path) => {
    const { headers } = await service.http.get(path);
    expect(headers).toMatchObject({
      ...expected,
      'content-security-policy': policy
        .replace(
          "'none';",
          "'none'; script-src 'self'; style-src 'self'; img-src 'self'; font-src 'self'; connect-src 'self';",
        )
        .replace("form-action 'none'", "form-action 'self'"),
      'referrer-policy': 'no-referrer',
    });
  });

  it('have HSTS only with TLS', async () => {
    const { http } = await startService('sqlite');
    const { headers } = await http.get('/health/live');
    expect(headers['strict-transport-security']).toBeUndefined();
  });
});

onOneEngine('an attacker', (engine) => {
  let service: Service;
  let token: string;
  beforeAll(async () => {
    service = await startService(engine, { config: { rateLimits: false } });
    await service.given.catalogue();
    token = await service.given.token();
  });

  it('cannot use TRACE or CORS', async () => {
    const trace = await service.http.send({ method: 'TRACE', path: ORDER, token });
    expect(trace.status).toBe(405);
    const preflight = await service.http.send({
      method: 'OPTIONS',
      path: ORDER,
      headers: { Origin: 'https://evil.example', 'Access-Control-Request-Method': 'POST' },
    });
    const cors = Object.keys(preflight.headers).filter((name) => name.startsWith('access-control'));
    expect([preflight.status, cors]).toEqual([204, []]);
  });

  it('cannot distinguish unknown, expired and revoked tokens', async () => {
    const expired = await service.given.token({ days: 1 });
    service.clock.advance({ days: 2 });
    const answers = [];
    for (const wrong of [expired, newToken('live'), newToken('test'), 'x', `${token}x`]) {
      const { status, headers, body } = await service.http.get<object>(LOOK, { token: wrong });
      answers.push(
        JSON.stringify([status, headers['www-authenticate'], { ...body, instance: '' }]),
      );
    }
    expect(new Set(answers).size).toBe(1);
    token = await service.given.token();
  });

  it('cannot distinguish them by the database work of a refusal', async () => {
    const client = await service.given.client();
    const revoked = await service.given.issuedToken();
    await service.get(TokensService).revoke(revoked.id, operator);
    const disabled = await service.given.token({ client });
    await service.get(ClientsService).setEnabled(client.id, false, operator);
    const expired = await service.given.token({ days: 1 });
    const lately = await service.given.token({ days: 1 });
    service.clock.advance({ days: 2 });
    // One of the expired tokens is still in memory; the holder of the other is not loaded again.
    const reads = jest.spyOn(service.get(Transactions), 'read');
    const costs = [];
    for (const wrong of [newToken('live'), revoked.token, disabled, expired, lately, expired]) {
      // The service also reads once a second by itself, during some of the attempts only.
      const tries = [];
      for (let i = 0; i < 5; i += 1) {
        reads.mockClear();
        expect((await service.http.get(LOOK, { token: wrong })).status).toBe(401);
        tries.push(reads.mock.calls.length);
      }
      costs.push(Math.min(...tries));
    }
    reads.mockRestore();
    expect(costs).toEqual(Array(6).fill(1));
    token = await service.given.token();
  });

  it('is refused with two Authorization headers', async () => {
    const headers = { Authorization: [`Bearer ${token}`, `Bearer ${newToken('live')}`] };
    expect((await service.http.get(LOOK, { headers })).status).toBe(400);
  });

  it("finds another client's order and check absent, like any that is", async () => {
    const { orderId } = await service.given.order();
    const absent = '019a9b5e-7c1d-7c3a-9d2f-5b1e6a7c8d90';
    const shown = async (path: string) => {
      const { status, body } = await service.http.get<object>(path, { token });
      return [status, { ...body, instance: '' }];
    };
    expect(await shown(`${ORDER}/${orderId}`)).toEqual(await shown(`${ORDER}/${absent}`));
    const stranger = await service.given.token();
    const { body } = await service.http.get<{ id: string }>(LOOK, { token: stranger });
    const check = '/product-availability/check';
    expect(await shown(`${check}/${body.id}`)).toEqual(await shown(`${check}/0000000000`));
  });

  test.each(['clientId', 'state', 'amountMinor', 'price', 'ownerId', 'receivedAt', 'version'])(
    'cannot set %s of an order',
    async (name) => {
      const { status, body } = await service.http.post(ORDER, { ...wish, [name]: 1 }, { token });
      expect([status, body]).toMatchObject([400, { errors: [{ code: 'unknown-property' }] }]);
    },
  );

  test.each([
    ['__proto__', '{"__proto__":{"isAdmin":true},"postcode":"EC2A 2BS","productCode":"INT-1G-12"}'],
    ['constructor', '{"constructor":{"prototype":{"isAdmin":true}}}'],
    ['an array', '[]'],
    ['a number', '1'],
    ['1e999', '{"postcode":1e999,"productCode":"INT-1G-12"}'],
    ['arrays for texts', '{"postcode":["EC2A 2BS"],"productCode":["INT-1G-12"]}'],
    ['a lone surrogate', '{"postcode":"EC2A 2BS","productCode":"INT-1G-12","notes":"\\ud800"}'],
    ['NUL', '{"postcode":"EC2A 2BS","productCode":"INT-1G-12","notes":"\\u0000"}'],
    ['depth', `{"notes":${'['.repeat(20)}${']'.repeat(20)}}`],
    ['bytes that are no UTF-8', Buffer.from('{"postcode":"\xff","productCode":"x"}', 'latin1')],
    ['half a character', Buffer.from([...Buffer.from('{"notes":"'), 0xf0, 0x9f, 0x98, 0x22, 0x7d])],
    ['many keys', JSON.stringify(Object.fromEntries(Array.from({ length: 65 }, (_, i) => [i, i])))],
  ])('receives 400 for a body with %s', async (_name, body) => {
    const headers = { 'Content-Type': 'application/json' };
    const { status } = await service.http.send({
      method: 'POST',
      path: ORDER,
      token,
      headers,
      body,
    });
    expect([status, ({} as { isAdmin?: boolean }).isAdmin]).toEqual([400, undefined]);
  });

  it('receives the limit that a body exceeds', async () => {
    const many = JSON.stringify(
      Object.fromEntries(Array.from({ length: 65 }, (_, i) => [`k${i}`, i])),
    );
    const few = JSON.stringify(
      Object.fromEntries(Array.from({ length: 64 }, (_, i) => [`k${i}`, i])),
    );
    const nested = (depth: number) => `{"notes":${'['.repeat(depth - 1)}${']'.repeat(depth - 1)}}`;
    const large = (bytes: number) => `{"notes":"${'x'.repeat(bytes - 12)}"}`;
    const told = async (body: string, type = 'application/json') => {
      const request = { method: 'POST', path: ORDER, token, body };
      const reply = await service.http.send<{ code: string }>({
        ...request,
        headers: { 'Content-Type': type },
      });
      return `${reply.status} ${reply.body.code}`;
    };
    expect([await told(few), await told(many)]).toEqual([
      '400 validation-error',
      '400 malformed-request',
    ]);
    expect([await told(nested(8)), await told(nested(9))]).toEqual([
      '400 validation-error',
      '400 malformed-request',
    ]);
    expect([await told(large(16_384)), await told(large(16_385))]).toEqual([
      '400 validation-error',
      '413 content-too-large',
    ]);
    expect(await told('{}', 'application/json; charset=utf-16')).toBe('415 unsupported-media-type');
  });

  it.each([2_048, 2_049, 10_000, 20_000, 100_000])(
    'receives 414 for a URL of more than 2,048 characters: %i',
    async (length) => {
      const path = `/docs?${'x'.repeat(length - 6)}`;
      const answer = await service.http.sendBytesAndStay(
        `GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`,
      );
      expect(answer.split(' ')[1]).toBe(length > 2_048 ? '414' : '200');
      if (length > 2_048) expect(answer).toContain('"code":"uri-too-long"');
    },
  );

  it('receives 431 for headers of more than 16 KB', async () => {
    const answer = await service.http.sendBytesAndStay(
      `GET /health/live HTTP/1.1\r\nHost: x\r\nX-Long: ${'x'.repeat(20_000)}\r\n\r\n`,
    );
    expect(answer).toMatch(/^HTTP\/1.1 431 /);
  });

  it.each(['/openapi.json', '/openapi.yaml', '/docs', '/health/live', '/problems'])(
    'cannot write to %s',
    async (path) => {
      for (const method of ['POST', 'DELETE', 'TRACE']) {
        const { status, headers } = await service.http.send({ method, path });
        expect([method, status, headers.allow]).toEqual([method, 405, 'GET, HEAD, OPTIONS']);
      }
      expect((await service.http.send({ method: 'OPTIONS', path })).status).toBe(204);
    },
  );

  it('receives no 5xx for a NUL in a URL', async () => {
    const staff = await service.given.staffToken();
    const statuses = [
      await service.http.get('/product-availability/postcode/%00', { token }),
      await service.http.get('/product-availability/check/%00', { token }),
      await service.http.get(`${ORDER}/a%00`, { token }),
      await service.http.get('/follow-up/orders?cursor=%00', { token: staff }),
    ].map(({ status }) => status);
    expect(statuses).toEqual([400, 404, 404, 400]);
  });

  it('cannot put SQL into any parameter', async () => {
    const injections = [
      "' OR '1'='1",
      "'; DROP TABLE orders; --",
      "') UNION SELECT 1 --",
      '%',
      '_',
    ];
    const clients = () => service.get(Transactions).read((tx) => tx.count(ApiClient));
    const before = await clients();
    const staff = await service.given.staffToken();
    for (const text of injections) {
      const path = encodeURIComponent(text);
      const answers = [
        await service.http.get(`/product-availability/postcode/${path}`, { token }),
        await service.http.get(`/product-availability/check/${path}`, { token }),
        await service.http.get(`${ORDER}/${path}`, { token }),
        await service.http.get(`/follow-up/orders?cursor=${path}`, { token: staff }),
        await service.http.post(ORDER, { postcode: text, productCode: text }, { token }),
        await service.http.post(ORDER, { ...wish, productCode: text, checkId: text }, { token }),
        await service.http.get(LOOK, { token: text }),
      ];
      for (const { status } of answers) expect([400, 401, 404, 422]).toContain(status);
      const stored = { ...wish, reference: text, notes: text };
      const { body } = await service.http.post<{ orderId: string }>(ORDER, stored, { token });
      const order = await service.http.get(`${ORDER}/${body.orderId}`, { token });
      expect(order).toMatchObject({ status: 200, body: { reference: text } });
    }
    expect(await clients()).toBe(before);
  });

  it('finds no usable secret in the database', async () => {
    const { token: secret } = await service.given.issuedToken();
    const dump = await service
      .get(Transactions)
      .read((tx) => tx.query<object[]>('SELECT * FROM access_tokens'));
    expect(dump.length).toBeGreaterThan(0);
    expect(JSON.stringify(dump)).not.toMatch(/pas_(live|test)_/);
    expect(JSON.stringify(dump)).not.toContain(secret.slice(9, 40));
  });

  it('cannot forge its address, unless a proxy is trusted', async () => {
    const config = { failuresPerMinute: 1 };
    const from = (address: string) => ({
      token: newToken('live'),
      headers: { 'X-Forwarded-For': address },
    });
    const alone = await startService(engine, { config });
    const proxied = await startService(engine, { config: { ...config, trustProxy: ['loopback'] } });
    for (const [{ http }, second] of [
      [alone, 429],
      [proxied, 401],
    ] as const) {
      expect((await http.get(LOOK, from('192.0.2.1'))).status).toBe(401);
      expect((await http.get(LOOK, from('192.0.2.2'))).status).toBe(second);
      expect((await http.get(LOOK, from('192.0.2.1'))).status).toBe(429);
    }
  });
});

test('the service trusts no proxy by default', () => {
  expect(variables.find(({ name }) => name === 'TRUST_PROXY')?.default).toBe('');
});

test('every promise of SECURITY.md names existing tests', () => {
  const files = readdirSync('dist', { recursive: true, encoding: 'utf8' });
  const scripts = Object.keys(
    (JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: object }).scripts,
  );
  const rows = readFileSync('SECURITY.md', 'utf8')
    .split('\n')
    .filter((line) => /^\| (?!Promise|-)/.test(line));
  expect(rows.length).toBeGreaterThan(20);
  for (const row of rows) {
    const holders = row.split('|').at(-2)!;
    const names = [...holders.matchAll(/`(.+?)`/g)].map(([, name]) => name!);
    expect([row, names.length > 0]).toEqual([row, true]);
    for (const name of names) {
      const [, script] = /^npm run (\S+)$/.exec(name) ?? [];
      const isThere = script
        ? scripts.includes(script)
        : files.some((file) =>
            new RegExp(`(?:^|/)${name}\\.(?:spec|e2e-spec|round)\\.js$`).test(file),
          );
      expect([name, isThere]).toEqual([name, true]);
    }
  }
});
