import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import Database from 'better-sqlite3';
import fc from 'fast-check';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import '../../../../test/support/seed.js';
import { findWalDamage } from './wal-damage.js';

const HEADER = 32;
/** The smallest that there is. */
const PAGE = 512;
const FRAME = 24 + PAGE;
const COMMITS = 12;

describe('the write-ahead log of SQLite', () => {
  let folder: string;
  let file: string;
  let wal: string;
  let database: Database.Database;
  let whole: Buffer;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'wal-'));
    file = join(folder, 'live.sqlite');
    wal = join(folder, 'copy.sqlite-wal');
    database = new Database(file);
    database.pragma(`page_size = ${PAGE}`);
    database.pragma('journal_mode = wal');
    database.pragma('wal_autocheckpoint = 0');
    database.pragma('cache_size = 10');
    database.exec('CREATE TABLE rows (id INTEGER PRIMARY KEY, value TEXT)');
    database.pragma('wal_checkpoint(TRUNCATE)');
    for (let n = 0; n < COMMITS; n += 1) commit(3);
  });

  afterEach(() => {
    database.close();
    rmSync(folder, { recursive: true, force: true });
  });

  function commit(pages: number, end = 'COMMIT'): void {
    database.exec('BEGIN');
    for (let i = 0; i < pages; i += 1) {
      database.prepare('INSERT INTO rows (value) VALUES (?)').run('x'.repeat(400));
    }
    database.exec(end);
    whole = readFileSync(`${file}-wal`);
  }

  /** Looks at this content of the log. */
  const look = (bytes: Uint8Array) => {
    writeFileSync(wal, bytes);
    return findWalDamage(wal);
  };

  /** The rows that SQLite itself finds with this log. */
  const rowsWith = (bytes: Uint8Array): number => {
    const copy = join(folder, 'copy.sqlite');
    copyFileSync(file, copy);
    rmSync(`${copy}-shm`, { force: true });
    writeFileSync(wal, bytes);
    const opened = new Database(copy);
    try {
      return opened.prepare('SELECT COUNT(*) FROM rows').pluck().get() as number;
    } finally {
      opened.close();
    }
  };

  const changedAt = (at: number, length = 1) => {
    const bytes = Buffer.from(whole);
    for (let i = at; i < at + length; i += 1) bytes[i]! ^= 0x5a;
    return bytes;
  };

  const framesOf = (bytes: Buffer) => (bytes.length - HEADER) / FRAME;
  const isCommit = (frame: number) => whole.readUInt32BE(HEADER + frame * FRAME + 4) !== 0;

  it('is healthy as it is', () => {
    expect(look(whole)).toBeNull();
    expect(rowsWith(whole)).toBe(COMMITS * 3);
  });

  it('is healthy where there is none, and where it is empty', () => {
    expect(findWalDamage(join(folder, 'none-wal'))).toBeNull();
    expect(look(Buffer.alloc(0))).toBeNull();
  });

  it('is damaged at any byte of its header that has a meaning', () => {
    for (let at = 0; at < HEADER; at += 1) {
      expect({ at, damage: look(changedAt(at))?.at }).toEqual({ at, damage: 0 });
    }
    expect(rowsWith(changedAt(20))).toBe(0);
  });

  it('is damaged at a place of each frame, up to the last two transactions', () => {
    const last = Array.from({ length: framesOf(whole) }, (_, n) => n)
      .filter(isCommit)
      .at(-2)!;
    const places = [0, 4, 8, 16, 24, FRAME - 1];
    for (let frame = 0; frame < last; frame += 1) {
      // In turn, so that each place is looked at in several frames.
      const place = places[frame % places.length]!;
      const at = HEADER + frame * FRAME;
      expect({ frame, place, at: look(changedAt(at + place))?.at }).toEqual({ frame, place, at });
    }
  });

  it('is damaged if 512 bytes of it are overwritten', () => {
    for (const part of [0, 0.25, 1 / 3, 0.5, 0.75]) {
      const bytes = changedAt(Math.floor((whole.length - 512) * part), 512);
      expect([part, look(bytes) !== null]).toEqual([part, true]);
      expect(rowsWith(bytes)).toBeLessThan(COMMITS * 3);
    }
  });

  it('has every commit before its damage once it is cut there', () => {
    const { at, reason } = look(changedAt(Math.floor(whole.length / 2)))!;
    expect(reason).toMatch(/^frame \d+ of \d+ is not valid, although later ones are$/);
    expect(look(whole.subarray(0, at))).toBeNull();
    expect(rowsWith(whole.subarray(0, at))).toBeGreaterThan(12);
  });

  it('is healthy with a torn tail of any length', () => {
    for (const length of fc.sample(fc.nat(whole.length), 60)) {
      const torn = whole.subarray(0, length);
      expect([torn.length, look(torn)]).toEqual([torn.length, null]);
    }
  });

  it('is healthy with a torn tail over the frames before it was started again', () => {
    const old = whole;
    database.pragma('wal_checkpoint(RESTART)');
    for (let n = 0; n < COMMITS / 2; n += 1) commit(3);
    expect(whole).toHaveLength(old.length);
    expect(look(whole)).toBeNull();
    const written = Array.from({ length: framesOf(whole) }, (_, n) => HEADER + n * FRAME).find(
      (at) => !whole.subarray(at + 8, at + 16).equals(whole.subarray(16, 24)),
    )!;
    for (const at of fc.sample(fc.integer({ min: HEADER, max: written }), 60)) {
      const torn = Buffer.concat([whole.subarray(0, at), old.subarray(at)]);
      expect([at, look(torn)]).toEqual([at, null]);
    }
    expect(look(changedAt(Math.floor(written / 2)))).not.toBeNull();
  });

  it('is healthy with what transactions left that were rolled back', () => {
    for (let n = 0; n < 10; n += 1) {
      commit(200, 'ROLLBACK');
      expect(look(whole)).toBeNull();
      commit(2);
      expect(look(whole)).toBeNull();
    }
  });

  it('is healthy without some blocks of its last transaction, which a power failure may leave out', () => {
    const first = framesOf(whole);
    commit(50);
    for (let frame = first; frame < framesOf(whole); frame += 1) {
      expect([frame, look(changedAt(HEADER + frame * FRAME, FRAME))]).toEqual([frame, null]);
    }
  });
});
