import { expect, it } from '@jest/globals';
import { once } from 'node:events';
import { createServer, get, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Writable } from 'node:stream';
import { duringTurns, FastReader } from '../../../test/support/turns.js';
import { responsesBy } from './tracked-response.js';
import { writeChunks } from './write-chunks.js';

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
