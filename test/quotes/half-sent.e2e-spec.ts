import { beforeAll, expect, it } from '@jest/globals';
import { once } from 'node:events';
import type { Server } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { nextTurn } from '../../src/platform/kernel/turns.js';
import { Ledger } from '../support/ledger.js';
import { QUOTE, quotesOf } from '../support/quotes.js';
import { onOneEngine, type Service, startService } from '../support/service.js';
import { StaffBrowser } from '../support/staff-browser.js';

const CLIENTS = 200;
/** What each client sends of 500 KB. */
const HALF = 250_000;

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** Rounds of garbage collection until buffers that nothing refers to are freed, which happens in other threads, too. */
const ROUNDS = 100;

/** Bytes of buffers, as soon as they are fewer than `enough`, or after all rounds. */
async function buffersInUse(enough = 0, rounds = 3): Promise<number> {
  for (let round = 0; round < rounds; round += 1) {
    await nextTurn();
    collectGarbage();
    if (process.memoryUsage().arrayBuffers < enough) break;
  }
  return process.memoryUsage().arrayBuffers;
}

onOneEngine('the body of a quote that is sent by half', (engine) => {
  let service: Service;
  let server: Server;
  let token: string;
  let cookie: string;

  beforeAll(async () => {
    service = await startService(engine, { config: { rateLimits: false } });
    server = service.app.getHttpServer();
    await service.given.catalogue();
    token = await service.given.token();
    const agent = await StaffBrowser.signedIn(service, { role: 'agent' });
    ({ cookie: cookie = '' } = agent);
  });

  const site = '{"site":"Hall","postcode":"EC2A 2BS","notes":"Access by the yard, ask for Ola."},';
  const row = 'Hall,EC2A 2BS,1,36,"Access by the yard, ask for Ola."\r\n';
  const form = `--cut\r\nContent-Disposition: form-data; name="file"; filename="sites.csv"\r\n\r\n`;
  const long = (start: string, part: string) => start + part.repeat(HALF / part.length);
  const bodies: readonly (() => [headers: string, path: string, body: string])[] = [
    () => [
      `Authorization: Bearer ${token}\r\nContent-Type: application/json`,
      QUOTE,
      long('{"wanted":{"bandwidth":1,"term":36},"sites":[', site),
    ],
    () => [
      `Authorization: Bearer ${token}\r\nContent-Type: text/csv`,
      QUOTE,
      long('site,postcode,bandwidth,term,notes\r\n', row),
    ],
    () => [
      `Cookie: staff=${cookie}\r\nSec-Fetch-Site: same-origin\r\nContent-Type: multipart/form-data; boundary=cut`,
      '/staff/quotes',
      long(`${form}site,postcode,bandwidth,term,notes\r\n`, row),
    ],
  ];

  const stored = async () => {
    const ledger = new Ledger(service.config);
    return [await ledger.count('quotes'), await ledger.count('idempotency_keys')];
  };

  /** @returns a socket after the service has read all that was sent */
  const sendHalf = async (n: number): Promise<Socket> => {
    const [headers, path, body] = bodies[n % bodies.length]!();
    const accepted = once(server, 'connection') as Promise<[Socket]>;
    const socket = connect(service.http.port, '127.0.0.1');
    const [received] = await accepted;
    const sent = `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n${headers}\r\nIdempotency-Key: half-${n}\r\nContent-Length: ${2 * body.length}\r\n\r\n${body}`;
    socket.write(sent);
    while (received.bytesRead < sent.length && !received.destroyed) await nextTurn();
    expect([n, received.bytesRead]).toEqual([n, sent.length]);
    return socket;
  };

  const answerTo = async (socket: Socket): Promise<string> => {
    let answer = '';
    socket.on('data', (part) => (answer += String(part)));
    await once(socket, 'close');
    return answer;
  };

  it('is let go when its client hangs up, and stores nothing', async () => {
    const known = await stored();
    (await sendHalf(0)).destroy();
    const before = await buffersInUse();
    const sockets: Socket[] = [];
    const closed: Promise<unknown>[] = [];
    const track = (socket: Socket) => closed.push(once(socket, 'close'));
    server.on('connection', track);
    for (let n = 0; n < CLIENTS; n += 1) sockets.push(await sendHalf(n));
    server.off('connection', track);
    const held = process.memoryUsage().arrayBuffers - before;
    expect(held).toBeGreaterThan((CLIENTS * HALF) / 2);
    for (const socket of sockets) socket.destroy();
    await Promise.all(closed);
    const enough = before + held / 10;
    expect(await buffersInUse(enough, ROUNDS)).toBeLessThan(enough);

    expect(await stored()).toEqual(known);
    const client = quotesOf(service, token);
    const whole = { wanted: { bandwidth: 1, term: 36 }, sites: [{ postcode: 'EC2A 2BS' }] };
    const { status, headers } = await client.send(whole, 'half-0');
    expect([status, headers['idempotent-replayed']]).toEqual([201, undefined]);
  });

  it('is refused when its client stays and sends nothing more, and stores nothing', async () => {
    const { headersTimeout, requestTimeout } = server;
    const before = await stored();
    const answers: Promise<string>[] = [];
    for (const n of bodies.keys()) answers.push(answerTo(await sendHalf(n)));
    // The limits of a service, 10 and 14 seconds, are over at once. Node.js takes the greater of the two for the body.
    server.headersTimeout = 1;
    server.requestTimeout = 1;
    try {
      for (const answer of await Promise.all(answers)) {
        expect(answer).toMatch(/^HTTP\/1\.1 408 .*"type":"[^"]*request-timeout"/s);
      }
    } finally {
      Object.assign(server, { headersTimeout, requestTimeout });
    }
    expect(await stored()).toEqual(before);
  });
});
