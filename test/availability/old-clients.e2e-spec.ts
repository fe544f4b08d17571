import { beforeAll, describe, expect, it } from '@jest/globals';
import type { OutgoingHttpHeaders } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { SANDBOX_RETRY } from '../../src/platform/kernel/sandbox-postcodes.js';
import type { Reply } from '../support/http.js';
import { expectProblem } from '../support/problems.js';
import { onBothEntrances } from '../support/entrances.js';
import { type Service, startService } from '../support/service.js';

/** How the SDK that was generated for version 0.2.0 behaves in one language. */
interface Sdk {
  readonly language: string;
  /** Sent with the GET that has no body. */
  readonly headers: OutgoingHttpHeaders;
  /** The segment of the path that it makes of a postcode. */
  readonly escape: (postcode: string) => string;
  /** The key under which it reads the capacity; it fails where there is none. */
  readonly capacityKey: 'bandwidthCapacity' | 'bandwidthCapactity';
}

const json = { 'Content-Type': 'application/json' };
/** Leaves what RFC 3986 allows in a path, and more, as it is. */
const escapeLittle = (postcode: string) =>
  encodeURIComponent(postcode).replaceAll(/%(2F|3F|2B)/g, (code) => decodeURIComponent(code));

const sdks: readonly Sdk[] = [
  { language: 'C#', headers: {}, escape: escapeLittle, capacityKey: 'bandwidthCapacity' },
  {
    language: 'Java',
    headers: json,
    escape: encodeURIComponent,
    capacityKey: 'bandwidthCapactity',
  },
  { language: 'PHP', headers: json, escape: encodeURIComponent, capacityKey: 'bandwidthCapactity' },
  {
    language: 'Python',
    headers: { ...json, 'Content-Length': '0' },
    escape: encodeURIComponent,
    capacityKey: 'bandwidthCapactity',
  },
];

/** Each base address as a user of the SDK may have written it. */
const bases = ['', '/', '//'];

type Body = Record<string, unknown>;

/** Calls as the SDK does, and fails where it would. */
class OldClient {
  constructor(
    private readonly sdk: Sdk,
    private readonly service: Service,
    private readonly token: string,
    private readonly base = '',
  ) {}

  check(postcode: string): Promise<Reply<Body>> {
    const path = `/product-availability/postcode/${this.sdk.escape(postcode)}`;
    return this.send('GET', path, this.sdk.headers);
  }

  /** Body, content type and no key: none of them sends one. */
  order(body: object): Promise<Reply<Body>> {
    return this.send('POST', '/product-availability/order', json, JSON.stringify(body));
  }

  /** Three times at most, after the time that the answer names. */
  async checkPatiently(postcode: string): Promise<Reply<Body>[]> {
    const replies: Reply<Body>[] = [];
    for (let attempt = 1; attempt <= 3; attempt += 1) {
      const reply = await this.check(postcode);
      replies.push(reply);
      const seconds = reply.headers['retry-after'];
      if (![429, 503].includes(reply.status) || seconds === undefined) break;
      expect(seconds).toMatch(/^\d+$/);
      expect(Number(seconds)).toBeLessThanOrEqual(60);
      if (attempt < 3) await sleep(10);
    }
    return replies;
  }

  private async send(
    method: string,
    path: string,
    headers: OutgoingHttpHeaders,
    body?: string,
  ): Promise<Reply<Body>> {
    const reply = await this.service.http.send<Body>({
      method,
      path: `${this.base}${path}`,
      token: this.token,
      headers: { Accept: 'application/json', ...headers },
      ...(body !== undefined && { body }),
    });
    // C# takes what is under 400 for a success, and loses the token on a redirect.
    expect(reply.status < 300 || reply.status >= 400).toBe(true);
    expect(reply.status).not.toBe(204);
    expect(reply.status).not.toBe(406);
    // No byte order mark, and an object.
    expect(reply.text).toMatch(/^\{.*\}$/s);
    return reply;
  }

  /** Reads the products as its model classes do. */
  read({ body, text }: Reply<Body>): number {
    const products = body.availableProducts as Body[];
    for (const product of products) {
      for (const key of ['bandwidthProvisioned', this.sdk.capacityKey, 'term', 'leadTimeDays']) {
        expect([key, typeof product[key]]).toEqual([key, 'number']);
      }
      for (const key of ['name', 'currency']) {
        expect([key, typeof product[key]]).toEqual([key, 'string']);
      }
      expect(typeof product.price).toBe('number');
    }
    // A 32-bit integer has no decimal point, no exponent, and ends at 2,147,483,647.
    const integers = text.matchAll(/"(?:term|leadTimeDays)":([^,}]+)/g);
    for (const [, digits = ''] of integers) {
      expect(digits).toMatch(/^\d{1,10}$/);
      expect(Number(digits)).toBeLessThan(2 ** 31);
    }
    return products.length;
  }
}

const INT_32 = ['bandwidthProvisioned', 'bandwidthCapactity', 'term', 'leadTimeDays'];

/**
 * Reads products as the generated Java and C# models do, whose bandwidths are 32-bit integers.
 * @throws an Error that names the first field with another value
 */
function strictProducts(text: string): Body[] {
  const { availableProducts } = JSON.parse(text, (key, value, context?: { source: string }) => {
    if (!INT_32.includes(key)) return value as unknown;
    const source = context?.source ?? '';
    if (/^-?\d{1,10}$/.test(source) && Number(source) === (Number(source) | 0))
      return Number(source);
    throw new Error(`${key} is ${source}`);
  }) as { availableProducts: Body[] };
  for (const product of availableProducts) {
    const missing = INT_32.find((key) => !(key in product));
    if (missing !== undefined) throw new Error(`${missing} is missing`);
  }
  return availableProducts;
}

onBothEntrances('A client of the earlier version', (engine) => {
  let service: Service;
  let tokens: Record<Sdk['capacityKey'], string>;
  let test: string;

  beforeAll(async () => {
    service = await startService(engine, { config: { rateLimits: false } });
    const { given } = service;
    await given.catalogue({
      products: [
        'INT-1G-12,1G Internet on a 10G bearer,1,10,12',
        'INT-10G-36,10G,10,100,36',
        'INT-100M-12,100M,0.1,1,12',
        'INT-1G-36,1G,1,2.5,36',
      ],
      prices: [
        'INT-1G-12,ONNET,standard,550.00,GBP,84',
        'INT-10G-36,ONNET,standard,1199.5,GBP,90',
        'INT-100M-12,NEARNET,standard,215.00,GBP,70,99.5,indicative',
        'INT-1G-12,NEARNET,standard,725.00,GBP,120',
        'INT-1G-36,NEARNET,standard,650.00,GBP,120',
      ],
    });
    const old = await given.client({ compatibility: '0.2' });
    tokens = {
      bandwidthCapacity: await given.token(),
      bandwidthCapactity: await given.token({ client: old }),
    };
    test = await given.token({ client: old, kind: 'test' });
  });

  describe.each(sdks)('in $language', (sdk) => {
    const at = (base: string) => new OldClient(sdk, service, tokens[sdk.capacityKey], base);

    it.each(bases)('checks and orders, with %j before the paths', async (base) => {
      const client = at(base);
      for (const postcode of ['EC2A 2BS', 'EC2A2BS', 'ec2a 2bs', 'EC2A 2BS']) {
        const reply = await client.check(postcode);
        expect([reply.status, reply.headers['content-type']]).toEqual([200, 'application/json']);
        expect(client.read(reply)).toBe(2);
        expect(Object.keys(reply.body)).toEqual([
          ...['id', 'message', 'postcode', 'availableProducts'],
          ...['granularity', 'validUntil', 'reasons', 'nearest'],
          ...(sdk.capacityKey === 'bandwidthCapacity' ? ['constraints'] : []),
        ]);
      }
      const none = await client.check('AB10 1AB');
      expect([none.status, client.read(none)]).toEqual([200, 0]);
      const placed = await client.order({ postcode: 'EC2A 2BS', productCode: 'INT-1G-12' });
      expect([placed.status, placed.headers['content-type'], Object.keys(placed.body)]).toEqual([
        201,
        'application/json',
        ['message', 'orderId'],
      ]);
    });

    it('reads a problem although it accepts JSON only', async () => {
      const client = at('/');
      for (const wrong of ['nowhere', 'EC2A+2BS', '1+1=2']) {
        expectProblem(await client.check(wrong), 'invalid-postcode');
      }
      for (const path of ['EC2A/2BS', '../x']) {
        const reply = await client.check(path);
        expect([path, reply.status, reply.headers['content-type']]).toEqual([
          path,
          expect.any(Number),
          'application/problem+json',
        ]);
        expect(reply.status).toBeGreaterThanOrEqual(400);
      }
      // Where it is not escaped, what follows is a query, which a check does not know.
      const isEscaped = sdk.escape('?') !== '?';
      const cut = isEscaped ? 'invalid-postcode' : 'validation-error';
      expectProblem(await client.check('EC2A?2BS'), cut);
      const refused = await client.order({ postcode: 'EC2A 2BS' });
      expectProblem(refused, 'validation-error');
    });

    it('reads a whole capacity as an integer', async () => {
      const { text } = await at('').check('EC2A2BS');
      const read = [...text.matchAll(new RegExp(`"${sdk.capacityKey}":([^,}]+)`, 'g'))];
      expect(read.map(([, digits]) => digits)).toEqual(['10', '100']);
    });

    it('retries after a short Retry-After', async () => {
      const patient = new OldClient(sdk, service, test);
      for (const postcode of ['ZZ99 1AF', 'ZZ99 1AG']) {
        const replies = await patient.checkPatiently(postcode);
        expect(replies.map(({ headers }) => headers['retry-after'])).toEqual(
          Array.from({ length: 3 }, () => String(SANDBOX_RETRY)),
        );
      }
      expect((await patient.checkPatiently('ZZ99 1AA')).map(({ status }) => status)).toEqual([200]);
    });
  });

  it('gets only whole bandwidths, and a message that counts what it is shown', async () => {
    const path = '/product-availability/postcode/N1%201AA';
    const { text, body } = await service.http.get<Body>(path, { token: tokens.bandwidthCapactity });
    expect(strictProducts(text).map(({ productCode }) => productCode)).toEqual(['INT-1G-12']);
    expect(body.message).toMatch(/^1 product is available at N1 1AA\./);
    await service.flushChecks();
    const again = await service.http.get<Body>(`/product-availability/check/${String(body.id)}`, {
      token: tokens.bandwidthCapactity,
    });
    expect(again.text).toBe(text);
    const plain = await service.http.get<Body>(path, { token: tokens.bandwidthCapacity });
    expect(plain.body.message).toMatch(/^3 products are available at N1 1AA\./);
    expect(() => strictProducts(plain.text)).toThrow('bandwidthProvisioned is 0.1');
  });

  it('can order a product that it is not shown', async () => {
    const client = new OldClient(sdks[1]!, service, tokens.bandwidthCapactity);
    const placed = await client.order({ postcode: 'N1 1AA', productCode: 'INT-100M-12' });
    expect(placed.status).toBe(201);
  });

  it('gets the misspelt key only with compatibility 0.2', async () => {
    const path = '/product-availability/postcode/EC2A2BS';
    const plain = await service.http.get(path, { token: tokens.bandwidthCapacity });
    expect(plain.text).not.toContain('bandwidthCapactity');
  });

  it('gets the same bytes with one slash (fast path) as with two (full pipeline)', async () => {
    const path = '/product-availability/postcode/EC2A%202BS';
    const plain = ({ status, text, headers }: Reply<unknown>) => [
      status,
      text.replace(/"id":"\w{10}"/, '"id":"…"'),
      { ...headers, 'x-request-id': '…', date: '…' },
    ];
    for (const token of Object.values(tokens)) {
      await service.http.get(path, { token });
      const one = await service.http.get(path, { token });
      for (const slashes of ['/', '///']) {
        const more = await service.http.get(`${slashes}${path}`, { token });
        expect(plain(more)).toEqual(plain(one));
      }
    }
  });

  it('has only leading slashes merged, and is never redirected to another host', async () => {
    const token = tokens.bandwidthCapacity;
    for (const path of [
      '/product-availability//postcode/EC2A2BS',
      '//evil.example/product-availability/postcode/EC2A2BS',
      '/product-availability/postcode//EC2A2BS',
    ]) {
      const { status, headers } = await service.http.get(path, { token });
      expect([path, status, headers.location]).toEqual([path, 404, undefined]);
    }
  });
});
