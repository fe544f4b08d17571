import Database from 'better-sqlite3';
import { parentPort, workerData } from 'node:worker_threads';
import { prepareSqlite } from './sqlite.js';

/** `checkpoint` copies what it can, `settle` everything; `close` ends the thread. */
export type LogRequest = 'checkpoint' | 'settle' | 'close';

export interface LogResponse {
  readonly error: { readonly message: string; readonly code: string | undefined } | null;
}

const database = new Database(workerData as string);
prepareSqlite(database);

function settle(): void {
  const [outcome] = database.pragma('wal_checkpoint(TRUNCATE)') as { busy: number }[];
  if (outcome!.busy) throw Object.assign(new Error('database is locked'), { code: 'SQLITE_BUSY' });
}

parentPort!.on('message', (request: LogRequest) => {
  let response: LogResponse = { error: null };
  try {
    if (request === 'checkpoint') database.pragma('wal_checkpoint(PASSIVE)');
    else if (request === 'settle') settle();
    else database.close();
  } catch (error) {
    const { message, code } = error as NodeJS.ErrnoException;
    response = { error: { message, code } };
  }
  parentPort!.postMessage(response);
});
