import Database from 'better-sqlite3';
import { AbstractLogger, type DataSource } from 'typeorm';
import type { EngineName } from '../../src/platform/database/engine/engine.js';

/** Rows in one statement. */
const ROWS = 500;
const TAG = '$rows$';

/** Keeps the statements of migrations that change the schema. */
export class SchemaStatements extends AbstractLogger {
  readonly all: string[] = [];

  override logQuery(query: string): void {
    if (/^(?:CREATE|ALTER|DROP|COMMENT)/i.test(query.trim())) this.all.push(query.trim());
  }

  protected writeLog(): void {
    // Only statements are kept.
  }
}

/** The tables of the database, by name. */
async function tablesOf(dataSource: DataSource): Promise<string[]> {
  const rows = await dataSource.query<{ name: string }[]>(
    `SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'public' ORDER BY 1`,
  );
  return rows.map(({ name }) => name);
}

/**
 * A PostgreSQL database as SQL, for any later version of the server: its schema by the statements of the migrations,
 * then its rows. `pg_dump` would have to be at least as new as the server.
 */
export async function dumpPostgres(
  dataSource: DataSource,
  schema: readonly string[],
): Promise<string> {
  const parts = [...schema.map((sql) => `${sql.replace(/;$/, '')};`)];
  // Foreign keys are checked by triggers, which are off meanwhile.
  parts.push('SET session_replication_role = replica;');
  for (const table of await tablesOf(dataSource)) {
    parts.push(`DELETE FROM "${table}";`);
    const rows = await dataSource.query<{ row: unknown }[]>(
      `SELECT row_to_json(t)::text AS row FROM "${table}" t ORDER BY t::text`,
    );
    for (let at = 0; at < rows.length; at += ROWS) {
      const list = rows.slice(at, at + ROWS).map(({ row }) => String(row));
      if (list.some((text) => text.includes(TAG))) throw new Error(`${table} has the text ${TAG}.`);
      parts.push(
        `INSERT INTO "${table}" SELECT * FROM json_populate_recordset(NULL::"${table}", ${TAG}[${list.join(',\n')}]${TAG});`,
      );
    }
  }
  const counters = await dataSource.query<{ sql: string }[]>(
    `SELECT format('SELECT setval(%L, (SELECT max(%I) FROM %I));', pg_get_serial_sequence(table_name, column_name), column_name, table_name) AS sql
     FROM information_schema.columns WHERE table_schema = 'public' AND pg_get_serial_sequence(table_name, column_name) IS NOT NULL`,
  );
  parts.push(...counters.map(({ sql }) => sql), 'SET session_replication_role = DEFAULT;');
  return `${parts.join('\n')}\n`;
}

/** Copies a SQLite database that no process uses, without what was deleted. */
export function copySqlite(file: string, target: string): void {
  const database = new Database(file, { fileMustExist: true });
  try {
    database.prepare('VACUUM INTO ?').run(target);
  } finally {
    database.close();
  }
}

export async function countRows(
  dataSource: DataSource,
  engine: EngineName,
): Promise<Record<string, number>> {
  const names =
    engine === 'postgres'
      ? await tablesOf(dataSource)
      : (
          await dataSource.query<{ name: string }[]>(
            `SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY 1`,
          )
        ).map(({ name }) => name);
  const counts: Record<string, number> = {};
  for (const name of names) {
    const [row] = await dataSource.query<{ count: number | string }[]>(
      `SELECT count(*) AS count FROM "${name}"`,
    );
    counts[name] = Number(row!.count);
  }
  return counts;
}
