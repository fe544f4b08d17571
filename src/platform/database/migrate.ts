import { createHash } from 'node:crypto';
import { Logger } from '@nestjs/common';
import { DataSource, MigrationExecutor, QueryRunner } from 'typeorm';
import { Refused } from '../problems/refused.js';
import { engineOf } from './engine/engine.js';
import {
  InitialSchema1764000000000,
  initialStatements,
} from './migrations/1764000000000-initial-schema.js';
import { beginImmediate } from './sqlite/sqlite.js';

/** Advisory lock of migrations: any number, the same in every release. */
const LOCK = 7_265_533;

/** A database of a development version: its tables cannot be migrated. */
export class OlderDatabase extends Refused {
  constructor(what = 'This database') {
    super(
      `${what} was created by a development version, whose tables are not those of this program. It was not changed. ` +
        'Carry its data over as CHANGELOG.md describes ("Carry data over"), or name another database.',
    );
  }
}

/** A version that would go live by itself; such versions are gone, and rows have dates instead. */
export class ScheduledVersion extends Error {
  constructor() {
    super(
      'A catalogue version is scheduled in this database. This program publishes at once, so it would never go ' +
        'live. The database was not changed. With the program that you had before, publish that version or withdraw ' +
        'it; then write the dates into the rows, as docs/admin.md describes ("A change on a day").',
    );
  }
}

const logger = new Logger('database');

/** Milliseconds to wait for the migrations of another process, on SQLite. */
const LONGEST_WAIT = 60_000;

/**
 * Runs pending migrations in one transaction and under a lock, because instances may start at the same
 * time. Returns their names.
 * @throws {OlderDatabase | ScheduledVersion} before anything is written
 */
export async function migrate(dataSource: DataSource): Promise<string[]> {
  const postgres = engineOf(dataSource) === 'postgres';
  const runner = dataSource.createQueryRunner();
  await runner.connect();
  try {
    await (postgres
      ? runner.query('BEGIN')
      : beginImmediate(runner, performance.now() + LONGEST_WAIT, () =>
          logger.warn('Waiting up to 60 s: another process is writing to the database.'),
        ));
    try {
      if (postgres) await lockMigrations(runner);
      await refuseOlder(runner);
      if (await hasScheduledVersion(runner)) throw new ScheduledVersion();
      const executor = new MigrationExecutor(dataSource, runner);
      executor.transaction = 'none';
      const done = await executor.executePendingMigrations();
      if (done.some(({ name }) => name === InitialSchema1764000000000.name)) {
        await runner.query(
          `INSERT INTO revisions (name, number, mark) VALUES ('schema', 0, '${await schemaMark(runner)}')`,
        );
      }
      await runner.query('COMMIT');
      return done.map(({ name }) => name);
    } catch (error) {
      await runner.query('ROLLBACK').catch(() => undefined);
      throw error;
    }
  } finally {
    await runner.release();
  }
}

async function lockMigrations(runner: QueryRunner): Promise<void> {
  const [row] = (await runner.query('SELECT pg_try_advisory_xact_lock($1) AS has', [LOCK])) as {
    has: boolean;
  }[];
  if (row!.has) return;
  logger.warn('Waiting for the migrations of another process.');
  await runner.query('SELECT pg_advisory_xact_lock($1)', [LOCK]);
}

/** Whether migrations have run on the database. @throws {OlderDatabase} */
export async function hasSchema(dataSource: DataSource): Promise<boolean> {
  const runner = dataSource.createQueryRunner();
  try {
    const hasTables = await runner.hasTable('migrations');
    await refuseOlder(runner);
    return hasTables;
  } finally {
    await runner.release();
  }
}

/** Of the statements of the first migration, as the revision `schema` keeps it. */
export async function schemaMark(runner: QueryRunner): Promise<string> {
  const statements = await initialStatements(runner);
  return createHash('sha256').update(JSON.stringify(statements)).digest('hex').slice(0, 32);
}

/** Selects `mark`, which is `schemaMark` unless another schema made the table. */
export const MARK_QUERY = `SELECT mark FROM revisions WHERE name = 'schema'`;

/** @throws {OlderDatabase} */
async function refuseOlder(runner: QueryRunner): Promise<void> {
  if (!(await runner.hasTable('migrations'))) return;
  if (!(await runner.hasColumn('revisions', 'mark'))) throw new OlderDatabase();
  const [row] = (await runner.query(MARK_QUERY)) as { mark: string | null }[];
  if (row?.mark !== (await schemaMark(runner))) throw new OlderDatabase();
}

async function hasScheduledVersion(runner: QueryRunner): Promise<boolean> {
  if (!(await runner.hasTable('catalogue_versions'))) return false;
  const rows = (await runner.query(
    `SELECT 1 FROM catalogue_versions WHERE state = 'scheduled'`,
  )) as unknown[];
  return rows.length > 0;
}
