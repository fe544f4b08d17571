import { expect, it } from '@jest/globals';
import { IncomingMessage, ServerResponse, createServer, get } from 'node:http';
import { Socket, type AddressInfo } from 'node:net';
import { Writable } from 'node:stream';
import { type Chunks, contentFor, CSV, PDF, writeChunks, hasAlready } from './attachment.js';
import { once } from 'node:events';
import { duringTurns, FastReader } from '../../../test/support/turns.js';
import { responsesBy } from './tracked-response.js';

/** A response as Express makes it. */
function responseTo(path: string, query = {}, type = CSV): ServerResponse {
  const request = Object.assign(new IncomingMessage(new Socket()), { path, query });
  const response = Object.assign(new ServerResponse(request), { req: request });
  response.setHeader('Content-Type', type);
  return response;
}

async function written(out: Writable): Promise<string> {
  const chunks: Chunks = contentFor(out, ['a,', 'b']);
  let text = '';
  for await (const chunk of chunks) text += chunk.toString();
  return text;
}

it.each([
  ['a page', responseTo('/staff/queue.csv'), '\uFEFFa,b'],
  ['a program that asks for it', responseTo('/follow-up/orders.csv', { bom: 'yes' }), '\uFEFFa,b'],
  ['another program', responseTo('/follow-up/orders.csv'), 'a,b'],
  ['a page with another file', responseTo('/staff/quotes/QUO-7F3K9Q.pdf', {}, PDF), 'a,b'],
  ['a file on disk', new Writable(), 'a,b'],
])('marks CSV for %s as it needs', async (_reader, out, expected) => {
  expect(await written(out)).toBe(expected);
});

it('a download that the client aborts no longer counts as running', async () => {
  const inFlight = { running: 1 };
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  const Response = responsesBy({
    headers: [],
    replaceable: new Set(),
    closing: false,
    ended: () => end(),
  });
  const endless = function* () {
    for (;;) yield 'x'.repeat(65_536);
  };
  const server = createServer({ ServerResponse: Response }, (_, response) => {
    void writeChunks(Object.assign(response as ServerResponse, { inFlight }), endless());
  });
  await once(server.listen(0, '127.0.0.1').unref(), 'listening');
  const request = get({ port: (server.address() as AddressInfo).port, host: '127.0.0.1' });
  await once(request, 'response');
  request.destroy();
  await ended;
  expect(inFlight.running).toBe(0);
  server.close();
});

it('gives the event loop a turn after each chunk, however fast the client reads', async () => {
  const chunks = Array.from({ length: 50 }, () => 'x'.repeat(65_536));
  const reader = await duringTurns(async (turn) => {
    const fast = new FastReader(turn);
    expect(await writeChunks(fast, chunks)).toBe(true);
    return fast;
  });
  expect(reader.text).toBe(chunks.join(''));
  expect(new Set(reader.chunks.map(({ turn }) => turn)).size).toBe(50);
});

it('destroys the response if a chunk cannot be made', async () => {
  const out = new Writable({ write: (_chunk, _encoding, done) => done() });
  const failing = function* () {
    yield 'x';
    throw new Error('no more');
  };
  await expect(writeChunks(out, failing())).rejects.toThrow('no more');
  expect(out.destroyed).toBe(true);
});

it.each<[known: string | undefined, etag: string, expected: boolean]>([
  [undefined, '"a"', false],
  ['"a"', '"a"', true],
  ['"b"', '"a"', false],
  ['W/"a"', '"a"', true],
  ['"a"', 'W/"a"', true],
  ['"b", W/"a" ,"c"', 'W/"a"', true],
  ['a', '"a"', false],
  ['', '"a"', false],
  [' * ', '"a"', true],
])('compares If-None-Match %j with %j: %j', (known, etag, expected) => {
  expect(hasAlready(known, etag)).toBe(expected);
});
