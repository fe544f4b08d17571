import { DataSource, MigrationExecutor, QueryRunner } from 'typeorm';
import { engineOf } from './engine/engine.js';
import { beginImmediate } from './sqlite/sqlite.js';

/** Advisory lock of migrations: any number, the same in every release. */
const LOCK = 7_265_533;

/** The first migration before release 0.3.0. Its tables cannot be migrated. */
const OLD_LAYOUT = 'InitialSchema1763700000000';

export class OldLayout extends Error {
  constructor() {
    super(
      'This database has the layout of a version before 0.3.0. It was not changed. Carry its data ' +
        'over as CHANGELOG.md describes ("Carry data over"), or name another database.',
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

/** Milliseconds to wait for the migrations of another process, on SQLite. */
const LONGEST_WAIT = 60_000;

/**
 * Runs pending migrations in one transaction and under a lock, because instances may start at the same
 * time. Returns their names.
 * @throws {OldLayout | ScheduledVersion} before anything is written
 */
export async function migrate(dataSource: DataSource): Promise<string[]> {
  const postgres = engineOf(dataSource) === 'postgres';
  const runner = dataSource.createQueryRunner();
  await runner.connect();
  try {
    await (postgres
      ? runner.query('BEGIN')
      : beginImmediate(runner, performance.now() + LONGEST_WAIT));
    try {
      if (await hasOldLayout(runner)) throw new OldLayout();
      if (await hasScheduledVersion(runner)) throw new ScheduledVersion();
      if (postgres) await runner.query('SELECT pg_advisory_xact_lock($1)', [LOCK]);
      const executor = new MigrationExecutor(dataSource, runner);
      executor.transaction = 'none';
      const done = await executor.executePendingMigrations();
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

/** Whether migrations have run on the database. */
export async function hasSchema(dataSource: DataSource): Promise<boolean> {
  const runner = dataSource.createQueryRunner();
  try {
    return await runner.hasTable('migrations');
  } finally {
    await runner.release();
  }
}

async function hasOldLayout(runner: QueryRunner): Promise<boolean> {
  if (!(await runner.hasTable('migrations'))) return false;
  const rows = (await runner.query(
    `SELECT 1 FROM migrations WHERE name = '${OLD_LAYOUT}'`,
  )) as unknown[];
  return rows.length > 0;
}

async function hasScheduledVersion(runner: QueryRunner): Promise<boolean> {
  if (!(await runner.hasTable('catalogue_versions'))) return false;
  const rows = (await runner.query(
    `SELECT 1 FROM catalogue_versions WHERE state = 'scheduled'`,
  )) as unknown[];
  return rows.length > 0;
}
