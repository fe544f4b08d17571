import { expect, it } from '@jest/globals';
import type { Response } from 'express';
import { once } from 'node:events';
import { createServer, get } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { responsesBy } from '../http/tracked-response.js';
import { sendStream } from './download.js';

it('a download that the client aborts no longer counts as running', async () => {
  const inFlight = { running: 1 };
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  const ServerResponse = responsesBy({
    headers: [],
    replaceable: new Set(),
    closing: false,
    ended: () => end(),
  });
  const endless = function* () {
    for (;;) yield 'x'.repeat(65_536);
  };
  const server = createServer({ ServerResponse }, (_, response) => {
    void sendStream(Readable.from(endless()), Object.assign(response, { inFlight }) as Response);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const request = get({ port: (server.address() as AddressInfo).port, host: '127.0.0.1' });
  await once(request, 'response');
  request.destroy();
  await ended;
  expect(inFlight.running).toBe(0);
  server.close();
});
