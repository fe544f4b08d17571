import { expect, it } from '@jest/globals';
import { execFileSync, spawnSync } from 'node:child_process';
import { chmod, chown, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { later, newFolder } from '../support/closing.js';
import type { DatabaseSettings } from '../support/databases.js';
import { Ledger } from '../support/ledger.js';
import { check, newShop, order } from '../support/orders.js';
import { PostgresMachine } from '../support/postgres-machine.js';
import { refusedStart, startProcess } from '../support/service-process.js';
import { figure, patience } from '../support/rounds.js';

const canMount =
  process.platform === 'linux' &&
  process.getuid?.() === 0 &&
  spawnSync('unshare', ['-m', 'mount', '-t', 'tmpfs', 'tmpfs', '/mnt']).status === 0;
if (!canMount) figure('a full disk was not tried: a small file system needs root and mount.');
const ifMountable = canMount ? it : it.skip;

/** A file system of this many megabytes. */
async function smallDisk(megabytes: number): Promise<string> {
  const folder = await newFolder();
  await chmod(folder, 0o755);
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', folder]);
  later(() => Promise.resolve(execFileSync('umount', ['-l', folder])));
  return folder;
}

async function onAFullDisk(engine: string, disk: string, shop: DatabaseSettings): Promise<void> {
  const { database, token } = await newShop(engine as 'sqlite', shop);
  const { service, http } = await startProcess(database);
  const ledger = new Ledger(database);
  const acknowledged: string[] = [];
  let n = 0;
  const place = async () => {
    const reference = `full-${(n += 1)}`;
    const { status, body } = await order(http, token, reference, reference);
    if (status === 201) acknowledged.push(reference);
    return `${status} ${body.code ?? ''}`.trim();
  };
  expect(await place()).toBe('201');

  const filler = join(disk, 'filler');
  spawnSync('dd', ['if=/dev/zero', `of=${filler}`, 'bs=4096']); // until there is no room
  let refused = 0;
  let answer = await place();
  for (; refused < 20 && n < 20_000; answer = await place()) {
    if (answer === '201') continue;
    expect(answer).toBe('503 unavailable');
    refused += 1;
  }
  expect(refused).toBe(20);
  expect((await check(http, token)).status).toBe(200);
  expect(service.isRunning).toBe(true);
  await rm(filler);
  const before = acknowledged.length;
  for (let i = 0; i < 20; i += 1) expect(await place()).toBe('201');

  const stored = await ledger.counts('full-');
  expect([...stored.keys()].sort()).toEqual([...acknowledged].sort());
  const { orders, entries, orphans } = await ledger.received();
  expect({ entries, orphans }).toEqual({ entries: orders, orphans: 0 });
  expect(await ledger.count('idempotency_keys')).toBe(orders);
  expect(await ledger.faults()).toEqual([]);
  http.close();
  expect((await service.stop()).code).toBe(0);
  figure(
    `${engine} on a full disk: ${before} orders acknowledged until then, ${refused} told 503, checks answered, no partial rows; 20 of 20 orders stored when there was room again, without a restart.`,
  );
}

ifMountable(
  'on a full disk orders get 503 until there is space again, on sqlite',
  async () => {
    const disk = await smallDisk(4);
    const database = { sqliteFile: join(disk, 'shop.sqlite'), databaseUrl: null };
    await onAFullDisk('sqlite', disk, database);
  },
  patience,
);

ifMountable(
  'does not start on a full disk, and says that it is full and what to do',
  async () => {
    const disk = await smallDisk(4);
    const database = { sqliteFile: join(disk, 'shop.sqlite'), databaseUrl: null };
    await newShop('sqlite', database);
    spawnSync('dd', ['if=/dev/zero', `of=${join(disk, 'filler')}`, 'bs=4096']);
    const { code, output } = await refusedStart(database);
    expect(code).toBe(1);
    expect(output).toContain(
      'the disk is full. Nothing was changed. Free some space, then start it again.',
    );
    expect(output).not.toContain('db restore');
  },
  patience,
);

ifMountable(
  'on a full disk orders get 503 until there is space again, on postgres',
  async () => {
    const machine = await PostgresMachine.start();
    const disk = await smallDisk(32);
    const { uid, gid } = machine.owner;
    await chown(disk, uid, gid);
    await machine.tablespace('small', disk);
    await onAFullDisk('postgres', disk, await machine.newDatabase('TABLESPACE small'));
  },
  patience,
);
