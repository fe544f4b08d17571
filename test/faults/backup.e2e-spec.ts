import { expect, it } from '@jest/globals';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { backUp, restore, verify } from '../../src/platform/database/backup.js';
import { newFolder } from '../support/closing.js';
import { Ledger } from '../support/ledger.js';
import { newShop, order } from '../support/orders.js';
import { isUnavailable } from '../support/problems.js';
import { cli, startProcess } from '../support/service-process.js';
import { figure, isHeavy, patience, rounds } from '../support/rounds.js';

const WRITERS = 8;
const PAUSE = isHeavy ? 3_000 : 200;

it(
  'a backup of a database in use has every order acknowledged before it started',
  async () => {
    const { database, token } = await newShop('sqlite');
    const { service, http } = await startProcess(database);
    const folder = await newFolder();
    const acknowledged: string[] = [];
    let done = false;
    const write = async (writer: number) => {
      for (let n = 1; !done; n += 1) {
        const reference = `backup-${writer}-${n}`;
        const reply = await order(http, token, reference);
        if (isUnavailable(reply)) continue;
        expect(reply.status).toBe(201);
        acknowledged.push(reference);
      }
    };
    const writers = Promise.all(Array.from({ length: WRITERS }, (_, writer) => write(writer)));
    const total = rounds(2, 20);
    const backups: { file: string; known: number }[] = [];
    for (let round = 1; round <= total; round += 1) {
      await sleep(PAUSE);
      const file = join(folder, `backup-${round}.sqlite`);
      const known = acknowledged.length;
      const { code, output } = await cli(database, ['db', 'backup', file]);
      expect([code, output]).toEqual([0, expect.stringContaining('is written and verified')]);
      backups.push({ file, known });
    }
    done = true;
    await writers;
    http.close();
    await service.stop();
    for (const { file, known } of backups) {
      const restored = { sqliteFile: join(folder, 'restored.sqlite'), databaseUrl: null };
      const { code } = await cli(restored, ['db', 'restore', file, '--replace']);
      expect(code).toBe(0);
      const ledger = new Ledger(restored);
      const stored = await ledger.counts('backup-');
      const missing = acknowledged.slice(0, known).filter((reference) => !stored.has(reference));
      expect(missing).toEqual([]);
      expect(await ledger.faults()).toEqual([]);
    }
    figure(
      `sqlite: ${total} backups under load, each restored: every order acknowledged before its backup began was in it (${backups.map(({ known }) => known).join(', ')} orders).`,
    );
  },
  patience,
);

it(
  'a restored backup is served, and no file is overwritten without consent',
  async () => {
    const { database, token } = await newShop('sqlite');
    const folder = await newFolder();
    const file = join(folder, 'a.sqlite');
    const run = async (...words: string[]) => {
      const { code, output } = await cli(database, ['db', ...words]);
      return [code, output.trim()] as const;
    };
    const { service, http } = await startProcess(database);
    expect((await order(http, token, 'before')).status).toBe(201);
    expect(await run('backup', file)).toEqual([0, expect.stringContaining('verified: 1 orders')]);
    expect(await run('verify', file)).toEqual([0, expect.stringContaining('is intact: 1 orders')]);
    expect(await run('backup', file)).toEqual([1, expect.stringContaining('already')]);
    expect((await order(http, token, 'after')).status).toBe(201);
    expect(await run('restore', file)).toEqual([1, expect.stringContaining('--replace')]);
    expect(await run('restore', file, '--replace')).toEqual([
      1,
      expect.stringContaining('is in use. Stop the service first.'),
    ]);
    http.close();
    await service.stop();

    const damaged = join(folder, 'damaged.sqlite');
    await writeFile(damaged, 'no database');
    expect(await run('restore', damaged, '--replace')).toEqual([
      1,
      expect.stringMatching(/damaged/),
    ]);
    expect(await run('verify', damaged)).toEqual([1, expect.stringMatching(/damaged/)]);
    expect(await run('restore', file, '--replace')).toEqual([
      0,
      expect.stringContaining('is kept as'),
    ]);

    const again = await startProcess(database);
    expect([...(await new Ledger(database).counts('')).keys()]).toEqual(['before']);
    expect((await order(again.http, token, 'again')).status).toBe(201);
    again.http.close();
    await again.service.stop();
    const kept = (await readdir(join(database.sqliteFile, '..'))).filter((name) =>
      /\.before-\d{8}T\d{6}Z$/.test(name),
    );
    expect(kept).toHaveLength(1);
    const old = { sqliteFile: join(database.sqliteFile, '..', kept[0]!), databaseUrl: null };
    expect([...(await new Ledger(old).counts('')).keys()].sort()).toEqual(['after', 'before']);
  },
  patience,
);

it('each restore keeps the replaced database, even twice in a row', async () => {
  const { database } = await newShop('sqlite');
  const file = join(await newFolder(), 'a.sqlite');
  backUp(database.sqliteFile, file);
  const options = { replace: true, at: new Date() };
  const kept = [1, 2, 3].map(() => restore(file, database.sqliteFile, options).kept!);
  expect(new Set(kept).size).toBe(3);
  for (const one of kept) expect(verify(one)).toMatchObject({ orders: 0 });
});

it('backup and restore refuse PostgreSQL, and name its own tools', async () => {
  const database = { sqliteFile: '', databaseUrl: 'postgres://nobody@127.0.0.1:1/none' };
  const { code, output } = await cli(database, ['db', 'backup', 'x.sqlite']);
  expect([code, output]).toEqual([1, expect.stringContaining('pg_dump')]);
});
