import { beforeAll, describe, expect, it, test } from '@jest/globals';
import type { SchemaObject } from '@nestjs/swagger';
import { parse } from 'yaml';
import { RoutesService } from '../../src/platform/http/routes.service.js';
import { isSessionRule } from '../../src/platform/access/rules.js';
import { holderOf } from '../../src/platform/access/scopes.js';
import { compareAnswers, recordAnswer } from '../support/answers.js';
import type { Answer } from '../support/once/described-answers.js';
import {
  committed,
  describedRoutes,
  describedSchemas as schemas,
  routesOf,
} from '../support/once/described-routes.js';
import type { RawRequest } from '../support/http.js';
import { type Service, startService } from '../support/service.js';

const json = { 'content-type': 'application/json' };

const isPlain = (type: unknown) => type !== undefined && type !== 'array' && type !== 'object';

const operations = describedRoutes.map(({ method, path, operation }) => ({
  route: `${method} ${path}`,
  operation,
}));

let service: Service;
beforeAll(async () => {
  service = await startService('sqlite');
});

describe.each(committed)('$name.json', ({ name, text, document }) => {
  it('is the same as the committed file (npm run openapi writes it)', async () => {
    const { status, headers, body } = await service.http.get(`/${name}.json`);
    expect([status, headers['content-type']]).toEqual([200, 'application/json; charset=utf-8']);
    expect(body).toEqual(document);
    expect(`${JSON.stringify(body, null, 2)}\n`).toBe(text);
  });

  it('is the same in YAML', async () => {
    const { status, headers, body } = await service.http.get<string>(`/${name}.yaml`);
    expect([status, headers['content-type']]).toEqual([200, 'application/yaml; charset=utf-8']);
    expect(parse(body)).toEqual(document);
  });

  it('has no unused components', () => {
    const unused = Object.entries(document.components ?? {})
      .filter(([kind]) => kind !== 'securitySchemes')
      .flatMap(([kind, parts]) => Object.keys(parts as object).map((part) => `${kind}/${part}`))
      .filter((part) => !text.includes(`"#/components/${part}"`));
    expect(unused).toEqual([]);
  });
});

describe('the two documents', () => {
  const [clients, staff] = committed.map(({ document }) => document);

  it('have at most 11 kB for each operation of API clients', () => {
    const { text, document } = committed[0]!;
    const operations = routesOf(document).length;
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(operations * 11_000);
  });

  it('divide the operations by the holder of their scope; public ones are for API clients', () => {
    const holders = (document = clients!) =>
      routesOf(document).map(({ operation: { 'x-required-scope': scope } }) =>
        scope === undefined ? 'public' : holderOf(scope),
      );
    expect([...new Set(holders())].sort()).toEqual(['client', 'public']);
    expect([...new Set(holders(staff))]).toEqual(['staff']);
  });

  it('have the same meaning for names in both', () => {
    const both = (['schemas', 'responses', 'headers', 'examples'] as const).flatMap((kind) => {
      const other: Record<string, unknown> = staff!.components?.[kind] ?? {};
      return Object.entries(clients!.components?.[kind] ?? {})
        .filter(([name]) => name in other)
        .map(([name, part]: [string, unknown]) => ({ name, part, other: other[name] }));
    });
    expect(both.length).toBeGreaterThan(20);
    for (const { name, part, other } of both) expect([name, other]).toEqual([name, part]);
  });
});

describe('the OpenAPI documents', () => {
  it('have a body for every response, including streams', () => {
    const empty = operations.flatMap(({ route, operation: { responses } }) =>
      Object.entries(responses)
        .filter(([, answer]) => Object.keys(answer.content ?? {}).length === 0)
        // RFC 9110 §15.4.5: it never has one.
        .filter(([status]) => status !== '304')
        .map(([status]) => `${route} ${status}`),
    );
    expect(empty).toEqual([]);
  });

  it('have exactly the routes of the service, with their access rules', () => {
    const described = operations.map(({ route, operation }) => {
      const scope = operation['x-required-scope'];
      expect([route, operation.security]).toEqual([route, scope ? [{ bearerAuth: [] }] : []]);
      return `${route}: ${scope ?? 'public'}`;
    });
    const routes = service
      .get(RoutesService)
      // Pages are for people, and what lists them for programs.
      .routes.filter(({ path }) => !/^\/(?:$|(?:docs|problems|staff|llms\.txt)(?:\/|$))/.test(path))
      .map(({ method, path, access }) => {
        return `${method} ${path.replaceAll(/:(\w+)/g, '{$1}')}: ${isSessionRule(access) ? 'session' : access}`;
      });
    expect(described.sort()).toEqual(routes.sort());
  });

  test.each(Object.entries(schemas))('explain %s and each of its fields', (name, schema) => {
    const { description, properties = {} } = schema as SchemaObject;
    const fields = Object.entries(properties as Record<string, SchemaObject>);
    const unexplained = fields.filter(([, field]) => !field.description && !('$ref' in field));
    const unshown = fields.filter(
      ([, { type, example }]) => isPlain(type) && example === undefined,
    );
    expect({ name, description, unexplained, unshown }).toEqual({
      name,
      description: expect.stringMatching(/\w/),
      unexplained: [],
      unshown: [],
    });
  });
});

describe('an answer that differs from the documents', () => {
  const me = '/product-availability/me';
  const faultsWith = async (change: Partial<Answer> & { readonly body?: object }) => {
    const token = await service.given.token();
    const reply = await service.http.get<object>(me, { token });
    const { status, headers, body } = reply;
    compareAnswers();
    const text = JSON.stringify({ ...body, ...change.body });
    recordAnswer({ method: 'GET', path: me, status, headers, text, ...change });
    return compareAnswers;
  };

  it.each<[string, string, Partial<Answer> & { readonly body?: object }]>([
    ['an undescribed status', 'The status 202', { status: 202 }],
    ['an undescribed content type', 'type text/csv', { headers: { 'content-type': 'text/csv' } }],
    ['an undescribed property', '"surprise"', { body: { surprise: 1 } }],
    ['no described property', "property 'client'", { body: { client: undefined } }],
    ['null', '/client must be object', { body: { client: null } }],
    [
      'an unlisted value',
      '/token/mode must be equal to one of',
      { body: { token: { mode: 'x' } } },
    ],
    ['an undescribed header', 'The header Location', { headers: { ...json, location: '/x' } }],
    ['no request id', 'X-Request-Id is missing', { headers: json }],
  ])('fails the test: %s', async (_what, fault, change) => {
    expect(await faultsWith(change)).toThrow(fault);
  });
});

/** The operation, the response (status, and code of a problem), and the request. */
type Case = readonly [operation: string, answer: string, request: RawRequest];

describe('every response', () => {
  const orders = '/product-availability/order';
  const nothing = '019a9b5e-7c1d-7c3a-9d2f-5b1e6a7c8d90';
  const wish = { postcode: 'EC2A 2BS', productCode: 'INT-1G-12' };

  const get = (path: string, token?: string): RawRequest => ({
    method: 'GET',
    path,
    ...(token !== undefined && { token }),
  });
  const look = (postcode: string, token?: string) =>
    get(`/product-availability/postcode/${postcode}`, token);
  const claim = (orderId: string, token: string): RawRequest => ({
    method: 'POST',
    path: `/follow-up/orders/${orderId}/moves`,
    token,
    headers: { 'Content-Type': 'application/json' },
    body: '{"move":"claim","version":7}',
  });
  const lookAgain = (id: string, token: string) => get(`/product-availability/check/${id}`, token);
  const order = (body: unknown, token: string, headers = {}): RawRequest => ({
    method: 'POST',
    path: orders,
    token,
    headers: { 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });

  it('is as documented before the first catalogue', async () => {
    const bare = await startService('sqlite');
    const token = await bare.given.token();
    await expectAnswers(
      bare,
      ['live', '200', get('/health/live')],
      ['ready', '503', get('/health/ready')],
      ['checkPostcode', '503 unavailable', look('EC2A%202BS', token)],
    );
  });

  it('is as documented', async () => {
    const { given, http, clock } = service;
    await given.catalogue();
    const token = await given.token();
    const staff = await given.staffToken();
    const check = (await http.send<{ id: string }>(look('EC2A2BS', token))).body.id;
    const inNearnet = (await http.send<{ id: string }>(look('N1%201AA', token))).body.id;
    const { orderId } = await given.order({ token, checkId: check, reference: 'PO-4711' });
    await given.order({ token, contact: { name: 'Ada Lovelace' }, notes: 'Ring twice.' });
    await given.catalogue({ prices: ['INT-1G-12,ONNET,standard,560,GBP,90'] });
    clock.advance({ hours: 1 });
    const key = { 'Idempotency-Key': 'as-described' };

    await expectAnswers(
      service,
      ['ready', '200', get('/health/ready')],
      ['checkPostcode', '200', look('ec2a2bs', token)],
      ['checkPostcode', '200', look('AB10%201AB', token)],
      ['checkPostcode', '400 invalid-postcode', look('EC2A%2020S', token)],
      ['checkPostcode', '400 invalid-postcode', look('nowhere', token)],
      ['checkPostcode', '400 malformed-request', look('%E0%A4%A', token)],
      ['checkPostcode', '401 missing-token', look('EC2A2BS')],
      ['checkPostcode', '401 invalid-token', look('EC2A2BS', 'pas_live_x')],
      ['checkPostcode', '403 insufficient-scope', look('EC2A2BS', staff)],
      ['readCheck', '200', lookAgain(check, token)],
      ['readCheck', '404 not-found', lookAgain('0000000000', token)],
      ['placeOrder', '201', order(wish, token, key)],
      ['placeOrder', '201', order(wish, token, key)],
      ['placeOrder', '422 idempotency-key-reused', order({ ...wish, notes: 'x' }, token, key)],
      ['placeOrder', '400 malformed-request', order(wish, token, { 'Idempotency-Key': '!' })],
      ['placeOrder', '400 validation-error', order({ contact: { email: 'x' }, x: 1 }, token)],
      ['placeOrder', '409 offer-changed', order({ ...wish, checkId: check }, token)],
      [
        'placeOrder',
        '409 offer-changed',
        order({ ...wish, postcode: 'N1 1AA', checkId: inNearnet }, token),
      ],
      ['placeOrder', '413 content-too-large', order({ notes: 'x'.repeat(17_000) }, token)],
      ['placeOrder', '415 unsupported-media-type', order(wish, token, { 'Content-Type': 'a/b' })],
      ['placeOrder', '422 unknown-product', order({ ...wish, productCode: 'NONE' }, token)],
      [
        'placeOrder',
        '422 product-not-available',
        order({ ...wish, productCode: 'INT-100G-60' }, token),
      ],
      ['placeOrder', '422 unknown-check', order({ ...wish, checkId: '0000000000' }, token)],
      ['readOrder', '200', get(`${orders}/${orderId}`, token)],
      ['readOrder', '404 not-found', get(`${orders}/${nothing}`, token)],
      ['listFollowUp', '200', get('/follow-up/orders', staff)],
      ['listFollowUp', '200', get('/follow-up/orders?limit=1', staff)],
      ['listFollowUp', '400 validation-error', get('/follow-up/orders?cursor=x', staff)],
      ['listFollowUp', '403 insufficient-scope', get('/follow-up/orders', token)],
      ['readFollowUp', '200', get(`/follow-up/orders/${orderId}`, staff)],
      ['claimOrder', '409 order-moved', claim(orderId, staff)],
    );
  });

  it('is as documented over the limit', async () => {
    const limited = await startService('sqlite', { config: { lookupsPerMinute: 1 } });
    await limited.given.catalogue();
    const request = look('EC2A2BS', await limited.given.token());
    await expectAnswers(
      limited,
      ['checkPostcode', '200', request],
      ['checkPostcode', '429 rate-limited', request],
    );
  });
});

/** The test's end compares each answer with the description. */
async function expectAnswers({ http }: Service, ...cases: Case[]): Promise<void> {
  for (const [operation, answer, request] of cases) {
    const { status, body } = await http.send<{ code?: string }>(request);
    expect([operation, [status, body.code].join(' ').trim()]).toEqual([operation, answer]);
  }
}

// Last: a second document in one process has another order of members.
it.each([
  ['orders@example.org', { email: 'orders@example.org' }],
  ['020 7946 0123', {}],
])(
  'the document has the sales contact if it is an email address: %s',
  async (salesContact, told) => {
    const { http, config } = await startService('sqlite', { config: { salesContact } });
    const { body } = await http.get<{ info: object }>('/openapi.json');
    expect(body.info).toMatchObject({ version: '0.3.0' });
    expect(body.info).toHaveProperty('contact', { name: 'Sales', url: config.publicUrl, ...told });
  },
);
