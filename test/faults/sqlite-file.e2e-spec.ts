import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import Database from 'better-sqlite3';
import {
  chmod,
  chown,
  copyFile,
  mkdir,
  readdir,
  readFile,
  rm,
  truncate,
  writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';
import { newFolder } from '../support/closing.js';
import type { DatabaseSettings } from '../support/databases.js';
import { newShop } from '../support/orders.js';
import { startService } from '../support/service.js';
import { cli, refusedStart, startProcess } from '../support/service-process.js';

/** Root may read and write everything, so the service runs as another user. */
const isRoot = process.getuid?.() === 0;
const uid = isRoot ? 65_534 : undefined;
const asUser = uid === undefined ? {} : { uid };

async function inHere(database: DatabaseSettings): Promise<string> {
  const refused = await startService('sqlite', { database }).catch((error: unknown) => error);
  return String(refused);
}

async function asProcess(database: DatabaseSettings): Promise<string> {
  const { code, output } = await refusedStart(database, asUser);
  expect(code).toBe(1);
  expect(output).not.toMatch(/^\s+at /m); // no stack
  return output;
}

describe('a SQLite file that cannot be trusted', () => {
  let shop: DatabaseSettings;
  let folder: string;
  let file: string;

  beforeAll(async () => {
    ({ database: shop } = await newShop('sqlite'));
  });

  beforeEach(async () => {
    folder = await newFolder();
    await chmod(folder, 0o755);
    await mkdir(join(folder, 'data'));
    file = join(folder, 'data', 'shop.sqlite');
    await copyFile(shop.sqliteFile, file);
    if (uid !== undefined) {
      await chown(join(folder, 'data'), uid, uid);
      await chown(file, uid, uid);
    }
  });

  /** Starts the service and expects an unchanged folder. */
  async function refusal(start: (database: DatabaseSettings) => Promise<string> = inHere) {
    const before = await contents();
    const said = await start({ sqliteFile: file, databaseUrl: null });
    expect(said).toContain(`The database ${file} cannot be used: `);
    expect(said).toMatch(/db restore|change the owner/);
    expect(await contents()).toEqual(before);
    return said;
  }

  async function contents(): Promise<ReadonlyMap<string, string>> {
    const names = (await readdir(join(folder, 'data'))).sort();
    const read = (name: string) =>
      readFile(join(folder, 'data', name), 'latin1').catch(() => 'unreadable');
    return new Map(await Promise.all(names.map(async (name) => [name, await read(name)] as const)));
  }

  it('is refused if it is not a database', async () => {
    await writeFile(file, 'What is this?'.repeat(1_000));
    expect(await refusal()).toContain('it is not a SQLite database, or damaged.');
  });

  it('is refused if it is empty', async () => {
    await writeFile(file, '');
    expect(await refusal(asProcess)).toContain('it is empty; a database never is.');
  });

  it('is refused if pages are damaged', async () => {
    const bytes = await readFile(file);
    bytes.fill(0xa5, 4_096 * 3, 4_096 * 20);
    await writeFile(file, bytes);
    expect(await refusal()).toContain('damaged');
  });

  it('is refused if it is truncated', async () => {
    await writeFile(file, (await readFile(file)).subarray(0, 4_096 * 10));
    expect(await refusal()).toContain('damaged');
  });

  it('is refused if it is not readable', async () => {
    await chmod(file, 0o000);
    expect(await refusal(asProcess)).toMatch(
      /this user, nobody \(uid \d+\), may not use it. It belongs to uid/,
    );
  });

  it('is refused if it is not writable', async () => {
    await chmod(file, 0o444);
    expect(await refusal(asProcess)).toMatch(
      /this user, nobody \(uid \d+\), may not use it. It belongs to uid/,
    );
  });

  it('is refused if its folder is not writable', async () => {
    await chmod(join(folder, 'data'), 0o555);
    expect(await refusal(asProcess)).toMatch(/its folder/);
  });

  it('is refused if it is a folder', async () => {
    await rm(file);
    await mkdir(file);
    expect(await refusal()).toContain('it is not a file.');
  });

  it('is not created next to the WAL of a missing file', async () => {
    const database = new Database(file);
    database.exec(`INSERT INTO revisions (name, number) VALUES ('x', 1)`);
    const wal = await readFile(`${file}-wal`);
    database.close();
    await rm(file);
    await writeFile(`${file}-wal`, wal);
    if (uid !== undefined) await chown(`${file}-wal`, uid, uid);
    expect(await refusal()).toContain(`it is missing, but ${file}-wal is there`);
  });

  describe('with a damaged write-ahead log', () => {
    const HEADER = 32;
    const FRAME = 24 + 4_096;
    let wal: Buffer;

    /** Changes that were not copied into the database, as a crash leaves them. */
    beforeEach(async () => {
      const database = new Database(file);
      database.pragma('wal_autocheckpoint = 0');
      const insert = database.prepare('INSERT INTO revisions (name, number) VALUES (?, 1)');
      for (let n = 0; n < 40; n += 1) insert.run(`change ${n}`);
      wal = await readFile(`${file}-wal`);
      const bytes = await readFile(file);
      database.close();
      await writeFile(file, bytes);
      await put(wal);
    });

    async function put(bytes: Uint8Array): Promise<void> {
      await writeFile(`${file}-wal`, bytes);
      if (uid !== undefined) await chown(`${file}-wal`, uid, uid);
    }

    const changed = (at: number, length = 512) => {
      const bytes = Buffer.from(wal);
      bytes.fill(0xa5, at, at + length);
      return bytes;
    };

    const changesIn = () => {
      const database = new Database(file, { readonly: true });
      try {
        return database
          .prepare(`SELECT COUNT(*) FROM revisions WHERE name LIKE 'change %'`)
          .pluck()
          .get();
      } finally {
        database.close();
      }
    };

    it('is refused, and starts without the changes once the log is cut', async () => {
      await put(changed(Math.floor(wal.length / 2)));
      const said = await refusal(asProcess);
      expect(said).toMatch(
        /which holds its last changes, is damaged: frame \d+ of \d+ is not valid/,
      );
      const [, bytes] = new RegExp(`truncate -s (\\d+) ${file}-wal`).exec(said) ?? [];
      await truncate(`${file}-wal`, Number(bytes));
      const { service } = await startProcess({ sqliteFile: file, databaseUrl: null }, asUser);
      expect((await service.stop()).code).toBe(0);
      const kept = wal.subarray(0, Number(bytes));
      const frames = Array.from({ length: (kept.length - HEADER) / FRAME }, (_, n) => n);
      const isCommit = (frame: number) => kept.readUInt32BE(HEADER + frame * FRAME + 4) !== 0;
      expect(changesIn()).toBe(frames.filter(isCommit).length);
    });

    it('is refused if the header of the log is damaged', async () => {
      await put(changed(0, HEADER));
      const said = await refusal();
      expect(said).toContain('its header is not valid');
      expect(said).toContain(`move ${file}-wal away`);
    });

    it('is not refused if the end of the log is torn', async () => {
      await put(wal.subarray(0, wal.length - 2_000));
      const { service } = await startProcess({ sqliteFile: file, databaseUrl: null }, asUser);
      expect((await service.stop()).code).toBe(0);
      expect(changesIn()).toBe(39);
    });
  });

  it('is refused by the commands too', async () => {
    await writeFile(file, '');
    const words = ['clients', 'list'];
    const { code, output } = await cli({ sqliteFile: file, databaseUrl: null }, words, asUser);
    expect([code, output]).toEqual([1, expect.stringContaining('it is empty')]);
  });

  it('is created if there is no file at all', async () => {
    await rm(join(folder, 'data'), { recursive: true });
    await chmod(folder, 0o777);
    const { service } = await startProcess({ sqliteFile: file, databaseUrl: null }, asUser);
    expect((await service.stop()).code).toBe(0);
    expect(await readdir(join(folder, 'data'))).toEqual(['shop.sqlite']);
  });
});
