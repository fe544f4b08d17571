import { beforeAll, describe, expect, it } from '@jest/globals';
import { maxHeaderSize } from 'node:http';
import { explanationOf } from '../../src/platform/problems/problem.js';
import { type ProblemCode, problemTypes } from '../../src/platform/problems/problem-types.js';
import { Transactions } from '../../src/platform/database/transactions.js';
import { type RawRequest, repliesIn, type Reply } from '../support/http.js';
import { expectProblem } from '../support/problems.js';
import { onOneEngine, type Service, startService } from '../support/service.js';

const order = '/product-availability/order';
const check = '/product-availability/postcode/EC2A2BS';
const json = { 'Content-Type': 'application/json' };
const wanted = { postcode: 'EC2A 2BS', productCode: 'INT-1G-12' };
/** Part of every refused request: no response may repeat it. */
const secret = 'zq9xsecret';

function nested(levels: number): string {
  return `${'{"notes":'.repeat(levels)}1${'}'.repeat(levels)}`;
}

function withKeys(count: number): string {
  return JSON.stringify(Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, i])));
}

onOneEngine('a request that cannot be served', (engine) => {
  let service: Service;
  let token: string;
  beforeAll(async () => {
    service = await startService(engine, { config: { rateLimits: false } });
    await service.given.catalogue();
    token = await service.given.token();
  });

  const send = (request: RawRequest) => service.http.send({ token, ...request });
  const post = (body: string | Buffer, headers: Record<string, string> = json) =>
    send({ method: 'POST', path: order, headers, body });
  const onSocket = async (...lines: string[]) =>
    repliesIn(Buffer.from(await service.http.sendBytes(lines.join('\r\n'))));

  const expectRefused = (reply: Reply<unknown>, code: ProblemCode) => {
    expectProblem(reply, code);
    expect(reply.text).not.toContain(secret);
  };

  describe('because of its address or method', () => {
    it.each([
      ['GET', '/'],
      ['GET', `/${secret}`],
      ['GET', `/product-availability/${secret}`],
      ['GET', '/product-availability/postcode'],
      ['GET', '/product-availability/postcode/'],
      ['GET', '//product-availability//order'],
      ['GET', '/Product-Availability/order'],
      ['GET', '/STAFF/sign-in'],
      ['GET', '//staff/sign-in'],
      ['POST', '/Staff/sign-in'],
      ['GET', '/Follow-Up/orders'],
      ['GET', '//follow-up/orders'],
      ['GET', '/OpenAPI-staff.json'],
      ['GET', '/../../etc/passwd'],
      ['GET', '/problems/no-such-problem'],
      ['GET', '/problems/constructor'],
      ['POST', '/nowhere'],
      ['OPTIONS', '/nowhere'],
      ['PROPFIND', '/nowhere'],
    ])('is 404: %s %s', async (method, path) => {
      expectRefused(await send({ method, path }), 'not-found');
    });

    it('is 404 with the address of the documentation, to which / redirects a browser', async () => {
      const at = (accept: string, path = '/') =>
        send({ method: 'GET', path, headers: { Accept: accept } });
      expect((await at('*/*', `${order}s`)).text).toContain('the documentation is at /docs.');
      expect((await at('text/html', '/staff/nowhere')).text).not.toContain('documentation');
      for (const accept of ['*/*', 'application/json', 'application/json, text/html;q=0.5']) {
        const reply = await at(accept);
        expectRefused(reply, 'not-found');
        expect(reply.text).toContain('the documentation is at /docs.');
      }
      const { status, headers } = await at('text/html,application/xhtml+xml,*/*;q=0.8');
      expect([status, headers.location]).toEqual([303, '/docs']);
    });

    it('says how a + is written in it', async () => {
      const path = `${order}?updatedSince=2026-11-23T10:00:00+01:00`;
      expect((await send({ method: 'GET', path })).text).toContain('in a URL, + is %2B.');
    });

    it('is 404 without a body for HEAD', async () => {
      const { status, text, headers } = await send({ method: 'HEAD', path: '/nowhere' });
      expect([status, text, headers['content-type']]).toEqual([
        404,
        '',
        'application/problem+json',
      ]);
      expect(Number(headers['content-length'])).toBeGreaterThan(100);
    });

    it.each([
      ['POST', check, 'GET, HEAD, OPTIONS'],
      ['DELETE', check, 'GET, HEAD, OPTIONS'],
      ['TRACE', check, 'GET, HEAD, OPTIONS'],
      ['PROPFIND', '/health/live', 'GET, HEAD, OPTIONS'],
      ['PUT', '/problems', 'GET, HEAD, OPTIONS'],
      ['PATCH', `${check}?a=${secret}`, 'GET, HEAD, OPTIONS'],
    ])('is 405 for %s at %s', async (method, path, allow) => {
      const reply = await send({ method, path });
      expectRefused(reply, 'method-not-allowed');
      expect(reply.headers.allow).toBe(allow);
    });

    it('is 405 for PUT where there is only POST, or POST and GET', async () => {
      const reply = await send({ method: 'PUT', path: order });
      expectRefused(reply, 'method-not-allowed');
      expect(reply.headers.allow?.split(', ')).toEqual(expect.arrayContaining(['OPTIONS', 'POST']));
    });

    it('is not OPTIONS, which lists the methods without a token', async () => {
      const { status, headers, text } = await service.http.send({ method: 'OPTIONS', path: check });
      expect([status, headers.allow, text]).toEqual([204, 'GET, HEAD, OPTIONS', '']);
    });

    it.each([
      '/product-availability/postcode/%zz',
      '/product-availability/postcode/%E0%A4%A',
      '/product-availability/check/%',
      `/product-availability/order/%c3${secret}`,
    ])('has broken percent-encoding: %s', async (path) => {
      expectRefused(await send({ method: 'GET', path }), 'malformed-request');
    });
  });

  describe('because of its body', () => {
    it.each<[string, string, Record<string, string>]>([
      ['a text', `{"notes":"${secret}"}`, { 'Content-Type': 'text/plain' }],
      ['a form', `postcode=${secret}`, { 'Content-Type': 'application/x-www-form-urlencoded' }],
      [
        'a multipart form',
        '--b\r\n\r\n--b--',
        { 'Content-Type': 'multipart/form-data; boundary=b' },
      ],
      ['of no type', JSON.stringify(wanted), {}],
      ['of a broken type', JSON.stringify(wanted), { 'Content-Type': 'json' }],
      ['JSON with something before', JSON.stringify(wanted), { 'Content-Type': 'text/json' }],
      [
        'JSON in Latin-1',
        JSON.stringify(wanted),
        { 'Content-Type': 'application/json; charset=latin1' },
      ],
      ['compressed', JSON.stringify(wanted), { ...json, 'Content-Encoding': 'gzip' }],
    ])('is %s', async (_, body, headers) => {
      expectRefused(await post(body, headers), 'unsupported-media-type');
    });

    it.each([
      'application/json; charset=utf-8',
      'application/json;charset="UTF-8"',
      'APPLICATION/JSON',
      'application/vnd.example+json',
    ])('is not a request with the type %s', async (type) => {
      expect((await post(JSON.stringify(wanted), { 'Content-Type': type })).status).toBe(201);
    });

    it.each([
      ['an open brace', `{"notes":"${secret}"`],
      ['a comment', `{/* ${secret} */}`],
      ['a trailing comma', `{"notes":"${secret}",}`],
      ['single quotes', `{'notes':'${secret}'}`],
      ['a word', secret],
      ['blanks', '   '],
      ['two values', '{} {}'],
      ['a raw control character', `{"notes":"${secret}\u0001"}`],
    ])('has %s', async (_, body) => {
      const reply = await post(body);
      expectRefused(reply, 'malformed-request');
      expect(reply.text).toMatch(/The body is not well-formed JSON: line 1, column \d+\./);
    });

    it('opens 8,000 lists', async () => {
      const reply = await post('['.repeat(8_000));
      expectRefused(reply, 'malformed-request');
      expect(reply.text).toContain('The body is not well-formed JSON.');
    });

    it.each([
      ['nine levels of objects', nested(9)],
      ['nine levels of lists', `{"notes":${'['.repeat(8)}1${']'.repeat(8)}}`],
      ['7,000 levels', '['.repeat(7_000) + ']'.repeat(7_000)],
      ['65 keys of one object', withKeys(65)],
      ['257 keys in all', `[${[64, 64, 64, 64, 1].map(withKeys).join()}]`],
      ['__proto__', `{"__proto__":{"notes":"${secret}"}}`],
      ['__proto__, escaped', `{"\\u005f_proto__":1}`],
      ['__proto__ within', `{"contact":{"__proto__":null}}`],
      ['constructor', `{"constructor":{"prototype":{"notes":"${secret}"}}}`],
      ['prototype', `{"prototype":1}`],
      ['a lone surrogate', `{"notes":"${secret}\\ud800"}`],
      ['a lone surrogate in a key', `{"\\udc00":1}`],
      ['a NUL', `{"notes":"${secret}\\u0000"}`],
      ['a NUL in a list', `{"notes":["\\u0000"]}`],
      ['a NUL in a key', `{"\\u0000":1}`],
    ])('has %s', async (_, body) => {
      expectRefused(await post(body), 'malformed-request');
    });

    it.each([
      ['eight levels', nested(8)],
      ['64 keys', withKeys(64)],
      ['a number beyond all numbers', '{"postcode":1e999,"productCode":-1e999}'],
    ])('is not a request with %s', async (_, body) => {
      expectRefused(await post(body), 'validation-error');
    });

    it('does not change the prototype of objects', () => {
      expect(({} as { notes?: string }).notes).toBeUndefined();
    });

    it('is larger than 16 KB', async () => {
      const fits = JSON.stringify({ notes: 'a'.repeat(16_384 - '{"notes":""}'.length) });
      expectRefused(await post(fits), 'validation-error');
      expectRefused(await post(`${fits} `), 'content-too-large');
      const [reply] = await onSocket(
        `POST ${order} HTTP/1.1`,
        'Host: a',
        `Authorization: Bearer ${token}`,
        'Content-Type: application/json',
        'Transfer-Encoding: chunked',
        '',
        (16_385).toString(16),
        `${fits} `,
        '0',
        '',
        '',
      );
      expectRefused(reply!, 'content-too-large');
    });
  });

  describe('because of its bytes', () => {
    it.each([
      ['garbage', [`${secret}\u0001\u0002`, '', '']],
      ['TLS', ['\u0016\u0003\u0001\u0002', '', '']],
      ['an unknown version', ['GET / HTTP/9.9', 'Host: a', '', '']],
      ['an unknown method', [`${secret.toUpperCase()} / HTTP/1.1`, 'Host: a', '', '']],
      ['a blank in the address', [`GET /${secret} b HTTP/1.1`, 'Host: a', '', '']],
      ['a broken header', ['GET / HTTP/1.1', 'Host: a', `${secret}`, '', '']],
      ['a NUL in a header', ['GET / HTTP/1.1', 'Host: a', `A: ${secret}\u0000`, '', '']],
      [
        'two lengths',
        ['POST / HTTP/1.1', 'Host: a', 'Content-Length: 1', 'Content-Length: 2', '', 'ab'],
      ],
      [
        'a length and chunks',
        [
          'POST / HTTP/1.1',
          'Host: a',
          'Content-Length: 1',
          'Transfer-Encoding: chunked',
          '',
          '0',
          '',
          '',
        ],
      ],
      [
        'a broken chunk',
        [
          `POST ${order} HTTP/1.1`,
          'Host: a',
          'Content-Type: application/json',
          'Transfer-Encoding: chunked',
          '',
          'xyz',
          '',
          '',
        ],
      ],
      ['no host', ['GET / HTTP/1.1', '', '']],
      ['two hosts', ['GET / HTTP/1.1', 'Host: a', 'host: a', '', '']],
    ])('has %s', async (_, lines) => {
      const replies = await onSocket(...lines);
      expect(replies).toHaveLength(1);
      expectRefused(replies[0]!, 'malformed-request');
    });

    it('ends in the middle of its body', async () => {
      const replies = await onSocket(
        `POST ${order} HTTP/1.1`,
        'Host: a',
        `Authorization: Bearer ${token}`,
        'Content-Type: application/json',
        'Content-Length: 100',
        '',
        `{"notes":"${secret}`,
      );
      expect(replies).toHaveLength(1);
      expectRefused(replies[0]!, 'malformed-request');
    });

    it.each([
      ['header', ['GET / HTTP/1.1', 'Host: a', `A: ${secret.repeat(2_000)}`, '', '']],
      [
        'number of headers',
        [
          'GET / HTTP/1.1',
          'Host: a',
          ...Array.from({ length: 2_000 }, (_, i) => `H${i}: ${secret}`),
          '',
          '',
        ],
      ],
    ])('has more than 16 KB of %s', async (_, lines) => {
      expect(maxHeaderSize).toBe(16_384);
      const replies = await onSocket(...lines);
      expect(replies).toHaveLength(1);
      expectRefused(replies[0]!, 'header-fields-too-large');
    });

    it('has more than 16 KB of address', async () => {
      const replies = await onSocket(`GET /${secret.repeat(2_000)} HTTP/1.1`, 'Host: a', '', '');
      expect(replies).toHaveLength(1);
      expectRefused(replies[0]!, 'uri-too-long');
    });

    it('does not affect a complete request before it, which gets its response', async () => {
      const body = JSON.stringify(wanted);
      const bytes = [
        `POST ${order} HTTP/1.1`,
        'Host: a',
        `Authorization: Bearer ${token}`,
        'Content-Type: application/json',
        `Content-Length: ${body.length}`,
        '',
        `${body}${secret}`,
        '',
      ].join('\r\n');
      const replies = repliesIn(Buffer.from(await service.http.sendBytesAndStay(bytes)));
      expect(replies.map(({ status, headers }) => [status, headers.connection])).toEqual([
        [201, 'close'],
      ]);
    });

    it('is not caused by an unknown Expect header', async () => {
      const headers = { Expect: secret };
      expect((await service.http.get('/health/live', { headers })).status).toBe(200);
    });

    it('does not affect later requests', async () => {
      expect((await service.http.get('/health/live')).status).toBe(200);
    });
  });

  it('has a page for the type of each problem', async () => {
    for (const [code, { title }] of Object.entries(problemTypes)) {
      const { status, headers, text } = await service.http.get(`/problems/${code}`);
      expect([code, status, headers['content-type']]).toEqual([
        code,
        200,
        'text/html; charset=utf-8',
      ]);
      expect(text).toContain(title);
    }
    const all = await service.http.get('/problems');
    for (const code of Object.keys(problemTypes)) expect(all.text).toContain(`/problems/${code}"`);
  });
});

onOneEngine('an internal error', (engine) => {
  it('is reported without its cause, which the log has under the same id', async () => {
    const service = await startService(engine);
    await service.given.catalogue();
    const token = await service.given.token();
    await service
      .get(Transactions)
      .run((tx) => tx.query('ALTER TABLE orders RENAME TO orders_elsewhere'));
    const reply = await service.http.post(order, { ...wanted, notes: secret }, { token });
    expectProblem(reply, 'internal-error');
    expect(reply.body).toHaveProperty('detail', explanationOf('internal-error'));
    const log = service.log.lines.join('\n');
    expect(log).toContain(reply.headers['x-request-id']);
    expect(log).toMatch(/QueryFailedError.*orders/);
    expect([reply.text, log].join()).not.toContain(secret);
    expect((await service.http.get(check, { token })).status).toBe(200);
  });
});
