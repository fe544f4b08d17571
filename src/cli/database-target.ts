import { resolve } from 'node:path';
import { type Config, readConfig } from '../platform/config/config.js';

/** Reads the settings of a command, apart from those that only production needs; names the database. */
export function commandSettings(): Config {
  const config = readConfig({ ...process.env, NODE_ENV: 'development' });
  console.error(`Database: ${databaseName(config)}`);
  return config;
}

function databaseName({ databaseUrl, sqliteFile }: Config): string {
  if (databaseUrl === null) return `SQLite, ${resolve(sqliteFile)}`;
  const { host, pathname } = new URL(databaseUrl);
  return `PostgreSQL, ${host}${pathname}`;
}
