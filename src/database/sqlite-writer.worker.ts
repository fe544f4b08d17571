import Database from 'better-sqlite3';
import { parentPort, workerData } from 'node:worker_threads';
import { prepareSqlite } from './sqlite.js';

/** What SQLite can bind. */
export type SqlValue = string | number | null;

/** Rows to insert, or the wish to end. Values lie one row after the other, as a JSON array. */
export type WriterRequest =
  'close' | { readonly sql: string; readonly columns: number; readonly values: string };

export interface WriterResponse {
  readonly error: { readonly message: string; readonly code: string | undefined } | null;
}

/** KiB. Random keys touch a page each; with less memory than their index has, each is read first. */
const CACHE = 16_384;
/** Milliseconds to wait for another process's write lock: it blocks this thread only. */
const PATIENCE = 500;
/** Pages of the WAL. Each checkpoint writes a page once, however often it has changed since the last. */
const CHECKPOINT = 8_000;

const database = new Database(workerData as string, { timeout: PATIENCE });
prepareSqlite(database, PATIENCE);
database.pragma(`cache_size = ${-CACHE}`);
database.pragma(`wal_autocheckpoint = ${CHECKPOINT}`);
const statements = new Map<string, Database.Statement>();

function insert({ sql, columns, values: json }: Exclude<WriterRequest, string>): void {
  const values = JSON.parse(json) as SqlValue[];
  const statement = statements.get(sql) ?? database.prepare(sql);
  statements.set(sql, statement);
  database.exec('BEGIN IMMEDIATE');
  try {
    for (let at = 0; at < values.length; at += columns) {
      statement.run(values.slice(at, at + columns));
    }
    database.exec('COMMIT');
  } catch (error) {
    if (database.inTransaction) database.exec('ROLLBACK');
    throw error;
  }
}

parentPort!.on('message', (request: WriterRequest) => {
  let response: WriterResponse = { error: null };
  try {
    if (request === 'close') database.close();
    else insert(request);
  } catch (error) {
    const { message, code } = error as NodeJS.ErrnoException;
    response = { error: { message, code } };
  }
  parentPort!.postMessage(response);
});
