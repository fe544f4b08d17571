import Database from 'better-sqlite3';
import { parentPort, workerData } from 'node:worker_threads';
import { insertSql } from './insert-sql.js';
import { prepareSqlite } from './sqlite.js';

/** What SQLite can bind. */
export type SqlValue = string | number | null;

/** Rows to insert, or what else is wished for. Values lie one row after the other, as a JSON array. */
export type WriterRequest =
  | 'checkpoint'
  | 'close'
  | { readonly table: string; readonly columns: readonly string[]; readonly values: string };

export interface WriterResponse {
  readonly error: { readonly message: string; readonly code: string | undefined } | null;
}

/** KiB. Random keys touch a page each; with less memory than their index has, each is read first. */
const CACHE = 16_384;
/** Milliseconds to wait for another process's write lock: it blocks this thread only. */
const PATIENCE = 500;
/** Pages of the WAL. Each checkpoint writes a page once, however often it has changed since the last. */
const CHECKPOINT = 8_000;
/** Rows of one statement: cheaper than one each by a quarter. */
const TOGETHER = 50;

const database = new Database(workerData as string, { timeout: PATIENCE });
prepareSqlite(database, PATIENCE);
database.pragma(`cache_size = ${-CACHE}`);
database.pragma(`wal_autocheckpoint = ${CHECKPOINT}`);
const statements = new Map<string, Database.Statement>();

function insert({ table, columns, values: json }: Exclude<WriterRequest, string>): void {
  const values = JSON.parse(json) as SqlValue[];
  const { length } = columns;
  database.exec('BEGIN IMMEDIATE');
  try {
    let at = 0;
    for (const rows of [TOGETHER, 1]) {
      const statement = statementFor(table, columns, rows);
      for (; at + rows * length <= values.length; at += rows * length) {
        statement.run(values.slice(at, at + rows * length));
      }
    }
    database.exec('COMMIT');
  } catch (error) {
    if (database.inTransaction) database.exec('ROLLBACK');
    throw error;
  }
}

function statementFor(table: string, columns: readonly string[], rows: number) {
  const key = `${table} ${rows}`;
  const known = statements.get(key);
  if (known) return known;
  const statement = database.prepare(insertSql(table, columns, rows, () => '?'));
  statements.set(key, statement);
  return statement;
}

parentPort!.on('message', (request: WriterRequest) => {
  let response: WriterResponse = { error: null };
  try {
    if (request === 'close') database.close();
    else if (request === 'checkpoint') database.pragma('wal_checkpoint(PASSIVE)');
    else insert(request);
  } catch (error) {
    const { message, code } = error as NodeJS.ErrnoException;
    response = { error: { message, code } };
  }
  parentPort!.postMessage(response);
});
