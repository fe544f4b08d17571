import { setTimeout as sleep } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import type { DataSource, QueryRunner } from 'typeorm';
import { SECOND } from '../kernel/time.js';
import { type EngineName, engineOf } from './engine/engine.js';
import { isLockTimeout } from './engine/errors.js';
import { neededMigrations, type SchemaChange } from './migrations/releases.js';
import {
  knownState,
  SCHEMA_QUERY,
  type SchemaRow,
  type SchemaState,
  unknownMigrations,
} from './schema-state.js';
import { beginImmediate } from './sqlite/sqlite.js';

/** Advisory lock of migrations: any number, the same in every release. */
const LOCK = 7_265_533;
/** Milliseconds between two attempts to get it. */
const LOCK_PAUSE = 100;

const logger = new Logger('database');

/** Milliseconds to wait for the migrations of another process, on SQLite. */
const LONGEST_WAIT = 60_000;

/**
 * Runs pending migrations under a lock, because instances may start at the same time: each in a transaction, unless
 * it commits its steps one by one. Returns their names.
 * @throws {ForeignSchema} before anything is written
 */
export async function migrate(dataSource: DataSource): Promise<string[]> {
  const runner = dataSource.createQueryRunner();
  await runner.connect();
  try {
    return engineOf(dataSource) === 'postgres'
      ? await underLock(dataSource, () => migrateBy(runner, 'postgres'))
      : await migrateBy(runner, 'sqlite');
  } finally {
    await runner.release();
  }
}

/**
 * Holds the lock of migrations by a transaction of its own. It has no parameters, and asks again where it could wait: PostgreSQL
 * builds no index beside a transaction that keeps a snapshot.
 */
async function underLock<T>(dataSource: DataSource, work: () => Promise<T>): Promise<T> {
  const holder = dataSource.createQueryRunner();
  await holder.connect();
  const isLocked = async () => {
    const sql = `SELECT pg_try_advisory_xact_lock(${LOCK}) AS locked`;
    const [row] = (await holder.query(sql)) as { locked: boolean }[];
    return row!.locked;
  };
  try {
    await holder.query('BEGIN');
    for (let attempt = 0; !(await isLocked()); attempt += 1) {
      if (attempt === 0) logger.warn('Waiting for the migrations of another process.');
      await sleep(LOCK_PAUSE);
    }
    return await work();
  } finally {
    await holder.query('ROLLBACK').catch(() => undefined);
    await holder.release();
  }
}

async function migrateBy(runner: QueryRunner, engine: EngineName): Promise<string[]> {
  const ran: string[] = [];
  const state = await schemaState(runner);
  const later = unknownMigrations(state);
  if (later.length > 0) {
    logger.warn(
      `The next release has upgraded this database (${later.join(', ')}). This program works on it until you upgrade.`,
    );
  }
  for (const migration of runner.dataSource.migrations as readonly SchemaChange[]) {
    if (state?.done.has(migration.name)) continue;
    const isLong = migration.transaction === false;
    if (isLong) await runLong(migration, runner);
    const isFirst = await inTransaction(runner, engine, async () => {
      // On SQLite, another process may have been first.
      if ((await schemaState(runner))?.done.has(migration.name)) return false;
      if (!isLong) await migration.up(runner);
      const [time] = /\d+$/.exec(migration.name)!;
      await runner.query(
        `INSERT INTO "migrations" ("timestamp", "name") VALUES (${time}, '${migration.name}')`,
      );
      return true;
    });
    if (isFirst) ran.push(migration.name);
  }
  if (ran.length > 0) {
    await runner.query(
      `UPDATE revisions SET number = ${neededMigrations()} WHERE name = 'schema' AND number < ${neededMigrations()}`,
    );
  }
  return ran;
}

/**
 * On SQLite, another process may run it at the same time, and add a column between the question whether it is there and
 * the statement that adds it. It can be repeated, and finds that column then.
 */
async function runLong(migration: SchemaChange, runner: QueryRunner): Promise<void> {
  for (const until = performance.now() + LONGEST_WAIT; ;) {
    try {
      await migration.up(runner);
      return;
    } catch (error) {
      const isAdded = error instanceof Error && error.message.includes('duplicate column name');
      if (!isAdded || performance.now() > until) throw error;
    }
  }
}

/** A change of a table gives its lock up after a second, and tries again: all other statements wait behind it. */
async function inTransaction<T>(
  runner: QueryRunner,
  engine: EngineName,
  work: () => Promise<T>,
): Promise<T> {
  for (const until = performance.now() + LONGEST_WAIT; ;) {
    await (engine === 'postgres' ? runner.query('BEGIN') : beginImmediate(runner, until, waiting));
    try {
      if (engine === 'postgres') await runner.query(`SET LOCAL lock_timeout = ${SECOND}`);
      const result = await work();
      await runner.query('COMMIT');
      return result;
    } catch (error) {
      await runner.query('ROLLBACK').catch(() => undefined);
      if (!isLockTimeout(error) || performance.now() > until) throw error;
      await sleep(SECOND);
    }
  }
}

const waiting = () =>
  logger.warn('Waiting up to 60 s: another process is writing to the database.');

/** The schema of an open database; null before any migration has run. @throws {ForeignSchema} */
export async function schemaOf(dataSource: DataSource): Promise<SchemaState | null> {
  const runner = dataSource.createQueryRunner();
  try {
    return await schemaState(runner);
  } finally {
    await runner.release();
  }
}

async function schemaState(runner: QueryRunner): Promise<SchemaState | null> {
  if (!(await runner.hasTable('migrations'))) return null;
  const hasMark = await runner.hasColumn('revisions', 'mark');
  const [row] = (hasMark ? await runner.query(SCHEMA_QUERY) : []) as SchemaRow[];
  const done = (await runner.query('SELECT name FROM migrations')) as { name: string }[];
  return knownState(row, done, engineOf(runner.dataSource));
}
