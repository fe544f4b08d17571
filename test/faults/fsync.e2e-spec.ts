import { expect, it } from '@jest/globals';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { newFolder } from '../support/closing.js';
import { Ledger } from '../support/ledger.js';
import { newShop, order } from '../support/orders.js';
import { PostgresMachine } from '../support/postgres-machine.js';
import { startProcess } from '../support/service-process.js';
import { figure, patience } from '../support/rounds.js';

const ORDERS = 200;
const trace = ['-f', '-c', '-e', 'trace=fsync,fdatasync'];
const canTrace = spawnSync('strace', [...trace, 'true']).status === 0;
if (!canTrace) figure('fsyncs were not counted: strace is missing or may not trace.');
const ifTraceable = canTrace ? it : it.skip;

/** The calls that `strace -c` counted. */
async function fsyncsIn(file: string): Promise<number> {
  const text = await readFile(file, 'utf8');
  const counted = [...text.matchAll(/^\s*[\d.]+\s+[\d.]+\s+\d+\s+(\d+)\s.*\bf(?:data)?sync$/gm)];
  return counted.reduce((sum, [, calls]) => sum + Number(calls), 0);
}

ifTraceable(
  `${ORDERS} orders are at least ${ORDERS} fsyncs, on sqlite`,
  async () => {
    const { database, token } = await newShop('sqlite');
    const file = join(await newFolder(), 'strace');
    // -D: strace runs detached, so that signals reach the service.
    const under = ['strace', '-D', ...trace, '-o', file];
    const { service, http } = await startProcess(database, { under });
    for (let n = 1; n <= ORDERS; n += 1) {
      expect((await order(http, token, `fsync-${n}`)).status).toBe(201);
    }
    http.close();
    await service.stop();
    const fsyncs = await fsyncsIn(file);
    figure(`sqlite: ${fsyncs} fsyncs for ${ORDERS} sequential orders.`);
    expect(fsyncs).toBeGreaterThanOrEqual(ORDERS);
  },
  patience,
);

ifTraceable(
  `${ORDERS} orders are at least ${ORDERS} fsyncs, on postgres`,
  async () => {
    const machine = await PostgresMachine.start();
    const { database, token } = await newShop('postgres', await machine.newDatabase());
    const file = join(await newFolder(), 'strace');
    // Follows the backends that the service's connections start.
    const tracer = spawn('strace', [...trace, '-o', file, '-p', String(machine.pid)], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    await once(tracer.stderr, 'data'); // "attached"
    const { service, http } = await startProcess(database);
    for (let n = 1; n <= ORDERS; n += 1) {
      expect((await order(http, token, `fsync-${n}`)).status).toBe(201);
    }
    http.close();
    await service.stop();
    tracer.kill('SIGINT');
    await once(tracer, 'exit');
    const fsyncs = await fsyncsIn(file);
    figure(`postgres: ${fsyncs} fsyncs for ${ORDERS} sequential orders.`);
    expect(fsyncs).toBeGreaterThanOrEqual(ORDERS);
  },
  patience,
);

ifTraceable(
  'orders whose flush the disk refuses get 503, and are stored once when they are sent again, on sqlite',
  async () => {
    const { database, token } = await newShop('sqlite');
    const fails = 'inject=fsync,fdatasync:error=EIO:when=';
    const under = [
      'strace',
      '-D',
      '-f',
      '-e',
      'trace=fsync,fdatasync',
      '-o',
      '/dev/null',
      '-e',
      `${fails}30..39`,
    ];
    const { service, http } = await startProcess(database, { under });
    let refused = 0;
    for (let n = 1; n <= 60; n += 1) {
      const key = `refused-${n}`;
      while ((await order(http, token, key, key)).status !== 201) {
        refused += 1;
        expect(refused).toBeLessThanOrEqual(10);
      }
    }
    expect(refused).toBeGreaterThan(0);
    http.close();
    await service.kill();
    const ledger = new Ledger(database);
    const stored = await ledger.counts('refused-');
    expect([stored.size, Math.max(...stored.values())]).toEqual([60, 1]);
    expect(await ledger.faults()).toEqual([]);
    figure(`sqlite: ${refused} orders whose flush failed got 503, and were stored once later.`);
  },
  patience,
);
