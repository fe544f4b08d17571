import type { INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { type Command, Option } from 'commander';
import { resolve } from 'node:path';
import { AppModule } from '../app.module.js';
import { type Config, readConfig } from '../config/config.js';

/**
 * The settings of a command that uses the database, which it names on stderr. Settings that only
 * production needs may be missing.
 */
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

/** Runs `work` with the service's own modules, without listening, and closes them. */
export async function withService<T>(
  work: (service: INestApplicationContext) => Promise<T>,
): Promise<T> {
  const service = await NestFactory.createApplicationContext(AppModule.forRoot(commandSettings()), {
    logger: ['error', 'fatal'],
    abortOnError: false,
  });
  try {
    return await work(service);
  } finally {
    await service.close();
  }
}

export const jsonOption = () => new Option('--json', 'one JSON object a line').default(false);

/** Adds the command `list`. @param none what it prints where there is nothing */
export function addList<Options extends object>(
  commands: Command,
  about: { readonly description: string; readonly none: string },
  find: (
    service: INestApplicationContext,
    options: Options & { json: boolean },
  ) => Promise<readonly object[]>,
): Command {
  return commands
    .command('list')
    .description(about.description)
    .addOption(jsonOption())
    .action(async (options: Options & { json: boolean }) => {
      const rows = await withService((service) => find(service, options));
      if (rows.length === 0 && !options.json) console.log(about.none);
      printRows(rows, options.json);
    });
}

/** Adds the commands `enable` and `disable`. @param change returns the name of what it changed */
export function addEnabling(
  commands: Command,
  argument: string,
  about: { readonly enable: string; readonly disable: string },
  change: (service: INestApplicationContext, id: string, enabled: boolean) => Promise<string>,
): void {
  for (const verb of ['disable', 'enable'] as const) {
    commands
      .command(`${verb} <${argument}>`)
      .description(about[verb])
      .action(async (id: string) => {
        const name = await withService((service) => change(service, id, verb === 'enable'));
        console.log(`${name} is ${verb}d.`);
      });
  }
}

/** Prints rows as a table of blanks, or as JSON lines for machines. */
export function printRows(rows: readonly object[], json: boolean): void {
  if (json) {
    for (const row of rows) console.log(JSON.stringify(row));
    return;
  }
  const [first] = rows;
  if (!first) return;
  const names = Object.keys(first);
  const cellsOf = (row: object) => names.map((name) => textOf(row[name as keyof typeof row]));
  const lines = [names, ...rows.map(cellsOf)];
  const widths = names.map((_, i) => Math.max(...lines.map((line) => line[i]?.length ?? 0)));
  for (const line of lines) {
    console.log(
      line
        .map((cell, i) => cell.padEnd(widths[i] ?? 0))
        .join('  ')
        .trimEnd(),
    );
  }
}

function textOf(value: unknown): string {
  if (value === null || value === undefined) return '-';
  if (value instanceof Date) return value.toISOString();
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return typeof value === 'string' || typeof value === 'number'
    ? String(value)
    : JSON.stringify(value);
}
