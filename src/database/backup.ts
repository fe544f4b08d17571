import Database from 'better-sqlite3';
import { copyFileSync, existsSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { Refused } from '../problems/refused.js';
import { nameOnce, sync } from './sqlite/sqlite-file.js';

/** Pages of one step: 4 MB. Between two steps the progress is told. */
const STEP = 1_000;

export interface Progress {
  (done: number, pages: number): void;
}

/** What is in a sound database. */
export interface Contents {
  readonly orders: number;
  readonly checks: number;
  /** When the latest order was received; null where there is none. */
  readonly latestOrderAt: Date | null;
  /** The latest migration. */
  readonly schema: string;
  readonly bytes: number;
}

/**
 * Copies a database that is in use as it stands at this moment: every order that was acknowledged
 * before is in the copy. The copy is verified, and only then gets its name.
 * @throws {Refused} where there is a file of that name
 */
export async function backUp(file: string, target: string, tell: Progress): Promise<Contents> {
  refuseExisting(target);
  if (!existsSync(file)) throw new Refused(`There is no database ${file}.`);
  const draft = `${target}.part-${process.pid}`;
  try {
    await copyOnline(file, draft, tell);
    const contents = verify(draft);
    sync(draft);
    if (!nameOnce(draft, target)) refuseExisting(target);
    sync(dirname(target));
    return contents;
  } finally {
    removeDatabase(draft);
  }
}

async function copyOnline(file: string, draft: string, tell: Progress): Promise<void> {
  const source = new Database(file, { fileMustExist: true, timeout: 5_000 });
  try {
    // An open read transaction holds the state of this moment. Without it the copying would begin
    // anew with every write of the service, and under load never end.
    source.exec('BEGIN');
    source.prepare('SELECT count(*) FROM sqlite_schema').get();
    await source.backup(draft, {
      progress: ({ totalPages, remainingPages }) => {
        tell(totalPages - remainingPages, totalPages);
        return STEP;
      },
    });
    source.exec('COMMIT');
  } finally {
    source.close();
  }
  // One file, which can be read from a medium that cannot be written.
  const copy = new Database(draft);
  copy.pragma('journal_mode = delete');
  copy.close();
}

/**
 * Reads every page, index and reference.
 * @throws {Refused} with the faults
 */
export function verify(file: string): Contents {
  if (!existsSync(file)) throw new Refused(`There is no file ${file}.`);
  let database: Database.Database | undefined;
  try {
    database = new Database(file, { readonly: true, fileMustExist: true });
    const faults = (database.pragma('integrity_check(10)') as { integrity_check: string }[])
      .map((row) => row.integrity_check)
      .filter((line) => line !== 'ok');
    const dangling = (database.pragma('foreign_key_check') as { table: string }[]).map(
      ({ table }) => `a row of ${table} refers to one that is missing`,
    );
    const all = [...faults, ...dangling.slice(0, 10)];
    if (all.length > 0) throw new Refused(`${file} is damaged:\n${all.join('\n')}`);
    return contentsOf(database, statSync(file).size);
  } catch (error) {
    if (error instanceof Refused) throw error;
    throw new Refused(`${file} is not a database of this service, or damaged: ${String(error)}`);
  } finally {
    database?.close();
  }
}

function contentsOf(database: Database.Database, bytes: number): Contents {
  const row = database
    .prepare(
      `SELECT (SELECT count(*) FROM orders) AS orders, (SELECT count(*) FROM checks) AS checks,
        (SELECT max(received_at) FROM orders) AS latest,
        (SELECT name FROM migrations ORDER BY timestamp DESC LIMIT 1) AS schema`,
    )
    .get() as { orders: number; checks: number; latest: number | null; schema: string };
  const { orders, checks, latest, schema } = row;
  return {
    orders,
    checks,
    latestOrderAt: latest === null ? null : new Date(latest),
    schema,
    bytes,
  };
}

/**
 * Puts a verified copy of the backup in the place of the database; what was there is kept beside it.
 * @returns the name under which it was kept, or null where nothing was there
 * @throws {Refused} where the database is in use, or is there and `replace` is not set
 */
export function restore(
  backup: string,
  file: string,
  { replace, at }: { readonly replace: boolean; readonly at: Date },
): { readonly contents: Contents; readonly kept: string | null } {
  verify(backup);
  const isThere = isDatabase(file);
  if (isThere && !replace) {
    throw new Refused(`There is a database ${file}. With --replace it is kept under another name.`);
  }
  refuseUsed(file);
  const draft = `${file}.restored-${process.pid}`;
  try {
    copyFileSync(backup, draft);
    const contents = verify(draft);
    sync(draft);
    const kept = isThere ? keepAside(file, at) : null;
    renameSync(draft, file);
    sync(dirname(file));
    return { contents, kept };
  } finally {
    removeDatabase(draft);
  }
}

/** SQLite leaves WAL mode only for somebody who has the database for himself. */
function refuseUsed(file: string): void {
  if (!existsSync(file)) return;
  let database: Database.Database | undefined;
  try {
    database = new Database(file, { fileMustExist: true, timeout: 0 });
    database.pragma('journal_mode = delete');
  } catch (error) {
    if (String((error as { code?: unknown }).code).startsWith('SQLITE_BUSY')) {
      throw new Refused(`${file} is in use. Stop the service first.`);
    }
    // It is damaged, which is why somebody restores.
  } finally {
    database?.close();
  }
}

function keepAside(file: string, at: Date): string {
  const name = `${file}.before-${at.toISOString().replaceAll(/[-:]|\.\d+/g, '')}`;
  let kept = name;
  for (let n = 2; isDatabase(kept); n += 1) kept = `${name}-${n}`;
  for (const suffix of ['-wal', '-shm', '']) {
    if (existsSync(file + suffix)) renameSync(file + suffix, kept + suffix);
  }
  return kept;
}

/** A database that was not closed may be no more than its log so far. */
function isDatabase(file: string): boolean {
  return ['', '-wal'].some((suffix) => existsSync(file + suffix));
}

function refuseExisting(file: string): void {
  if (existsSync(file)) throw new Refused(`There is a file ${file} already; nothing was changed.`);
}

function removeDatabase(file: string): void {
  for (const suffix of ['', '-wal', '-shm', '-journal']) rmSync(file + suffix, { force: true });
}
