import { setTimeout as sleep } from 'node:timers/promises';
import type { QueryRunner } from 'typeorm';

/**
 * Steps for tables with many rows, which hold no other writer for longer than a moment. A migration that uses them has
 * `transaction = false`. Each step can be repeated: a migration that was interrupted runs again from its start.
 */

/** Rows that one statement fills. On SQLite, other processes wait for it. */
const BATCH = 1_000;
/** Milliseconds between two batches, at least: a writer on SQLite tries again every 20 ms. */
const LEAST_PAUSE = 25;
/** Milliseconds that a change of a table waits for its lock on PostgreSQL. All other statements wait behind it. */
const LOCK_WAIT = 200;
/** Milliseconds between two attempts to get a lock, and to all of them. */
const RETRY_PAUSE = 500;
const PATIENCE = 600_000;
const SQLITE_PAUSE = 20;

export interface EngineTexts {
  readonly sqlite: string;
  readonly postgres: string;
}

const isPostgres = ({ dataSource }: QueryRunner) => dataSource.options.type === 'postgres';

/** @param type without a default, or with a constant one: the database then reads and writes no row */
export async function addColumn(
  runner: QueryRunner,
  table: string,
  column: string,
  type: string,
): Promise<void> {
  const sql = `ALTER TABLE "${table}" ADD COLUMN "${column}" ${type}`;
  if (await hasColumn(runner, table, column)) return;
  if (isPostgres(runner)) return alterQuickly(runner, sql);
  await whenFree(async () => void (await runner.query(sql)));
}

async function hasColumn(runner: QueryRunner, table: string, column: string): Promise<boolean> {
  const rows = (await runner.query(
    isPostgres(runner)
      ? `SELECT 1 FROM information_schema.columns WHERE table_schema = current_schema() AND table_name = '${table}' AND column_name = '${column}'`
      : `SELECT 1 FROM pragma_table_info('${table}') WHERE name = '${column}'`,
  )) as unknown[];
  return rows.length > 0;
}

/** Gives up a lock that it does not get soon, and tries again: whoever comes after would wait, too. */
async function alterQuickly(runner: QueryRunner, sql: string): Promise<void> {
  for (const until = performance.now() + PATIENCE; ;) {
    await runner.query('BEGIN');
    try {
      await runner.query(`SET LOCAL lock_timeout = ${LOCK_WAIT}`);
      await runner.query(sql);
      await runner.query('COMMIT');
      return;
    } catch (error) {
      await runner.query('ROLLBACK');
      const isLocked = codeOf(error) === '55P03';
      if (!isLocked || performance.now() > until) throw error;
      await sleep(RETRY_PAUSE);
    }
  }
}

/**
 * Fills a column of the rows in which it is NULL, in batches that commit one by one.
 * @param key the primary key, one column
 * @param value an expression of the row's other columns
 * @param report receives the number of rows that were looked at
 */
export async function fillColumn(
  runner: QueryRunner,
  { table, key, column, value }: FilledColumn,
  report?: (rows: number) => unknown,
): Promise<void> {
  const parameter = (n: number) => (isPostgres(runner) ? `$${n}` : '?');
  const set = `UPDATE "${table}" SET "${column}" = ${value} WHERE "${column}" IS NULL`;
  let last: unknown = null;
  for (let done = 0; ; done += BATCH) {
    const after = last === null ? '' : `WHERE "${key}" > ${parameter(1)}`;
    const [end] = (await runner.query(
      `SELECT "${key}" AS key FROM "${table}" ${after} ORDER BY "${key}" LIMIT 1 OFFSET ${BATCH - 1}`,
      last === null ? [] : [last],
    )) as { key: unknown }[];
    const [from, to] = [last, end?.key ?? null];
    const bounds = [
      ...(from === null ? [] : [[`"${key}" > `, from]]),
      ...(to === null ? [] : [[`"${key}" <= `, to]]),
    ];
    const where = bounds.map(([test], i) => ` AND ${test as string}${parameter(i + 1)}`).join('');
    const started = performance.now();
    await whenFree(async () => {
      await runner.query(
        set + where,
        bounds.map(([, bound]) => bound),
      );
    });
    report?.(done + BATCH);
    if (to === null) return;
    last = to;
    await sleep(Math.max(LEAST_PAUSE, performance.now() - started));
  }
}

export interface FilledColumn {
  readonly table: string;
  readonly key: string;
  readonly column: string;
  readonly value: string;
}

/**
 * Builds an index. PostgreSQL builds it beside the writers. SQLite cannot: its writers wait while it is built. See
 * docs/operate/upgrade.md for how long.
 * @param on the table and what is indexed, such as `"orders" ("state")`
 */
export async function addIndex(runner: QueryRunner, name: string, on: string): Promise<void> {
  if (isPostgres(runner)) {
    const broken = (await runner.query(
      `SELECT 1 FROM pg_index WHERE indexrelid = to_regclass('"${name}"') AND NOT indisvalid`,
    )) as unknown[];
    if (broken.length > 0) await runner.query(`DROP INDEX CONCURRENTLY "${name}"`);
    await runner.query(`CREATE INDEX CONCURRENTLY IF NOT EXISTS "${name}" ON ${on}`);
    return;
  }
  await whenFree(
    async () => void (await runner.query(`CREATE INDEX IF NOT EXISTS "${name}" ON ${on}`)),
  );
}

/** Waits for the write lock of another process on SQLite. */
async function whenFree(write: () => Promise<void>): Promise<void> {
  for (const until = performance.now() + PATIENCE; ;) {
    try {
      return await write();
    } catch (error) {
      const isBusy = codeOf(error)?.startsWith('SQLITE_BUSY');
      if (!isBusy || performance.now() > until) throw error;
      await sleep(SQLITE_PAUSE);
    }
  }
}

function codeOf(error: unknown): string | undefined {
  const { code, driverError } = error as { code?: string; driverError?: { code?: string } };
  return driverError?.code ?? code;
}
