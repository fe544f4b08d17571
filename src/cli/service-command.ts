import type { INestApplicationContext, Type } from '@nestjs/common';
import { Command, type Option } from 'commander';
import { jsonOption, type JsonOption } from './options.js';
import type { CommandInput } from './input-options.js';
import { printRows } from './output.js';
import { resolve } from 'node:path';
import { type Config, readConfig } from '../platform/config/config.js';

/**
 * Reads the settings of a command; names the database. A command needs none of the settings that production requires
 * of the service, such as SALES_CONTACT, but follows the same rules.
 */
export function commandSettings(): Config {
  const { NODE_ENV } = process.env;
  const read = readConfig({ ...process.env, NODE_ENV: 'development' });
  // The unit sets NODE_ENV, so the settings that an operator exports or names by --env-file lack it.
  // Only production needs ALLOW_INSECURE.
  const serves = read.publicUrl.startsWith('https:') || read.allowInsecure.includes('http');
  const production = NODE_ENV ? NODE_ENV === 'production' : serves;
  const config = Object.freeze({ ...read, production });
  console.error(`Database: ${databaseName(config)}`);
  return config;
}

function databaseName({ databaseUrl, sqliteFile }: Config): string {
  if (databaseUrl === null) return `SQLite, ${resolve(sqliteFile)}`;
  const { host, pathname } = new URL(databaseUrl);
  return `PostgreSQL, ${host}${pathname}`;
}

export type Services = Pick<INestApplicationContext, 'get'>;

/** A command whose action can use the modules of the service, without its HTTP server. */
export class ServiceCommand extends Command {
  /** By name, the lines of the commands that will be added; see nouns.ts. */
  lines: Readonly<Record<string, string>> = {};
  private createsDatabase = false;

  override createCommand(name?: string): ServiceCommand {
    return new ServiceCommand(name);
  }

  add(usage: string, description = this.lines[usage.replace(/ .*/, '')] ?? ''): ServiceCommand {
    return this.command(usage).description(description);
  }

  /** For a command that creates the database if there is none. */
  creating(): this {
    this.createsDatabase = true;
    return this;
  }

  /** Refuses an option that is given twice: one of the two answers would not count. */
  override addOption(option: Option): this {
    super.addOption(option);
    let isGiven = false;
    this.on(`option:${option.name()}`, () => {
      if (isGiven && !option.variadic) this.error(`error: option '${option.flags}' is given twice`);
      isGiven = true;
    });
    return this;
  }

  taking({ options }: Pick<CommandInput<object>, 'options'>): this {
    for (const option of options) this.addOption(option);
    return this;
  }

  inService<A extends readonly unknown[]>(
    work: (services: Services, ...parameters: A) => Promise<void>,
  ): this {
    return this.action(async (...parameters) => {
      const config = commandSettings();
      const use = this.createsDatabase ? 'creatable' : 'existing';
      const [{ AppModule }, { NestFactory }] = await Promise.all([
        import('../app.module.js'),
        import('@nestjs/core'),
      ]);
      const module = AppModule.forRoot(config, undefined, use);
      const app = await NestFactory.createApplicationContext(module, {
        // What fails here is thrown, and printed once.
        logger: false,
        abortOnError: false,
      });
      app.useLogger(['error', 'fatal']);
      try {
        await work(app, ...(parameters as unknown as A));
      } finally {
        await app.close();
      }
    });
  }

  /** As `inService`, for an action that uses one service only. */
  using<S, A extends readonly unknown[]>(
    service: Type<S>,
    work: (service: S, ...parameters: A) => Promise<void>,
  ): this {
    return this.inService((services, ...parameters: A) =>
      work(services.get(service), ...parameters),
    );
  }

  /** Adds `list`. @param none what to print where there are no rows */
  addList<O extends JsonOption>(
    none: string | null,
    rowsOf: (services: Services, options: O) => Promise<readonly object[]>,
  ): ServiceCommand {
    return this.add('list')
      .addOption(jsonOption())
      .inService(async (services, options: O) => {
        const rows = await rowsOf(services, options);
        if (rows.length === 0 && none !== null && !options.json) console.log(none);
        printRows(rows, options.json);
      });
  }
}
