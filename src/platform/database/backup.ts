import Database from 'better-sqlite3';
import {
  accessSync,
  constants,
  copyFileSync,
  existsSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { Refused } from '../problems/refused.js';
import { knownState, SCHEMA_QUERY, type SchemaRow } from './schema-state.js';
import { accessFault, likeOwner, nameOnce, sync } from './sqlite/sqlite-file.js';

/** Summary of a valid database. */
export interface Contents {
  readonly orders: number;
  readonly checks: number;
  readonly latestOrderAt: Date | null;
  /** Name of the latest migration. */
  readonly schema: string;
  readonly bytes: number;
}

/**
 * Copies a database in use. The copy contains every order that was acknowledged before, and gets its
 * name only after it is verified.
 * @throws {Refused} if a file of that name exists
 */
export function backUp(file: string, target: string): Contents {
  refuseExisting(target);
  if (!existsSync(file)) throw new Refused(`There is no database ${file}.`);
  refuseFolder(dirname(target));
  const draft = `${target}.part-${process.pid}`;
  try {
    copyOnline(file, draft);
    const contents = verify(draft);
    likeOwner(draft, statSync(file));
    sync(draft);
    if (!nameOnce(draft, target)) refuseExisting(target);
    sync(dirname(target));
    return contents;
  } finally {
    removeDatabase(draft);
  }
}

/** Copies what is in use, and nothing of what was deleted. Writers go on meanwhile. */
function copyOnline(file: string, draft: string): void {
  const source = new Database(file, { fileMustExist: true, timeout: 5_000 });
  try {
    refuseForeign(source, file);
    source.prepare('VACUUM INTO ?').run(draft);
  } finally {
    source.close();
  }
}

/**
 * Checks every page, index and reference.
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
    refuseForeign(database, file);
    return contentsOf(database, statSync(file).size);
  } catch (error) {
    if (error instanceof Refused) throw error;
    throw new Refused(`${file} is not a database of this service, or damaged: ${String(error)}`);
  } finally {
    database?.close();
  }
}

/** @throws {ForeignSchema} */
function refuseForeign(database: Database.Database, file: string): void {
  const has = (sql: string) => database.prepare(sql).get() !== undefined;
  if (!has(`SELECT 1 FROM sqlite_schema WHERE name = 'migrations'`)) return;
  const hasMark = has(`SELECT 1 FROM pragma_table_info('revisions') WHERE name = 'mark'`);
  const row = hasMark ? database.prepare(SCHEMA_QUERY).get() : undefined;
  const done = database.prepare('SELECT name FROM migrations').all() as { name: string }[];
  knownState(row as SchemaRow | undefined, done, 'sqlite', `The database ${file}`);
}

function contentsOf(database: Database.Database, bytes: number): Contents {
  const row = database
    .prepare(
      `SELECT (SELECT count(*) FROM orders) AS orders, (SELECT count(*) FROM checks) AS checks,
        (SELECT max(received_at) FROM orders) AS latest,
        (SELECT name FROM migrations ORDER BY timestamp DESC LIMIT 1) AS schema`,
    )
    .get() as { orders: number; checks: number; latest: number | null; schema: string };
  const { latest, ...counted } = row;
  return { ...counted, latestOrderAt: latest === null ? null : new Date(latest), bytes };
}

/**
 * Replaces the database with a verified copy of the backup, and keeps the old one under another name.
 * @returns that name, or null if there was no database
 * @throws {Refused} if the database is in use, or exists and `replace` is not set
 */
export function restore(
  backup: string,
  file: string,
  { replace, at }: { readonly replace: boolean; readonly at: Date },
): { readonly contents: Contents; readonly kept: string | null } {
  verify(backup);
  const isThere = isDatabase(file);
  if (isThere && !replace) {
    throw new Refused(`There is a database ${file}. Use --replace to keep it under another name.`);
  }
  refuseFolder(dirname(file));
  refuseUsed(file);
  const owner = isThere && existsSync(file) ? statSync(file) : ownerOfFolder(dirname(file));
  const draft = `${file}.restored-${process.pid}`;
  try {
    copyFileSync(backup, draft);
    const contents = verify(draft);
    likeOwner(draft, owner);
    sync(draft);
    const kept = isThere ? keepAside(file, at) : null;
    renameSync(draft, file);
    sync(dirname(file));
    return { contents, kept };
  } finally {
    removeDatabase(draft);
  }
}

/** SQLite can leave WAL mode only if no other connection has the database open. */
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
    // A damaged database may be replaced.
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

/** After a crash, all data of a new database may still be in its WAL. */
function isDatabase(file: string): boolean {
  return ['', '-wal'].some((suffix) => existsSync(file + suffix));
}

/** A database with the owner of its folder, for this owner only. */
function ownerOfFolder(folder: string): Stats {
  return Object.assign(statSync(folder), { mode: 0o600 });
}

function refuseFolder(folder: string): void {
  try {
    accessSync(folder, constants.W_OK | constants.X_OK);
  } catch (error) {
    const fault = accessFault(folder, error);
    throw new Refused(`The folder ${folder} cannot be written: ${fault} Nothing was changed.`);
  }
}

function refuseExisting(file: string): void {
  if (existsSync(file)) throw new Refused(`The file ${file} exists already. Nothing was changed.`);
}

function removeDatabase(file: string): void {
  for (const suffix of ['', '-wal', '-shm', '-journal']) rmSync(file + suffix, { force: true });
}
