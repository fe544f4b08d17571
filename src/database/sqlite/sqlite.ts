import type { Database } from 'better-sqlite3';
import { setTimeout as sleep } from 'node:timers/promises';
import type { DataSource, QueryRunner } from 'typeorm';
import { isBusy } from '../errors.js';
import { tooLate } from '../engine/engine.js';

/** Before this release two processes could corrupt a WAL file (https://www.sqlite.org/wal.html). */
const OLDEST_SQLITE = [3, 51, 3];

/** Milliseconds for which SQLite waits for another process's lock while the database is opened. */
export const OPENING_TIMEOUT = 5_000;

/**
 * The same, later on. It blocks this process, which has look-ups to answer: longer waiting is done by
 * `onceFree`, which blocks nobody.
 */
const BUSY_TIMEOUT = 10;

/** Milliseconds between two attempts to get the write lock, which another process has. */
const BUSY_PAUSE = 20;

/**
 * Pages of the log of writes (WAL) after which a commit brings them into the database itself, and
 * waits for the disk. In the service a thread of its own does it, long before.
 */
const CHECKPOINT = 16_000;

/** What each setting must be, as SQLite reports it. */
const settingsOf = ({ durable = true, patience = BUSY_TIMEOUT }) => ({
  journal_mode: 'wal',
  synchronous: durable ? 2 : 1, // FULL: a commit is on disk when it returns; NORMAL
  foreign_keys: 1,
  wal_autocheckpoint: CHECKPOINT,
  busy_timeout: patience,
});

/**
 * Makes every setting and reads it back. @throws where one did not stick
 * @param options whether a commit waits for the disk, and the milliseconds for which the connection
 * itself waits for a lock
 */
export function prepareSqlite(
  database: Database,
  options: { readonly durable?: boolean; readonly patience?: number } = {},
): void {
  const { version } = database.prepare('SELECT sqlite_version() AS version').get() as {
    version: string;
  };
  if (isOlder(version.split('.').map(Number), OLDEST_SQLITE)) {
    throw new Error(`SQLite ${version} is too old: ${OLDEST_SQLITE.join('.')} or newer is needed.`);
  }
  for (const [name, value] of Object.entries(settingsOf(options))) {
    database.pragma(`${name} = ${value}`);
    const actual = database.pragma(name, { simple: true });
    if (actual !== value) {
      throw new Error(`SQLite keeps ${name} at ${String(actual)}, but ${value} is needed.`);
    }
  }
}

/**
 * Waits, without blocking this process, while another has the write lock.
 * @param begin takes the lock, or fails
 * @throws what `begin` throws: at once where that is something else, and when the time is over
 */
export async function onceFree(begin: () => unknown, until: number): Promise<void> {
  for (;;) {
    try {
      await begin();
      return;
    } catch (error) {
      if (!isBusy(error) || Date.now() > until) throw error;
      await sleep(BUSY_PAUSE);
    }
  }
}

function isOlder(version: readonly number[], than: readonly number[]): boolean {
  const difference = than.map((number, i) => (version[i] ?? 0) - number).find((d) => d !== 0);
  return (difference ?? 0) < 0;
}

/**
 * TypeORM writes numbers into the text of a statement for SQLite, so that nearly every statement is a
 * new one: SQLite prepares it anew, and those that are kept are pushed out. Here numbers are bound, as
 * the integers that the literals were.
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
 * IMMEDIATE takes the write lock first: a deferred transaction that has read and then wants to write
 * is refused at once, without waiting, when another process has written in between. Waits for the
 * lock without blocking this process, which goes on answering from memory.
 */
export async function beginImmediate(runner: QueryRunner, until: number): Promise<void> {
  try {
    await onceFree(() => runner.query('BEGIN IMMEDIATE'), until);
  } catch (error) {
    throw isBusy(error) ? tooLate(error) : error;
  }
}
