import { afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { AvailabilityResult } from '../../src/availability/availability.dto.js';
import { CheckCodes } from '../../src/availability/check-numbers.js';
import { CheckRow } from '../../src/availability/check.entity.js';
import { Transactions } from '../../src/platform/database/transactions.js';
import { newDatabase } from '../support/databases.js';
import { expectProblem, outcome, problem } from '../support/problems.js';
import { onBothEntrances } from '../support/entrances.js';
import { stopWindows } from '../support/rate-limits.js';
import { type Service, startService } from '../support/service.js';

const at = (postcode: string) => `/product-availability/postcode/${postcode}`;
const again = (id: string) => `/product-availability/check/${id}`;

const onnet = [
  '{"productCode":"INT-100M-12","name":"100M Internet on a 1G bearer","bandwidthProvisioned":0.1,"bandwidthCapacity":1,"term":12,"price":208,"currency":"GBP","leadTimeDays":10,"setupPrice":null,"basis":"firm","extraChargesPossible":false,"network":null,"service":null,"needsInterconnect":false,"priceUntil":null}',
  '{"productCode":"INT-1G-12","name":"1G Internet on a 10G bearer","bandwidthProvisioned":1,"bandwidthCapacity":10,"term":12,"price":550,"currency":"GBP","leadTimeDays":84,"setupPrice":null,"basis":"firm","extraChargesPossible":false,"network":null,"service":null,"needsInterconnect":false,"priceUntil":null}',
  '{"productCode":"INT-1G-36","name":"1G Internet on a 10G bearer","bandwidthProvisioned":1,"bandwidthCapacity":10,"term":36,"price":450,"currency":"GBP","leadTimeDays":84,"setupPrice":null,"basis":"firm","extraChargesPossible":false,"network":null,"service":null,"needsInterconnect":false,"priceUntil":null}',
];

/** Beside the products: the price hold is 15 minutes. */
const about =
  '"granularity":"postcode","validUntil":"2026-03-02T09:15:00.000Z","reasons":[],"nearest":null,"constraints":[]';

onBothEntrances('a postcode check', (engine) => {
  let service: Service;
  let token: string;
  beforeAll(async () => {
    service = await startService(engine);
    await service.given.catalogue();
    token = await service.given.token();
  });

  const check = (postcode: string, as = token) =>
    service.http.get<AvailabilityResult>(at(postcode), { token: as });
  const codesOf = ({ availableProducts }: AvailabilityResult) =>
    availableProducts.map(({ productCode }) => productCode);

  describe('answers', () => {
    it('with exactly the fields of the contract, in order, and integers without a decimal point', async () => {
      const { status, headers, text, body } = await check(
        'EC2A%202BS',
        await service.given.token(),
      );
      expect([status, text]).toEqual([
        200,
        `{"id":"${body.id}","message":"3 products are available at EC2A 2BS. To order, place an order request or contact sales@example.net.","postcode":"EC2A 2BS","availableProducts":[${onnet.join(',')}],${about}}`,
      ]);
      expect(body.id).toMatch(/^[0-9A-HJKMNP-TV-Z]{10}$/);
      expect(headers).toMatchObject({
        'content-type': 'application/json',
        'content-length': String(Buffer.byteLength(text)),
        'cache-control': 'no-store',
        'x-request-id': expect.stringMatching(/^[0-9a-f-]{36}$/),
        'ratelimit-policy': '"look-ups";q=600;w=60, "burst";q=100;w=1',
        ratelimit: expect.stringMatching(/^"look-ups";r=599;t=\d+$/),
      });
      expect(headers).not.toHaveProperty('etag');
      expect(headers).not.toHaveProperty('x-powered-by');
    });

    it.each([
      'ec2a2bs',
      'EC2A2BS',
      'EC2A%202%42S',
      '%20EC2A%20%202BS%20',
      'e%09C2a%202b%20s',
      'EC2A2BS/',
    ])('the same for %s', async (text) => {
      expect(outcome(await check(text))).toEqual([
        200,
        {
          id: expect.any(String),
          message: expect.stringContaining('3 products are available at EC2A 2BS.'),
          postcode: 'EC2A 2BS',
          availableProducts: onnet.map((product) => JSON.parse(product) as unknown),
          ...(JSON.parse(`{${about}}`) as object),
        },
      ]);
    });

    it('with another id each time', async () => {
      const ids = await Promise.all([1, 2, 3].map(async () => (await check('N10AA')).body.id));
      expect(new Set(ids).size).toBe(3);
    });

    it('one product in the singular', async () => {
      expect((await check('N1%200AA')).body.message).toMatch(/^1 product is available at N1 0AA\./);
    });

    it.each([
      ['excluded', 'EC2A%202BR', 'EC2A 2BR', 'excluded'],
      ['outside', 'AB101AB', 'AB10 1AB', 'notCovered'],
      ['in N10, which only begins like N1', 'N101AA', 'N10 1AA', 'notCovered'],
      ['that no list knows', 'BX9%209ZZ', 'BX9 9ZZ', 'notCovered'],
    ])('with an empty list and the reason for a postcode %s', async (_, sent, postcode, code) => {
      expect(outcome(await check(sent))).toEqual([
        200,
        {
          id: expect.any(String),
          message: `No products are available at ${postcode}. To be notified when there are, watch the place. To ask what could be built, send an enquiry or contact sales@example.net.`,
          postcode,
          availableProducts: [],
          granularity: 'postcode',
          validUntil: '2026-03-02T09:15:00.000Z',
          reasons: [{ code, detail: expect.stringMatching(/^We .*\.$/) }],
          nearest: null,
          constraints: [],
        },
      ]);
    });

    it('in JSON to a client that asks for another type or announces a body', async () => {
      const headers = { Accept: 'text/html', 'Content-Type': 'application/json' };
      const reply = await service.http.get<AvailabilityResult>(at('EC2A2BS'), { token, headers });
      expect([reply.status, reply.headers['content-type'], codesOf(reply.body)]).toEqual([
        200,
        'application/json',
        ['INT-100M-12', 'INT-1G-12', 'INT-1G-36'],
      ]);
    });

    it('to HEAD with only the headers', async () => {
      const { status, headers, text } = await service.http.send({
        method: 'HEAD',
        path: at('EC2A2BS'),
        token,
      });
      expect([status, text, headers['content-type'], headers['cache-control']]).toEqual([
        200,
        '',
        'application/json',
        'no-store',
      ]);
      expect(Number(headers['content-length'])).toBeGreaterThan(500);
    });

    it('with a new request id even if the request has one', async () => {
      const headers = { 'X-Request-Id': 'their-own-id-1' };
      const reply = await service.http.get(at('EC2A2BS'), { token, headers });
      expect(reply.headers['x-request-id']).toMatch(/^[0-9a-f]{8}-[0-9a-f-]{27}$/);
    });
  });

  describe('is priced', () => {
    const priceOf = (code: string, { availableProducts }: AvailabilityResult) =>
      availableProducts.find(({ productCode }) => productCode === code)?.price;

    it('by the price list of the client, or the standard one if that has no price', async () => {
      const client = await service.given.client({ priceList: 'partner' });
      const { body } = await check('EC2A2BS', await service.given.token({ client }));
      expect([priceOf('INT-1G-12', body), priceOf('INT-1G-36', body)]).toEqual([499.5, 450]);
    });

    it('by the standard list for a client with an unknown list', async () => {
      const client = await service.given.client({ priceList: 'unheard-of' });
      const { body } = await check('EC2A2BS', await service.given.token({ client }));
      expect(priceOf('INT-1G-12', body)).toBe(550);
    });
  });

  it('also has the misspelt key for a client with compatibility 0.2', async () => {
    const client = await service.given.client({ compatibility: '0.2' });
    const { body } = await check('N10AA', await service.given.token({ client }));
    expect(body.availableProducts).toEqual([
      expect.objectContaining({ bandwidthCapacity: 10, bandwidthCapactity: 10 }),
    ]);
  });

  describe('is refused', () => {
    it.each([
      ['EC2A%2020S', 'EC2A 2DS'],
      ['SWIA1AA', 'SW1A 1AA'],
    ])('with what was meant for %s', async (text, suggestion) => {
      expect(outcome(await check(text))).toEqual(problem('invalid-postcode', { suggestion }));
    });

    it.each([
      ['a fragment', 'EC2A', undefined],
      ['no text', '%20', undefined],
      ['an area that there is not', 'XX1%201AA', undefined],
      ['markup', '%3Cscript%3Ealert(1)%3C%2Fscript%3E', undefined],
      ['a long text', 'EC2A'.repeat(400), undefined],
      ['an unescaped plus', 'EC2A+2BS', 'EC2A 2BS'],
      ['an escaped slash', 'EC2A%2F2BS', 'EC2A 2BS'],
      ['a NUL', 'EC2A%002BS', 'EC2A 2BS'],
    ])('where it is %s', async (_, text, suggestion) => {
      const reply = await check(text);
      expectProblem(reply, 'invalid-postcode');
      expect(reply.body).toEqual(problem('invalid-postcode', { suggestion })[1]);
      expect(reply.text).not.toMatch(/script|EC2AEC2A/);
    });

    it.each([
      ['Girobank', 'GIR%200AA'],
      ['Ascension Island', 'ASCN%201ZZ'],
    ])('with the reason for %s', async (_, text) => {
      const { status, body } = await service.http.get<{ code: string; detail: string }>(at(text), {
        token,
      });
      expect([status, body.code]).toEqual([400, 'invalid-postcode']);
      expect(body.detail).not.toBe(((await check('XX11AA')).body as unknown as typeof body).detail);
    });

    it.each(['EC2A%2', 'E%FF', 'EC2A2BS%'])('with invalid percent-encoding: %s', async (text) => {
      expectProblem(await check(text), 'malformed-request');
    });

    it('without a Host header', async () => {
      const head = `GET ${at('EC2A2BS')} HTTP/1.1\r\nAuthorization: Bearer ${token}\r\n`;
      const text = await service.http.sendBytes(`${head}Connection: close\r\n\r\n`);
      expect(text).toMatch(/^HTTP\/1\.1 400 .*An HTTP\/1\.1 request has a Host header\./s);
    });

    it('with two Host headers', async () => {
      const head = `GET ${at('EC2A2BS')} HTTP/1.1\r\nAuthorization: Bearer ${token}\r\n`;
      const text = await service.http.sendBytes(`${head}Host: a\r\nHost: a\r\n\r\n`);
      expect(text).toMatch(/^HTTP\/1\.1 400 .*A request has only one Host header\./s);
    });

    it('with 404 if the postcode is missing', async () => {
      expectProblem(await check(''), 'not-found');
    });

    it('with 404 if a slash is not escaped', async () => {
      expectProblem(await check('EC2A/2BS'), 'not-found');
    });
  });
});

onBothEntrances('a check that was made', (engine) => {
  let service: Service;
  let token: string;
  beforeAll(async () => {
    service = await startService(engine);
    await service.given.catalogue();
    token = await service.given.token();
  });

  const check = async (postcode = 'EC2A2BS') =>
    service.http.get<AvailabilityResult>(at(postcode), { token });
  const read = (id: string, as = token) =>
    service.http.get<AvailabilityResult>(again(id), { token: as });

  it.each(['before it is written', 'after it was written'])(
    'is answered again to its client, word for word, %s',
    async (when) => {
      const first = await check();
      if (when.startsWith('after')) await service.flushChecks();
      const second = await read(first.body.id);
      expect([second.status, second.text]).toEqual([200, first.text]);
      expect(second.headers['cache-control']).toBe('no-store');
    },
  );

  it('is returned to another token of its client', async () => {
    const client = await service.given.client();
    const [one, other] = [
      await service.given.token({ client }),
      await service.given.token({ client }),
    ];
    const first = await service.http.get<AvailabilityResult>(at('EC2A2BS'), { token: one });
    expect(outcome(await read(first.body.id, other))).toEqual([200, first.body]);
  });

  it('is found by its id as a person types it', async () => {
    const client = await service.given.client();
    const id = '01ABCDEF01';
    const known: CheckRow = {
      number: service.get(CheckCodes).numberOf(id)!,
      clientId: client.id,
      postcode: 'EC2A 2BS',
      uprn: null,
      priceList: 'standard',
      catalogueVersion: 1,
      productCount: 3,
      near: null,
      checkedAt: service.clock.now(),
      staffId: null,
    };
    await service.get(Transactions).run((tx) => tx.insert(CheckRow, known));
    const own = await service.given.token({ client });
    for (const spoken of ['01ABCDEF01', '01abcdef01', 'oIabcdefOl', '01ABC-DEF01', '01abc%20def01'])
      expect([spoken, (await read(spoken, own)).body.id]).toEqual([spoken, id]);
  });

  it('is 404 for another client, like a check that does not exist', async () => {
    const { id } = (await check()).body;
    const stranger = await service.given.token();
    const theirs = await read(id, stranger);
    const nobodys = await read('ZZZZZZZZZZ', stranger);
    expect(outcome(theirs)).toEqual(problem('not-found'));
    expect(outcome(nobodys)).toEqual([
      404,
      { ...theirs.body, instance: expect.stringMatching(/^urn:uuid:/) },
    ]);
  });

  it.each([
    ['a NUL', '%00'],
    ['a quote', "'%20OR%201=1"],
    ['a long text', 'A'.repeat(1_600)],
    ['an emoji', '%F0%9F%98%80'],
  ])('is 404 for an id with %s', async (_, id) => {
    expectProblem(await read(id), 'not-found');
  });

  it('is unchanged after the catalogue has changed', async () => {
    const first = await check();
    await service.given.catalogue({ prices: ['INT-1G-12,ONNET,standard,600.00,GBP,90'] });
    const second = await read(first.body.id);
    expect([second.status, second.text]).toEqual([200, first.text]);
    expect((await check()).body.availableProducts).toEqual([
      expect.objectContaining({ productCode: 'INT-1G-12', price: 600, leadTimeDays: 90 }),
    ]);
    await service.given.catalogue();
  });

  it('survives a restart of the service', async () => {
    const database = await newDatabase(engine);
    const before = await startService(engine, { database });
    await before.given.catalogue();
    const own = await before.given.token();
    const first = await before.http.get<AvailabilityResult>(at('EC2A2BS'), { token: own });
    await before.close();
    const after = await startService(engine, { database });
    const second = await after.http.get(again(first.body.id), { token: own });
    expect([second.status, second.text]).toEqual([200, first.text]);
  });
});

onBothEntrances('the service without a catalogue', (engine) => {
  it('refuses checks as unavailable, with Retry-After, until the first catalogue is live', async () => {
    const service = await startService(engine);
    const token = await service.given.token();
    const check = (postcode: string) => service.http.get(at(postcode), { token });
    const reply = await check('EC2A2BS');
    expectProblem(reply, 'unavailable');
    expect(reply.headers['retry-after']).toBe('30');
    expectProblem(await check('EC2A'), 'invalid-postcode');
    await service.given.catalogue();
    expect((await check('EC2A2BS')).status).toBe(200);
  });
});

onBothEntrances('a client that asks too often', (engine) => {
  const limits = { lookupsPerMinute: 3, ordersPerMinute: 1 };
  let service: Service;
  beforeAll(async () => {
    service = await startService(engine, { config: limits });
    await service.given.catalogue();
  });
  beforeEach(stopWindows);
  afterEach(() => void jest.restoreAllMocks());

  it('gets Retry-After with each of its tokens; other clients are not affected', async () => {
    const client = await service.given.client();
    const tokens = [await service.given.token({ client }), await service.given.token({ client })];
    const replies = [];
    for (const i of [0, 1, 0, 1])
      replies.push(await service.http.get(at('EC2A2BS'), { token: tokens[i]! }));
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 200, 429]);
    const refused = replies[3]!;
    expectProblem(refused, 'rate-limited');
    expect(refused.headers).toMatchObject({
      'retry-after': expect.stringMatching(/^([1-9]|[1-5]\d|60)$/),
      'ratelimit-policy': '"look-ups";q=3;w=60, "burst";q=100;w=1',
      ratelimit: `"look-ups";r=0;t=${refused.headers['retry-after']}`,
    });
    const other = await service.http.get(at('EC2A2BS'), { token: await service.given.token() });
    expect([other.status, other.headers.ratelimit]).toEqual([
      200,
      expect.stringMatching(/^"look-ups";r=2;t=\d+$/),
    ]);
  });

  it('can still order when it has used up its checks', async () => {
    const token = await service.given.token();
    const statuses = [];
    for (let i = 0; i < 4; i += 1)
      statuses.push((await service.http.get(at('EC2A2BS'), { token })).status);
    expect(statuses).toEqual([200, 200, 200, 429]);
    await service.given.order({ token });
    const body = { postcode: 'EC2A 2BS', productCode: 'INT-1G-12' };
    const second = await service.http.post('/product-availability/order', body, { token });
    expectProblem(second, 'rate-limited');
    expect(second.headers['ratelimit-policy']).toBe('"orders";q=1;w=60');
  });

  it('is not limited if its limits are lifted', async () => {
    const config = { ...limits, rateLimits: false };
    const service = await startService(engine, { config });
    await service.given.catalogue();
    const token = await service.given.token();
    for (let i = 0; i < 6; i += 1) {
      const { status, headers } = await service.http.get(at('EC2A2BS'), { token });
      expect([status, headers.ratelimit]).toEqual([200, undefined]);
    }
  });
});
