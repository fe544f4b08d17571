import Database from 'better-sqlite3';
import type { RowInsert } from '../engine/engine.js';
import { insertSql } from '../engine/insert-sql.js';
import { onceFree, prepareSqlite } from './sqlite.js';

/** KiB. Small, because rows are appended to a few indexes. */
const CACHE = 4_096;
/** Rows per statement: few sizes, so that each is prepared once. */
const SIZES = [32, 4, 1];
/** Milliseconds to wait for another process's write lock. */
const PATIENCE = 500;

/**
 * A second connection, for rows of which a power failure may lose the last: its commits do not wait for
 * the disk. The file stays valid, and a flush of the other connection includes earlier commits of this.
 */
export class SqliteRows {
  private database: Database.Database | undefined;
  private readonly statements = new Map<string, Database.Statement>();

  constructor(private readonly file: string) {}

  /** In one transaction. */
  async insert(inserts: readonly RowInsert[]): Promise<void> {
    const database = (this.database ??= this.open());
    await onceFree(() => this.run('BEGIN IMMEDIATE'), performance.now() + PATIENCE);
    try {
      for (const insert of inserts) this.insertInto(insert);
      this.run('COMMIT');
    } catch (error) {
      if (database.inTransaction) this.run('ROLLBACK');
      throw error;
    }
  }

  close(): void {
    this.database?.close();
    this.database = undefined;
    this.statements.clear();
  }

  private open(): Database.Database {
    const database = new Database(this.file, { fileMustExist: true });
    prepareSqlite(database, { durable: false, patience: 0 });
    database.pragma(`cache_size = ${-CACHE}`);
    return database;
  }

  private insertInto({ table, columns, values }: RowInsert): void {
    let at = 0;
    for (const size of SIZES) {
      const length = size * columns.length;
      const statement = this.statement(`${table} ${size}`, () =>
        insertSql(table, columns, size, 'fails'),
      );
      for (; at + length <= values.length; at += length) {
        statement.run(values.slice(at, at + length));
      }
    }
  }

  private run(sql: string): void {
    this.statement(sql, () => sql).run();
  }

  /** @param text called once for each key */
  private statement(key: string, text: () => string): Database.Statement {
    let statement = this.statements.get(key);
    if (!statement) this.statements.set(key, (statement = this.database!.prepare(text())));
    return statement;
  }
}
