import { createHash, randomUUID } from 'node:crypto';
import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { DataSource } from 'typeorm';
import { type Config, readConfig } from '../../src/platform/config/config.js';
import { createDataSource } from '../../src/data-source.js';
import { later, removedLater } from './closing.js';
import { databaseAt, newDatabaseFolder, onServer } from './postgres.js';
import { templates } from './templates.js';

export const engines = ['sqlite', 'postgres'] as const;
export type Engine = (typeof engines)[number];

/**
 * The engine of a test file that needs only one: SQLite for three of four, because a test takes twice as long on
 * PostgreSQL. Another `SEED` chooses others.
 */
export function engineFor(file: string, seed = process.env.SEED ?? ''): Engine {
  const [byte] = createHash('sha256').update(`${seed} ${file}`).digest();
  return byte! % 4 === 3 ? 'postgres' : 'sqlite';
}

/** The settings of a database. */
export type DatabaseSettings = Pick<Config, 'sqliteFile' | 'databaseUrl'>;

/**
 * A new database, removed when the test file ends: a copy of the one with tables that the setup of the tests made,
 * which takes a tenth of the time of a migration, or an empty one.
 */
export async function newDatabase(
  engine: Engine,
  kind: 'empty' | 'migrated' = 'migrated',
): Promise<DatabaseSettings> {
  const template = kind === 'migrated' ? process.env[templates[engine]] : undefined;
  if (engine === 'postgres') {
    return { sqliteFile: '', databaseUrl: await newPostgresDatabase(template) };
  }
  const sqliteFile = join(removedLater(await newDatabaseFolder()), 'test.sqlite');
  if (template) await copyFile(template, sqliteFile);
  return { sqliteFile, databaseUrl: null };
}

const defaults = readConfig({
  NODE_ENV: 'test',
  HOST: '127.0.0.1',
  PORT: '0',
  LOG_LEVEL: 'silent',
});

/**
 * The service's defaults on a free port, with these changes. Staff may work all the time: on a busy machine,
 * the requests of a test take long.
 */
export function testConfig(about: Partial<Config>): Config {
  return { ...defaults, staffWorkSeconds: 60, ...about };
}

/** TypeORM's data source without migrations, closed when the test file ends. */
export async function openDataSource(
  database: DatabaseSettings,
  patience: 'short' | 'endless' = 'short',
): Promise<DataSource> {
  const dataSource = await createDataSource(testConfig(database), patience).initialize();
  later(async () => {
    if (dataSource.isInitialized) await dataSource.destroy();
  });
  return dataSource;
}

/** The same, as the environment of a separate process. */
export function environmentOf({ sqliteFile, databaseUrl }: DatabaseSettings) {
  return { SQLITE_FILE: sqliteFile, DATABASE_URL: databaseUrl ?? '' };
}

async function newPostgresDatabase(template = 'template1'): Promise<string> {
  const server = process.env.TEST_POSTGRES_URL;
  if (!server)
    throw new Error('No PostgreSQL: run the tests with the configuration of the project.');
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  await onServer(server, `CREATE DATABASE ${name} TEMPLATE ${template} STRATEGY FILE_COPY`);
  later(() => onServer(server, `DROP DATABASE ${name} WITH (FORCE)`));
  return databaseAt(server, name);
}
