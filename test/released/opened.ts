import { readFileSync, writeFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { onServer } from '../support/postgres.js';
import { type DatabaseSettings, type Engine, newDatabase } from '../support/databases.js';
import { RELEASED } from './facts.js';

/** A copy of the filled database of a release, as that release left it. */
export async function releasedDatabase(release: string, engine: Engine): Promise<DatabaseSettings> {
  const database = await newDatabase(engine, 'empty');
  if (engine === 'sqlite') {
    const bytes = gunzipSync(readFileSync(`${RELEASED}/${release}/sqlite.gz`));
    writeFileSync(database.sqliteFile, bytes);
  } else {
    const sql = gunzipSync(readFileSync(`${RELEASED}/${release}/postgres.sql.gz`)).toString();
    await onServer(database.databaseUrl!, sql);
  }
  return database;
}
