import { beforeAll, expect, it } from '@jest/globals';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { Log } from '../../src/ops/log.js';
import { RequestLogService } from '../../src/ops/request-log.service.js';
import type { ClientOrder } from '../../src/orders/record/orders.dto.js';
import { later } from '../support/closing.js';
import { onOneEngine, type Service, startService } from '../support/service.js';

interface ProblemResult {
  readonly code: string;
  readonly errors?: readonly { readonly pointer: string }[];
}

onOneEngine('the door for agents', (engine) => {
  let service: Service;
  let token: string;

  beforeAll(async () => {
    service = await startService(engine, { config: { mcp: true } });
    await service.given.catalogue();
    token = await service.given.token();
  });

  const address = () => new URL(`http://127.0.0.1:${service.http.port}/mcp`);

  async function agent(bearer: string, mode: 'legacy' | 'auto' = 'auto') {
    const client = new Client({ name: 'test', version: '1.0.0' }, { versionNegotiation: { mode } });
    const requestInit = { headers: { Authorization: `Bearer ${bearer}` } };
    await client.connect(new StreamableHTTPClientTransport(address(), { requestInit }));
    later(() => client.close());
    return client;
  }

  async function call(client: Client, name: string, asked: Record<string, unknown>) {
    const {
      isError = false,
      content,
      structuredContent,
    } = await client.callTool({
      name,
      arguments: asked,
    });
    const [{ text }] = content as unknown as [{ text: string }];
    if (!isError) expect(JSON.parse(text)).toEqual(structuredContent);
    return { isError, result: JSON.parse(text) as Record<string, unknown> & ProblemResult };
  }

  it.each(['legacy', 'auto'] as const)(
    'serves clients of the protocol before 2026 and of today (%s), without a session',
    async (mode) => {
      const client = await agent(token, mode);
      expect(client.getServerVersion()).toMatchObject({ name: 'product-availability' });
      expect(client.getInstructions()).toContain('Bandwidths are in Gbit/s');
      const { tools } = await client.listTools();
      expect(tools.map(({ name }) => name)).toEqual([
        ...[
          'check_place',
          'quote_sites',
          'read_quote',
          'read_order',
          'send_message',
          'place_order',
        ],
      ]);
      const { result } = await call(client, 'check_place', { postcode: 'ec2a2bs', term: 36 });
      expect(result).toMatchObject({
        postcode: 'EC2A 2BS',
        availableProducts: [{ productCode: 'INT-1G-36' }],
      });
    },
  );

  it('describes tools with the words and inputs of the operations', async () => {
    const { tools } = await (await agent(token)).listTools();
    const tool = (wanted: string) => tools.find(({ name }) => name === wanted)!;
    const { paths } = (
      await service.http.get<{ paths: Record<string, Record<string, unknown>> }>('/openapi.json')
    ).body;
    const { description } = paths['/product-availability/quote']!.post as { description: string };
    expect(tool('quote_sites').description).toContain(description.slice(0, 60));
    const { properties, required } = tool('place_order').inputSchema;
    expect(Object.keys(properties!)).toEqual(
      expect.arrayContaining(['checkId', 'quoteId', 'lineId', 'productCode', 'contact']),
    );
    expect([required, tool('place_order').annotations]).toEqual([
      [],
      { readOnlyHint: false, destructiveHint: true, idempotentHint: true },
    ]);
    expect(tool('check_place').annotations).toMatchObject({ readOnlyHint: true });
    // No reference leads out of a schema, and no word of OpenAPI is left in it.
    expect(JSON.stringify(tools)).not.toMatch(/\$ref|"nullable"|"example"/);
  });

  it('orders at a price that a check has shown, once, however often it is asked', async () => {
    const client = await agent(token);
    const { result: check } = await call(client, 'check_place', { postcode: 'EC2A 2BS' });
    const asked = { postcode: 'EC2A 2BS', productCode: 'INT-1G-12', checkId: check.id };
    const placed = [
      await call(client, 'place_order', asked),
      await call(client, 'place_order', asked),
    ];
    const [first, second] = placed.map(({ result }) => result.orderId);
    expect([typeof first, second]).toEqual(['string', first]);
    const { result } = await call(client, 'read_order', { orderId: first });
    expect(result).toMatchObject({ orderId: first, checkId: check.id, state: 'acknowledged' });
  });

  it('sends a message once, and says what it needs', async () => {
    const client = await agent(token);
    const { orderId } = await service.given.order({ token });
    const text = 'Which floor?';
    const sent = [
      await call(client, 'send_message', { orderId, text }),
      await call(client, 'send_message', { orderId, text }),
    ];
    const [first, second] = sent.map(({ result }) => result.messageId);
    expect([typeof first, second]).toEqual(['string', first]);
    const { result: missing } = await call(client, 'send_message', { text });
    expect(missing).toMatchObject({ errors: [{ pointer: '/orderId' }] });
    const { result: other } = await call(client, 'send_message', { enquiryId: orderId, text });
    expect(other).toMatchObject({ code: 'not-found' });
  });

  it('places an order once, also where the agent writes it in another way', async () => {
    const client = await agent(token);
    const place = { postcode: 'EC2A 2BS', uprn: '42' };
    const { result: check } = await call(client, 'check_place', place);
    const checkId = String(check.id);
    const order = { ...place, productCode: 'INT-1G-12', checkId };
    const placed = [];
    for (const asked of [
      order,
      { ...order, checkId: checkId.toLowerCase(), postcode: 'ec2a2bs' },
      { ...order, checkId: ` ${checkId.slice(0, 5)}-${checkId.slice(5)}`, uprn: '0042' },
      { ...order, uprn: undefined },
    ]) {
      placed.push(await call(client, 'place_order', asked));
    }
    const ids = placed.map(({ result }) => result.orderId);
    expect([typeof ids[0], new Set(ids).size]).toEqual(['string', 1]);
  });

  it('makes a quote with defaults for its sites', async () => {
    const asked = { sites: [{ postcode: 'EC2A 2BS' }], bandwidth: 1, term: 36 };
    const { isError, result } = await call(await agent(token), 'quote_sites', asked);
    expect([isError, result]).toEqual([
      false,
      expect.objectContaining({ lines: [expect.objectContaining({ state: 'priced' })] }),
    ]);
  });

  it('orders a line of a quote that it has made and read', async () => {
    const client = await agent(token);
    const sites = [
      { site: 'HQ', postcode: 'EC2A 2BS' },
      { site: 'Mast', postcode: 'AB10 1AB' },
    ];
    const { result: quote } = await call(client, 'quote_sites', {
      sites,
      wanted: { bandwidth: 1 },
    });
    expect(quote).toMatchObject({ lines: [{ state: 'priced' }, { state: 'notAvailable' }] });
    const { quoteId } = quote;
    const { result } = await call(client, 'place_order', { quoteId, lineId: '1' });
    const { result: read } = await call(client, 'read_quote', { quoteId });
    const [{ orderId }] = result.orders as [{ orderId: string }];
    expect(read).toMatchObject({ lines: [{ state: 'ordered', orderId }, {}] });
    const { body } = await service.http.get<ClientOrder>(`/product-availability/order/${orderId}`, {
      token,
    });
    expect(body).toMatchObject({ quoteId, lineId: '1' });
  });

  it('orders nothing without a price that has been seen', async () => {
    const fresh = await service.given.token();
    const client = await agent(fresh);
    const order = { postcode: 'EC2A 2BS', productCode: 'INT-1G-12' };
    for (const checkId of [undefined, null, '', ' ', 'KR3FVJ7P2M']) {
      const { isError, result } = await call(client, 'place_order', { ...order, checkId });
      const code = checkId?.trim() ? 'unknown-check' : 'validation-error';
      expect([checkId, isError, result.code]).toEqual([checkId, true, code]);
    }
    const quoteId = '019a9b5e-7c1d-7c3a-9d2f-5b1e6a7c8d90';
    expect((await call(client, 'place_order', { quoteId })).isError).toBe(true);
    const line = await call(client, 'place_order', { quoteId, lineId: '1' });
    expect([line.isError, line.result.code]).toEqual([true, 'not-found']);
    const { body } = await service.http.get<{ items: unknown[] }>('/product-availability/order', {
      token: fresh,
    });
    expect(body.items).toEqual([]);
  });

  it('answers what an operation refuses as its problem', async () => {
    const client = await agent(token);
    const wrong = await call(client, 'check_place', { postcode: 'EC2A 2B5' });
    expect(wrong).toMatchObject({ isError: true, result: { code: 'invalid-postcode' } });
    const unknown = await call(client, 'check_place', { postcode: 'EC2A 2BS', colour: 'red' });
    expect(unknown).toMatchObject({ isError: true, result: { code: 'validation-error' } });
    const missing = await call(client, 'read_order', {});
    expect(missing.isError).toBe(true);
    expect((await client.callTool({ name: 'read_order' })).isError).toBe(true);
    await expect(client.callTool({ name: 'drop_tables', arguments: {} })).rejects.toThrow(
      'no tool',
    );
  });

  it('offers a token only the tools of its scopes', async () => {
    const reader = await service.given.token({ scopes: ['availability:read'] });
    const client = await agent(reader);
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['check_place']);
    await expect(client.callTool({ name: 'place_order', arguments: {} })).rejects.toThrow(
      'no tool',
    );
    // To make a quote needs the scope to read it, too.
    const writer = await service.given.token({ scopes: ['orders:write'] });
    expect((await (await agent(writer)).listTools()).tools.map(({ name }) => name)).toEqual([
      'send_message',
      'place_order',
    ]);
  });

  it('does not show the orders of another client', async () => {
    const { orderId } = await service.given.order();
    const { result } = await call(await agent(token), 'read_order', { orderId });
    expect(result.code).toBe('not-found');
  });

  it('refuses callers without a token, of staff, of other sites, and other methods', async () => {
    const post = (headers: object, bearer?: string) =>
      service.http.post<ProblemResult>('/mcp', message, {
        headers: { ...accept, ...headers },
        ...(bearer && { token: bearer }),
      });
    expect((await post({})).body.code).toBe('missing-token');
    expect((await post({}, 'pas_live_x')).body.code).toBe('invalid-token');
    const staff = await service.given.staffToken();
    expect((await post({}, staff)).status).toBe(403);
    for (const Origin of ['https://evil.example', 'null', 'http://127.0.0.1:1']) {
      const { status, body } = await post({ Origin }, token);
      expect([Origin, status, body.code]).toEqual([Origin, 403, 'cross-site-request']);
    }
    expect((await post({ Origin: service.config.publicUrl }, token)).status).toBe(200);
    const got = await service.http.get<ProblemResult>('/mcp', { token });
    expect([got.status, got.body.code]).toEqual([405, 'method-not-allowed']);
  });

  it('gives no session away and takes none', async () => {
    const headers = { ...accept, 'Mcp-Session-Id': 'chosen-by-an-attacker' };
    const { status, headers: answered } = await service.http.post('/mcp', message, {
      token,
      headers,
    });
    expect([status, answered['mcp-session-id']]).toEqual([200, undefined]);
  });

  it('answers broken messages, and keeps no stream open', async () => {
    const send = (body: unknown) =>
      service.http.post<object>('/mcp', body, { token, headers: accept });
    expect((await send({ jsonrpc: '2.0' })).status).toBe(400);
    expect((await send([])).status).toBe(400);
    const listen = { ...message, method: 'subscriptions/listen', params: {} };
    expect((await send(listen)).text).toContain('error');
  });

  it('says what an agent has to send where its order names no check', async () => {
    const order = { postcode: 'EC2A 2BS', productCode: 'INT-1G-36' };
    const { isError, result } = await call(await agent(token), 'place_order', order);
    expect([isError, result.code, result.errors]).toEqual([
      true,
      'validation-error',
      [
        {
          pointer: '/checkId',
          code: 'required',
          detail: 'Call check_place first, and send the id of its answer as checkId.',
        },
      ],
    ]);
  });

  it('writes a line for the message, and one for what its tool did, which names it', async () => {
    const lines: string[] = [];
    const log = { writesRequests: true, writeLine: (line: string) => lines.push(line) };
    service.get(RequestLogService).writeTo(log as unknown as Log);
    await callRaw(service, token);
    const [inner, outer] = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(outer).toMatchObject({ route: '/mcp', status: 200 });
    expect(inner).toMatchObject({
      ...{ route: '/product-availability/postcode/:postcode', status: 200 },
      ...{ inbound: outer!.request, client: outer!.client, token: outer!.token },
    });
  });

  it.each([
    ['application/json', 'application/json'],
    ['*/*', 'application/json'],
    ['', 'application/json'],
    ['text/event-stream', 'text/event-stream'],
  ])('answers a client with Accept: "%s" as %s', async (wanted, type) => {
    const headers = { Accept: wanted };
    const one = await service.http.post('/mcp', message, { token, headers });
    expect([one.status, one.headers['content-type']]).toEqual([200, type]);
    const two = await service.http.post('/mcp', [message, { ...message, id: 2 }], {
      token,
      headers,
    });
    if (type !== 'application/json') return;
    expect(one.body).toMatchObject({ id: 1, result: { tools: expect.any(Array) as unknown } });
    expect(two.body).toMatchObject([{ id: 1 }, { id: 2 }]);
  });
});

const message = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} };
const accept = { Accept: 'application/json, text/event-stream' };

/** A check by a tool, without the client of the SDK. */
function callRaw(service: Service, token: string) {
  const params = { name: 'check_place', arguments: { postcode: 'EC2A 2BS' } };
  const sent = { ...message, method: 'tools/call', params };
  return service.http.post('/mcp', sent, { token, headers: accept });
}

it('counts a message as a check, and what its tool does again, one request at a time', async () => {
  const config = { mcp: true, inFlight: 1, lookupsPerMinute: 5 };
  const service = await startService('sqlite', { config });
  await service.given.catalogue();
  const token = await service.given.token();
  const answers = [];
  for (let i = 0; i < 4; i += 1) answers.push(await callRaw(service, token));
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 429]);
  expect(answers.map(({ text }) => text.includes('EC2A 2BS'))).toEqual([true, true, false, false]);
  expect(answers[2]!.text).toContain('rate-limited');
});

it('counts each message of an array as a check', async () => {
  const service = await startService('sqlite', { config: { mcp: true, lookupsPerMinute: 5 } });
  await service.given.catalogue();
  const token = await service.given.token();
  const send = async (ids: readonly number[]) => {
    const messages = ids.map((id) => ({ ...message, id }));
    return (await service.http.post('/mcp', messages, { token, headers: accept })).status;
  };
  expect([await send([1, 2, 3]), await send([4, 5, 6]), await send([7, 8])]).toEqual([
    200, 429, 200,
  ]);
});

it('refuses more messages in one request than are counted', async () => {
  const service = await startService('sqlite', { config: { mcp: true, rateLimits: false } });
  const token = await service.given.token();
  const messages = Array.from({ length: 101 }, (_, id) => ({ ...message, id }));
  const { status, text } = await service.http.post('/mcp', messages, { token, headers: accept });
  expect([status, text]).toEqual([400, expect.stringContaining('must not exceed 100 messages')]);
});

it('is not there unless it is switched on', async () => {
  const service = await startService('sqlite');
  const token = await service.given.token();
  const { status } = await service.http.post('/mcp', {}, { token });
  expect(status).toBe(404);
});
