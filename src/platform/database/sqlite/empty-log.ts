import Database from 'better-sqlite3';

/** Milliseconds to wait for other processes that read or write. */
const PATIENCE = 5_000;

/**
 * Writes the log into the database and empties it: earlier contents of pages stay in it otherwise.
 * @returns whether it is empty; another process may use it all the time
 */
export function emptyLog(file: string): boolean {
  const database = new Database(file, { fileMustExist: true, timeout: PATIENCE });
  try {
    const [result] = database.pragma('wal_checkpoint(TRUNCATE)') as { busy: number }[];
    return result?.busy === 0;
  } finally {
    database.close();
  }
}
