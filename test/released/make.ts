import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { createDataSource } from '../../src/data-source.js';
import type { EngineName } from '../../src/platform/database/engine/engine.js';
import { migrate } from '../../src/platform/database/migrate.js';
import { databaseAt, onServer, startPostgres } from '../support/postgres.js';
import { copySqlite, countRows, dumpPostgres, SchemaStatements } from './dump.js';
import { RELEASED, type ReleasedFacts, releasedConfig } from './facts.js';
import { fillRelease } from './fill.js';

/** Makes the filled databases of a release, one for each engine, in `released/<release>`. */
async function makeDatabases(release: string): Promise<void> {
  const folder = join(RELEASED, release);
  mkdirSync(folder, { recursive: true });
  const write = (name: string, bytes: Buffer) => {
    writeFileSync(join(folder, name), bytes);
    process.stdout.write(`${join(folder, name)}: ${(bytes.length / 1e6).toFixed(1)} MB\n`);
  };
  const own = mkdtempSync(join(tmpdir(), 'availability-released-'));
  const given = process.env.TEST_POSTGRES_URL;
  const server = given ? null : await startPostgres();
  const serverUrl = given ?? server!.url;
  const name = `released_${process.pid}`;
  await onServer(serverUrl, `CREATE DATABASE ${name}`);
  try {
    const sqliteFile = join(own, 'filled.sqlite');
    await make(release, 'sqlite', { sqliteFile, databaseUrl: null }, folder);
    const copy = join(own, 'copy.sqlite');
    copySqlite(sqliteFile, copy);
    write('sqlite.gz', gzipSync(readFileSync(copy), { level: 9 }));

    const databaseUrl = databaseAt(serverUrl, name);
    const sql = await make(release, 'postgres', { sqliteFile: '', databaseUrl }, folder);
    write('postgres.sql.gz', gzipSync(sql, { level: 9 }));
  } finally {
    await onServer(serverUrl, `DROP DATABASE ${name} WITH (FORCE)`);
    await server?.stop();
    rmSync(own, { recursive: true, force: true });
  }
}

/** Fills the empty database, and writes what is known of it. @returns the database as SQL; empty on SQLite */
async function make(
  release: string,
  engine: EngineName,
  database: { sqliteFile: string; databaseUrl: string | null },
  folder: string,
): Promise<string> {
  const config = releasedConfig(database);
  const statements = new SchemaStatements();
  const dataSource = createDataSource(config, 'endless');
  dataSource.setOptions({ logging: ['query'], logger: statements });
  await dataSource.initialize();
  await migrate(dataSource);
  await dataSource.destroy();

  process.stdout.write(`Filling a database of ${release} on ${engine} ...\n`);
  const facts = await fillRelease(release, config);

  const filled = await createDataSource(config, 'endless').initialize();
  const rows = await countRows(filled, engine);
  const all: ReleasedFacts = { ...facts, rows };
  writeFileSync(join(folder, `${engine}.json`), `${JSON.stringify(all, null, 2)}\n`);
  const sql = engine === 'postgres' ? await dumpPostgres(filled, statements.all) : '';
  await filled.destroy();
  return sql;
}

await makeDatabases(process.argv[2]!);
