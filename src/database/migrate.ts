import { DataSource, MigrationExecutor, QueryRunner } from 'typeorm';
import { engineOf } from './engine/engine.js';
import { beginImmediate } from './sqlite/sqlite.js';

/** Any number, the same in every release: who holds it migrates. */
const LOCK = 7_265_533;

/** The first migration of the layout before 0.3.0 was released; its tables cannot be migrated. */
const OLD_LAYOUT = 'InitialSchema1763700000000';

/** A database with the layout of a version before the first release. */
export class OldLayout extends Error {
  constructor() {
    super(
      'This database has the layout of a version before 0.3.0. It was not changed. Carry its data ' +
        'over as CHANGELOG.md describes ("Carry data over"), or name another database.',
    );
  }
}

/** Milliseconds for which the migrations of another process are waited for, on SQLite. */
const LONGEST_WAIT = 60_000;

/**
 * Runs the migrations that this database lacks, in one transaction and under a lock, so that
 * instances which start together run each of them once. Returns their names.
 * @throws {OldLayout} before anything is written
 */
export async function migrate(dataSource: DataSource): Promise<string[]> {
  const postgres = engineOf(dataSource) === 'postgres';
  const runner = dataSource.createQueryRunner();
  await runner.connect();
  try {
    await (postgres ? runner.query('BEGIN') : beginImmediate(runner, Date.now() + LONGEST_WAIT));
    try {
      if (await hasOldLayout(runner)) throw new OldLayout();
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

async function hasOldLayout(runner: QueryRunner): Promise<boolean> {
  if (!(await runner.hasTable('migrations'))) return false;
  const rows = (await runner.query(
    `SELECT 1 FROM migrations WHERE name = '${OLD_LAYOUT}'`,
  )) as unknown[];
  return rows.length > 0;
}
