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
  statSync,
} from 'node:fs';
import { dirname } from 'node:path';

/** Bytes up to which a database is read whole, and checked, when it is opened. */
const SMALL = 256 * 1024 * 1024;

const MAGIC = 'SQLite format 3\0';

/** The file cannot be used as it is. The message says why, and what to do; it needs no stack. */
export class DatabaseUnusable extends Error {
  constructor(file: string, reason: string) {
    super(
      `The database ${file} cannot be used: ${reason} Nothing was changed. To go back to a backup: npm run cli -- db restore <backup>`,
    );
    this.name = 'DatabaseUnusable';
    this.stack = `${this.name}: ${this.message}`;
  }
}

/**
 * A SQLite database that is either sound or not opened. Where there is no file at all it is made,
 * empty; but never beside what is left of another one, and never in the place of a damaged one.
 */
export class SqliteFile extends Database {
  constructor(file: string, options: Database.Options) {
    const inMemory = file === ':memory:';
    if (!inMemory && !existsSync(file)) create(file);
    if (!inMemory) refuseUnusable(file);
    try {
      super(file, { ...options, fileMustExist: !inMemory });
      if (!inMemory) this.refuseDamage(file);
    } catch (error) {
      throw error instanceof DatabaseUnusable ? error : explain(file, error);
    }
  }

  /** @throws {DatabaseUnusable} where it cannot be read or written, or is damaged */
  private refuseDamage(file: string): void {
    try {
      // Reads the schema; with a WAL left by a crash, this is where it is recovered.
      this.pragma('schema_version', { simple: true });
      if (statSync(file).size <= SMALL) {
        const [first] = this.pragma('quick_check(1)') as { quick_check: string }[];
        if (first?.quick_check !== 'ok') {
          throw new DatabaseUnusable(file, `it is damaged (${first?.quick_check}).`);
        }
      }
      // Writes nothing, but fails where nothing can be written.
      this.exec('BEGIN IMMEDIATE; ROLLBACK');
    } catch (error) {
      this.close();
      throw error;
    }
  }
}

/** Makes a whole empty database under another name, and gives it its own only where none is. */
function create(file: string): void {
  for (const suffix of ['-wal', '-journal']) {
    if (!existsSync(file + suffix)) continue;
    throw new DatabaseUnusable(
      file,
      `it is missing, but ${file}${suffix} is there, which holds the last changes of a database that was here. Put the file back, or move ${file}${suffix} away to begin with an empty database.`,
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

/** A link, unlike a renaming, never takes the place of a file that another process has just made. */
export function nameOnce(draft: string, file: string): boolean {
  try {
    linkSync(draft, file);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST' || existsSync(file)) return false;
    // Some file systems have no links.
    renameSync(draft, file);
  }
  return true;
}

/** Has what was written there put on the disk. */
export function sync(path: string): void {
  const descriptor = openSync(path, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** SQLite takes an empty file for a new database; here it is what is left of a lost one. */
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

const reasons: Readonly<Record<string, string>> = {
  EACCES: 'this user may not read and write it.',
  EPERM: 'this user may not read and write it.',
  EROFS: 'its file system is read-only.',
  ENOSPC: 'the disk is full.',
  SQLITE_READONLY: 'it, or its folder, can be read but not written.',
  SQLITE_CANTOPEN: 'it, or its folder, may not be opened by this user.',
  SQLITE_NOTADB: 'it is not a SQLite database, or damaged.',
  SQLITE_CORRUPT: 'it is damaged.',
  SQLITE_IOERR: 'the disk reports an error.',
  SQLITE_FULL: 'the disk is full.',
  SQLITE_BUSY: 'another process holds it for itself.',
};

function explain(file: string, error: unknown): DatabaseUnusable {
  const code = String((error as NodeJS.ErrnoException).code);
  const known = reasons[code] ?? reasons[code.split('_', 2).join('_')];
  return new DatabaseUnusable(file, known ?? `${String(error)}.`);
}
