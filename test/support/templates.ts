import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createDataSource } from '../../src/data-source.js';
import { readConfig } from '../../src/platform/config/config.js';
import { migrate } from '../../src/platform/database/migrate.js';
import { databaseAt, newDatabaseFolder, onServer } from './postgres.js';

/** The variables that name databases with tables: a file, and a database of the tests' server. */
export const templates = {
  sqlite: 'TEST_SQLITE_TEMPLATE',
  postgres: 'TEST_POSTGRES_TEMPLATE',
} as const;

/** Makes both, or that of SQLite alone. @returns what removes them */
export async function makeTemplates(server?: string): Promise<() => Promise<void>> {
  const folder = await newDatabaseFolder('availability-templates');
  const file = join(folder, 'template.sqlite');
  await makeTables({ SQLITE_FILE: file });
  process.env[templates.sqlite] = file;
  const name = `template_${process.pid}`;
  if (server !== undefined) {
    await onServer(server, `CREATE DATABASE ${name}`);
    await makeTables({ DATABASE_URL: databaseAt(server, name) });
    process.env[templates.postgres] = name;
  }
  return async () => {
    await rm(folder, { recursive: true, force: true });
    if (server !== undefined) await onServer(server, `DROP DATABASE ${name}`);
  };
}

async function makeTables(database: Record<string, string>): Promise<void> {
  const config = readConfig({ NODE_ENV: 'test', ...database });
  const dataSource = await createDataSource(config, 'endless').initialize();
  await migrate(dataSource);
  await dataSource.destroy();
}
