import type { Database } from 'better-sqlite3';
import { setTimeout as sleep } from 'node:timers/promises';
import type { DataSource, QueryRunner } from 'typeorm';
import { isBusy } from '../engine/errors.js';
import { tooLate } from '../engine/engine.js';

/** Before this release two processes could corrupt a WAL file (https://www.sqlite.org/wal.html). */
const OLDEST_SQLITE = [3, 51, 3];

/** Milliseconds that SQLite waits for another process's lock while opening the database. */
export const OPENING_TIMEOUT = 5_000;

/** The same afterwards. Short, because it blocks this process; `onceFree` waits without blocking. */
const BUSY_TIMEOUT = 10;

/** Milliseconds between two attempts to get another process's write lock. */
const BUSY_PAUSE = 20;

/** The settings, as SQLite reports them. */
const settingsOf = (patience: number) => ({
  journal_mode: 'wal',
  synchronous: 2, // FULL: a commit is on disk when it returns
  foreign_keys: 1,
  secure_delete: 1, // what is deleted is overwritten
  wal_autocheckpoint: 1_000, // pages
  busy_timeout: patience,
});

/**
 * Applies every setting and reads it back. @throws if one has another value
 * @param patience how long (ms) the connection waits for a lock
 */
export function prepareSqlite(database: Database, patience = BUSY_TIMEOUT): void {
  const { version } = database.prepare('SELECT sqlite_version() AS version').get() as {
    version: string;
  };
  if (isOlder(version.split('.').map(Number), OLDEST_SQLITE)) {
    throw new Error(`SQLite ${version} is too old: ${OLDEST_SQLITE.join('.')} or newer is needed.`);
  }
  for (const [name, value] of Object.entries(settingsOf(patience))) {
    database.pragma(`${name} = ${value}`);
    const actual = database.pragma(name, { simple: true });
    if (actual !== value) {
      throw new Error(`SQLite keeps ${name} at ${String(actual)}, but ${value} is needed.`);
    }
  }
}

/**
 * Waits for another process's write lock without blocking this process.
 * @param begin takes the lock or throws
 * @param waits called once if it has to wait
 * @throws the error of `begin` if it is another one, or after `until`
 */
export async function onceFree(
  begin: () => unknown,
  until: number,
  waits?: () => unknown,
): Promise<void> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      await begin();
      return;
    } catch (error) {
      if (!isBusy(error) || performance.now() > until) throw error;
      if (attempt === 0) waits?.();
      await sleep(BUSY_PAUSE);
    }
  }
}

function isOlder(version: readonly number[], than: readonly number[]): boolean {
  const difference = than.map((number, i) => (version[i] ?? 0) - number).find((d) => d !== 0);
  return (difference ?? 0) < 0;
}

/**
 * TypeORM writes numbers as literals into SQLite statements, so almost every statement is prepared again.
 * This binds them as integers instead.
 */
export function bindIntegers({ driver }: DataSource): void {
  const written = driver.escapeQueryWithParameters.bind(driver);
  driver.escapeQueryWithParameters = (sql, parameters) => {
    const bound = Object.entries(parameters).map(([name, value]: [string, unknown]) => [
      name,
      Number.isSafeInteger(value) ? BigInt(value as number) : value,
    ]);
    return written(sql, Object.fromEntries(bound) as typeof parameters);
  };
}

/**
 * IMMEDIATE takes the write lock first: SQLite refuses a deferred transaction that writes after it has
 * read, if another process wrote in between. Waits for the lock without blocking this process.
 */
export async function beginImmediate(
  runner: QueryRunner,
  until: number,
  waits?: () => unknown,
): Promise<void> {
  try {
    await onceFree(() => runner.query('BEGIN IMMEDIATE'), until, waits);
  } catch (error) {
    throw isBusy(error) ? tooLate(error) : error;
  }
}
