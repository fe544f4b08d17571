import Database from 'better-sqlite3';
import {
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  statfsSync,
  statSync,
  chmodSync,
  chownSync,
  type Stats,
} from 'node:fs';
import { dirname } from 'node:path';
import { isBusy } from '../engine/errors.js';
import { OPENING_TIMEOUT } from './sqlite.js';
import { findWalDamage, type WalDamage } from './wal-damage.js';
import { userInfo } from 'node:os';

/** Why this user may not use the file or folder: who it is, and whose it is. Other errors as they are. */
export function accessFault(path: string, error: unknown): string {
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'ENOENT') return 'it does not exist.';
  if (code !== 'EACCES' && code !== 'EPERM') return `${String(error)}.`;
  return `this user, ${thisUser()}, may not use it. ${ownerOf(path)}`;
}

/** Such as `root (uid 0)`. */
function thisUser(): string {
  const { username, uid } = userInfo();
  return `${username} (uid ${uid})`;
}

/** A sentence; empty if that cannot be found out. */
function ownerOf(path: string): string {
  try {
    const { uid, mode } = statSync(path);
    return `It belongs to uid ${uid} and has the mode ${modeOf(mode)}.`;
  } catch {
    return '';
  }
}

/** Gives a file the owner and mode of another one. Only root can change an owner. */
export function likeOwner(file: string, { uid, gid, mode }: Stats): void {
  if (process.getuid?.() === 0) chownSync(file, uid, gid);
  chmodSync(file, mode & 0o777);
}

function modeOf(mode: number): string {
  return (mode & 0o777).toString(8).padStart(4, '0');
}

/** Bytes. Databases up to this size are checked completely when opened. */
const SMALL = 256 * 1024 * 1024;

const MAGIC = 'SQLite format 3\0';

const TO_A_BACKUP = 'To go back to a backup: npm run cli -- db restore <backup>';

/** The message says why and what to do, so it needs no stack. */
export class DatabaseUnusable extends Error {
  constructor(file: string, reason: string, wayOut = TO_A_BACKUP) {
    super(`The database ${file} cannot be used: ${reason} Nothing was changed. ${wayOut}`);
    this.name = 'DatabaseUnusable';
    this.stack = `${this.name}: ${this.message}`;
  }
}

/**
 * A SQLite database that is not opened if it is damaged. Creates a missing file, but not next to the log
 * of a lost database.
 */
export class SqliteFile extends Database {
  constructor(file: string, options: Database.Options) {
    const inMemory = file === ':memory:';
    if (!inMemory && !existsSync(file)) create(file);
    if (!inMemory) {
      refuseUnusable(file);
      refuseDamagedWal(file);
    }
    try {
      super(file, { ...options, fileMustExist: !inMemory });
      if (!inMemory) this.refuseDamage(file);
    } catch (error) {
      throw error instanceof DatabaseUnusable ? error : explain(file, error);
    }
  }

  /** @throws {DatabaseUnusable} if it cannot be read or written, or is damaged */
  private refuseDamage(file: string): void {
    try {
      // Reads the schema, and recovers a WAL after a crash.
      this.pragma('schema_version', { simple: true });
      if (statSync(file).size <= SMALL) {
        const [first] = this.pragma('quick_check(1)') as { quick_check: string }[];
        if (first?.quick_check !== 'ok') {
          throw new DatabaseUnusable(file, `it is damaged (${first?.quick_check}).`);
        }
      }
      // Writes nothing, but fails if the file is read-only. `migrate` waits for a lock, and says so.
      this.pragma('busy_timeout = 0');
      try {
        this.exec('BEGIN IMMEDIATE; ROLLBACK');
      } catch (error) {
        if (!isBusy(error)) throw error;
      }
      this.pragma(`busy_timeout = ${OPENING_TIMEOUT}`);
    } catch (error) {
      this.close();
      throw error;
    }
  }
}

/** Creates an empty database under another name, then renames it if there is still none. */
function create(file: string): void {
  for (const suffix of ['-wal', '-journal']) {
    if (!existsSync(file + suffix)) continue;
    throw new DatabaseUnusable(
      file,
      `it is missing, but ${file}${suffix} is there, which holds the last changes of a database that was here. Put the file back, or move ${file}${suffix} away to start with an empty database.`,
    );
  }
  const draft = `${file}.new-${process.pid}`;
  try {
    mkdirSync(dirname(file), { recursive: true });
    const database = new Database(draft);
    database.pragma('journal_mode = wal');
    database.close();
    sync(draft);
    nameOnce(draft, file);
    sync(dirname(file));
  } catch (error) {
    throw explain(file, error);
  } finally {
    for (const suffix of ['', '-wal', '-shm']) rmSync(draft + suffix, { force: true });
  }
}

/** Unlike a rename, a link never replaces a file that another process has just created. */
export function nameOnce(draft: string, file: string): boolean {
  try {
    linkSync(draft, file);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST' || existsSync(file)) return false;
    // Some file systems do not support links.
    renameSync(draft, file);
  }
  return true;
}

export function sync(path: string): void {
  const descriptor = openSync(path, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** SQLite treats an empty file as a new database, but here it is the rest of a lost one. */
function refuseUnusable(file: string): void {
  let start: string;
  try {
    if (!statSync(file).isFile()) throw new DatabaseUnusable(file, 'it is not a file.');
    const descriptor = openSync(file, 'r+');
    try {
      const bytes = Buffer.alloc(MAGIC.length);
      start = bytes.toString('latin1', 0, readSync(descriptor, bytes));
    } finally {
      closeSync(descriptor);
    }
  } catch (error) {
    throw error instanceof DatabaseUnusable ? error : explain(file, error);
  }
  if (start === '') throw new DatabaseUnusable(file, 'it is empty; a database never is.');
  if (start !== MAGIC) throw new DatabaseUnusable(file, 'it is not a SQLite database, or damaged.');
}

/** SQLite would drop what follows the damage, also orders that were acknowledged. */
function refuseDamagedWal(file: string): void {
  const wal = `${file}-wal`;
  let damage: WalDamage | null;
  try {
    damage = findWalDamage(wal);
  } catch (error) {
    throw explain(file, error);
  }
  if (!damage) return;
  const { at, reason } = damage;
  const without =
    at === 0
      ? `move ${wal} away`
      : `copy ${wal} to another place, then run: truncate -s ${at} ${wal}`;
  throw new DatabaseUnusable(
    file,
    `${wal}, which holds its last changes, is damaged: ${reason}. The changes after the damage would be lost, also orders that the service has acknowledged.`,
    `${TO_A_BACKUP}. To start without these changes: ${without}`,
  );
}

const reasons: Readonly<Record<string, string>> = {
  EROFS: 'its file system is read-only.',
  SQLITE_READONLY: 'it, or its folder, can be read but not written.',
  SQLITE_CANTOPEN: 'it, or its folder, may not be opened by this user.',
  SQLITE_NOTADB: 'it is not a SQLite database, or damaged.',
  SQLITE_CORRUPT: 'it is damaged.',
  SQLITE_IOERR: 'the disk reports an error.',
  SQLITE_BUSY: 'another process has locked it.',
};

/** The file, or its folder if it does not exist, may not be used. */
function faultOf(file: string, error: unknown): string {
  const path = existsSync(file) ? file : dirname(file);
  const what = path === file ? '' : `in the folder ${path}, `;
  return `${what}${accessFault(path, error)}`;
}

/** SQLite reports an input/output error when it has no room for the memory that its processes share (32 KiB). */
function isDiskFull(file: string, code: string): boolean {
  if (code === 'ENOSPC' || code === 'SQLITE_FULL') return true;
  if (!code.startsWith('SQLITE_IOERR')) return false;
  const { bavail, bsize } = statfsSync(dirname(file));
  return bavail * bsize < 64 * 1024;
}

function explain(file: string, error: unknown): DatabaseUnusable {
  const code = String((error as NodeJS.ErrnoException).code);
  if (code === 'EACCES' || code === 'EPERM') {
    const wayOut = 'Run it as the owner, or change the owner (chown).';
    return new DatabaseUnusable(file, faultOf(file, error), wayOut);
  }
  if (isDiskFull(file, code)) {
    const wayOut = 'Free some space, then start it again.';
    return new DatabaseUnusable(file, 'the disk is full.', wayOut);
  }
  const known = reasons[code] ?? reasons[code.split('_', 2).join('_')];
  return new DatabaseUnusable(file, known ?? `${String(error)}.`);
}

/** Milliseconds to wait for other processes that read or write. */
const PATIENCE = 5_000;

/**
 * Writes the log into the database and empties it: earlier contents of pages stay in it otherwise.
 * @returns whether it is empty; another process may use it all the time
 */
export function emptyLog(file: string): boolean {
  const database = new Database(file, { fileMustExist: true, timeout: PATIENCE });
  try {
    const [result] = database.pragma('wal_checkpoint(TRUNCATE)') as { busy: number }[];
    return result?.busy === 0;
  } finally {
    database.close();
  }
}
