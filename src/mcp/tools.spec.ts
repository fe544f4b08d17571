import { expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import type { InnerAnswer, InnerRequest } from './inner-request.js';
import { DescribedCalls } from './tool-schemas.js';
import { type Arguments, toolsOf } from './tools.js';

const document = JSON.parse(readFileSync('openapi.json', 'utf8')) as ConstructorParameters<
  typeof DescribedCalls
>[0];
const tools = new Map(toolsOf(new DescribedCalls(document)).map((tool) => [tool.name, tool]));
const api = '/product-availability';

/** What a tool sends; the first request is answered so. */
async function sent(name: string, asked: Arguments, first: Partial<InnerAnswer> = {}) {
  const requests: InnerRequest[] = [];
  const answer = await tools.get(name)!.run(asked, (request) => {
    requests.push(request);
    return Promise.resolve({ status: 200, body: {}, ...(requests.length === 1 && first) });
  });
  return { requests, answer };
}

it.each<[string, Arguments, Partial<InnerRequest>]>([
  ['check_place', { postcode: 'N1 9GU' }, { method: 'GET', path: `${api}/postcode/N1%209GU` }],
  [
    'check_place',
    { postcode: 'N1 9GU', uprn: '7', bandwidth: null },
    { method: 'GET', path: `${api}/premises/7?postcode=N1+9GU` },
  ],
  // No pattern of a replacement, and no other path.
  ['check_place', { postcode: "$&$'/../me" }, { path: `${api}/postcode/%24%26%24'%2F..%2Fme` }],
  ['read_quote', { quoteId: 'q', limit: 5 }, { method: 'GET', path: `${api}/quote/q?limit=5` }],
])('%s asks for what is named, and no more: %j', async (name, asked, request) => {
  const { requests } = await sent(name, asked);
  expect(requests).toHaveLength(1);
  expect(requests[0]).toMatchObject(request);
  expect([requests[0]!.body, requests[0]!.key]).toEqual([undefined, undefined]);
});

it('makes a quote of what is named, and reads its first lines', async () => {
  const made = { status: 201, body: { quoteId: 'q' } };
  const asked = { sites: [{ postcode: 'N1 9GU' }], wanted: { bandwidth: 1 }, reference: 'R' };
  const { requests } = await sent('quote_sites', asked, made);
  expect(requests).toEqual([
    { method: 'POST', path: `${api}/quote`, body: asked },
    { method: 'GET', path: `${api}/quote/q?limit=50` },
  ]);
});

it('makes a quote with the defaults that it offers as inputs', async () => {
  const sites = [{ postcode: 'N1 9GU' }];
  const asked = { sites, reference: 'R', bandwidth: 1, term: 36, service: 'Internet' };
  const inputs = Object.keys(tools.get('quote_sites')!.inputSchema.properties as object);
  expect(inputs).toEqual(expect.arrayContaining(Object.keys(asked)));
  const { requests } = await sent('quote_sites', asked, { status: 201, body: { quoteId: 'q' } });
  expect(requests[0]).toEqual({
    method: 'POST',
    path: `${api}/quote?bandwidth=1&term=36&service=Internet`,
    body: { sites, reference: 'R' },
  });
});

it('answers a quote that is refused with the problem', async () => {
  const refused = { status: 400, body: { code: 'validation-error' } };
  const { requests, answer } = await sent('quote_sites', {}, refused);
  expect([requests.length, answer]).toEqual([1, refused]);
});

it.each<[string, Arguments, string[]]>([
  ['check_place', {}, ['/postcode']],
  ['check_place', { uprn: '7', postcode: ' ' }, ['/postcode']],
  ['read_order', { orderId: '' }, ['/orderId']],
  ['read_quote', { quoteId: null }, ['/quoteId']],
  ['quote_sites', {}, []],
  ['place_order', { postcode: 'N1 9GU', productCode: 'P' }, ['/checkId']],
  ['place_order', { quoteId: 'q' }, ['/lineId']],
  ['place_order', { lineId: '2' }, ['/quoteId']],
  ['place_order', { quoteId: '', lineId: '2' }, ['/quoteId']],
  ['place_order', { lineId: null, productCode: 'P' }, ['/checkId', '/postcode']],
  ['place_order', { quoteId: 'q', lineId: '2' }, []],
  ['read_order', { orderId: '..' }, []],
])('%s with %j lacks %j', (name, asked, pointers) => {
  const faults = tools.get(name)!.faultsOf(asked);
  expect(faults.map(({ pointer }) => pointer)).toEqual(pointers);
});

it('orders one line of a quote', async () => {
  const line = await sent('place_order', { quoteId: 'q', lineId: '2', reference: 'R' });
  expect(line.requests[0]).toMatchObject({
    method: 'POST',
    path: `${api}/quote/q/acceptance`,
    body: { lines: ['2'], offers: { 2: null }, reference: 'R' },
  });
  const offered = await sent('place_order', { quoteId: 'q', lineId: '2', offerId: 'o' });
  expect(offered.requests[0]!.body).toEqual({ lines: ['2'], offers: { 2: 'o' } });
});

it('has the same key for the same order only', async () => {
  const keyOf = async (asked: Arguments) => (await sent('place_order', asked)).requests[0]!.key;
  const order = { checkId: 'c', uprn: '7', productCode: 'P' };
  const line = { quoteId: 'q', lineId: '1' };
  const same = [await keyOf(order), await keyOf({ ...order, reference: 'R' })];
  expect(new Set(same).size).toBe(1);
  const others = [
    ...[order, { ...order, checkId: 'd' }, { ...order, uprn: '8' }],
    ...[{ ...order, productCode: 'Q' }, line, { ...line, quoteId: 'r' }, { ...line, lineId: '2' }],
  ];
  const keys = await Promise.all(others.map(keyOf));
  expect(new Set(keys).size).toBe(others.length);
  for (const key of keys) expect(key).toMatch(/^mcp-[\w-]{32}$/);
});

it('orders the same with the same key and body, however check and premises are written', async () => {
  const check = { checkId: 'KR3FVJ7P2M', uprn: '7' };
  const spellings: Arguments[] = [
    check,
    { ...check, checkId: 'kr3fv-j7p2m' },
    { ...check, checkId: ' KR3FVJ7P2M ', uprn: '0007' },
    { checkId: 'KR3FVJ7P2M' },
    { checkId: 'KR3FVJ7P2M', uprn: null },
  ];
  const ofCheck = { body: { premises: { uprn: '7' } } };
  const orders = await Promise.all(
    spellings.map(async (asked) => {
      const { requests } = await sent('place_order', { ...asked, productCode: 'P' }, ofCheck);
      return requests.at(-1);
    }),
  );
  expect(orders[0]!.body).toEqual({ ...check, productCode: 'P' });
  expect(orders).toEqual(orders.map(() => orders[0]));
});

it('reads the premises of a check whose order names none, and orders nothing if that fails', async () => {
  const asked = { checkId: 'kr3fvj7p2m', productCode: 'P' };
  const { requests } = await sent('place_order', asked, { body: { granularity: 'postcode' } });
  expect(requests).toMatchObject([
    { method: 'GET', path: `${api}/check/KR3FVJ7P2M` },
    { method: 'POST', path: `${api}/order`, body: { ...asked, checkId: 'KR3FVJ7P2M' } },
  ]);
  const busy = { status: 429, body: { code: 'rate-limited' } };
  const refused = await sent('place_order', asked, busy);
  expect([refused.requests.length, refused.answer]).toEqual([1, busy]);
  // A token may have `orders:write` alone.
  for (const status of [403, 404]) {
    expect((await sent('place_order', asked, { status })).requests).toHaveLength(2);
  }
});

it('takes no header as an input', () => {
  const names = [...tools.values()].flatMap(({ inputSchema }) =>
    Object.keys(inputSchema.properties as object),
  );
  expect(names).toEqual(expect.arrayContaining(['postcode', 'uprn', 'sites', 'lineId', 'checkId']));
  expect(names.filter((name) => /^[A-Z]|-/.test(name))).toEqual([]);
});

it('is destructive only where it orders', () => {
  const changing = [...tools.values()].filter(({ annotations }) => !annotations.readOnlyHint);
  expect(changing.map(({ name, annotations }) => [name, annotations.destructiveHint])).toEqual([
    ['quote_sites', false],
    ['send_message', false],
    ['place_order', true],
  ]);
  expect([...tools.values()].map(({ name, scopes }) => [name, ...scopes].join(' '))).toEqual([
    'check_place availability:read',
    'quote_sites orders:write orders:read',
    'read_quote orders:read',
    'read_order orders:read',
    'send_message orders:write',
    'place_order orders:write',
  ]);
});

it('describes a tool by the operation that it calls, without spaces at the ends', () => {
  for (const { name, title, description } of tools.values()) {
    expect([name, description.startsWith(`${title}. `)]).toEqual([name, true]);
    expect([name, description]).toEqual([name, description.trim()]);
    expect([name, description.includes('\n')]).toEqual([name, false]);
  }
});

it('takes the fields of a line beside its number, and none of the many lines', () => {
  const { properties, required } = tools.get('place_order')!.inputSchema as unknown as {
    readonly properties: Record<string, { readonly description?: string; readonly type?: string }>;
    readonly required: readonly string[];
  };
  expect(Object.keys(properties)).toEqual(
    expect.arrayContaining(['quoteId', 'lineId', 'offerId', 'reference', 'checkId', 'productCode']),
  );
  expect(Object.keys(properties).filter((name) => /lines|sites|offers/.test(name))).toEqual([]);
  expect(properties['lineId']).toMatchObject({ type: 'string' });
  expect(required).toEqual([]);
  expect(tools.get('check_place')!.inputSchema).toMatchObject({
    type: 'object',
    required: ['postcode'],
    additionalProperties: false,
  });
});
