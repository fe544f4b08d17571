import Database from 'better-sqlite3';
import pg from 'pg';
import type { DatabaseSettings } from './databases.js';

/** The contents of the database, read through a separate connection. */
export class Ledger {
  constructor(private readonly database: DatabaseSettings) {}

  async rows<T>(sql: string): Promise<T[]> {
    const [rows] = await this.answers<T>(sql);
    return rows ?? [];
  }

  /** The results of the statements, on one connection. */
  async answers<T>(...statements: string[]): Promise<T[][]> {
    const { databaseUrl, sqliteFile } = this.database;
    if (databaseUrl === null) {
      const file = new Database(sqliteFile, { readonly: true, timeout: 5_000 });
      try {
        return statements.map((sql) => file.prepare(sql).all() as T[]);
      } finally {
        file.close();
      }
    }
    const client = new pg.Client({ connectionString: databaseUrl });
    await client.connect();
    try {
      const answers: T[][] = [];
      for (const sql of statements) answers.push((await client.query(sql)).rows as T[]);
      return answers;
    } finally {
      await client.end();
    }
  }

  /** Number of orders for each client reference that starts with `prefix`. */
  async counts(prefix: string): Promise<ReadonlyMap<string, number>> {
    const rows = await this.rows<{ reference: string; count: number | string }>(
      `SELECT client_reference AS reference, count(*) AS count FROM orders WHERE client_reference LIKE '${prefix}%' GROUP BY client_reference`,
    );
    return new Map(rows.map(({ reference, count }) => [reference, Number(count)]));
  }

  async count(table: string): Promise<number> {
    const [row] = await this.rows<{ count: number | string }>(
      `SELECT count(*) AS count FROM ${table}`,
    );
    return Number(row?.count);
  }

  /** Rows of each kind for the orders; in a valid database all numbers are equal. */
  async received(): Promise<{ orders: number; entries: number; orphans: number }> {
    const [row] = await this.rows<Record<'orders' | 'entries' | 'orphans', number | string>>(
      `SELECT (SELECT count(*) FROM orders) AS orders,
        (SELECT count(*) FROM audit_entries WHERE subject_type = 'order' AND action = 'received') AS entries,
        (SELECT count(*) FROM idempotency_keys k WHERE NOT EXISTS (SELECT 1 FROM orders o WHERE o.id = k.subject_id)) AS orphans`,
    );
    return {
      orders: Number(row?.orders),
      entries: Number(row?.entries),
      orphans: Number(row?.orphans),
    };
  }

  /** SQLite's integrity errors; empty on PostgreSQL, which checks while reading. */
  async faults(): Promise<string[]> {
    if (this.database.databaseUrl !== null) return [];
    const rows = await this.rows<{ integrity_check: string }>('PRAGMA integrity_check');
    return rows.map((row) => row.integrity_check).filter((line) => line !== 'ok');
  }
}
