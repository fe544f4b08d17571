import { expect, test } from '@jest/globals';
import { connect, type Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { later } from '../support/closing.js';
import { newDatabase } from '../support/databases.js';
import { Http } from '../support/http.js';
import { startService } from '../support/service.js';
import { Instance } from './processes.js';

const PORT = 41_531;
const SOCKETS = 500;

const median = (values: number[]) => values.sort((a, b) => a - b)[values.length >> 1]!;

test(`${SOCKETS} slow sockets are closed within 15 s, while a normal client keeps its speed`, async () => {
  const database = await newDatabase('postgres', 'empty');
  const seed = await startService('postgres', { database });
  await seed.given.catalogue();
  const token = await seed.given.token({ days: 3_650 });
  const url = database.databaseUrl!;
  await new Instance(PORT, { DATABASE_URL: url, ALLOW_INSECURE: 'no-rate-limits' }).start();
  const client = new Http(PORT);
  later(() => Promise.resolve(client.close()));
  const timeOfLooks = async () => {
    const times = [];
    for (let i = 0; i < 200; i += 1) {
      const started = performance.now();
      const { status } = await client.get('/product-availability/postcode/EC2A2BS', { token });
      if (status !== 200) throw new Error(`The normal client was answered ${status}.`);
      times.push(performance.now() - started);
    }
    return median(times);
  };
  await timeOfLooks();
  const before = await timeOfLooks();

  const started = performance.now();
  const closed: number[] = [];
  const sockets: Socket[] = [];
  for (let i = 0; i < SOCKETS; i += 1) {
    const socket = connect(PORT, '127.0.0.1');
    socket.on('error', () => undefined);
    socket.on('close', () => closed.push(performance.now() - started));
    socket.resume();
    // Some send nothing, some start headers or a body; each continues byte by byte.
    if (i % 3 === 1) socket.write('GET /health/live HTTP/1.1\r\nHost: x\r\nX-Slow: ');
    if (i % 3 === 2) {
      socket.write(
        `POST /product-availability/order HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n`,
      );
    }
    sockets.push(socket);
  }
  const drip = setInterval(() => {
    sockets.forEach((socket, i) => i % 3 !== 0 && socket.writable && socket.write('x'));
  }, 1_000);
  const during = [];
  while (closed.length < SOCKETS && performance.now() - started < 20_000) {
    during.push(await timeOfLooks());
    await wait(200);
  }
  clearInterval(drip);
  const slowest = Math.max(...closed);
  process.stdout.write(
    `${closed.length} closed, the last after ${(slowest / 1_000).toFixed(1)} s; a look-up took ${before.toFixed(2)} ms before and ${median(during).toFixed(2)} ms meanwhile\n`,
  );
  expect(closed.length).toBe(SOCKETS);
  expect(slowest).toBeLessThan(15_000);
  expect(median(during)).toBeLessThan(before * 3 + 2);
});
