import { DataSource, MigrationExecutor } from 'typeorm';
import { engineOf } from './engine/engine.js';
import { beginImmediate } from './sqlite/sqlite.js';

/** Any number, the same in every release: who holds it migrates. */
const LOCK = 7_265_533;

/** Milliseconds for which the migrations of another process are waited for, on SQLite. */
const LONGEST_WAIT = 60_000;

/**
 * Runs the migrations that this database lacks, in one transaction and under a lock, so that
 * instances which start together run each of them once. Returns their names.
 */
export async function migrate(dataSource: DataSource): Promise<string[]> {
  const postgres = engineOf(dataSource) === 'postgres';
  const runner = dataSource.createQueryRunner();
  await runner.connect();
  try {
    await (postgres ? runner.query('BEGIN') : beginImmediate(runner, Date.now() + LONGEST_WAIT));
    try {
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
