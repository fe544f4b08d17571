import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { DynamicModule, Global, Module } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Config } from '../config/config.js';
import { BackgroundWork } from '../kernel/background-work.js';
import { SECOND } from '../kernel/time.js';
import { Refused } from '../problems/refused.js';
import { migrate, schemaOf } from './migrate.js';
import { refusePending, type SchemaState } from './schema-state.js';
import { RevisionsService } from './revisions.service.js';
import { Transactions } from './transactions.js';

/** @param patience `endless` for migrations, which have no time-outs */
export type CreateDataSource = (config: Config, patience?: 'short' | 'endless') => DataSource;

/** A command that only reads must not leave an empty database behind, in which nothing is found. */
class MissingDatabase extends Refused {
  constructor(what: string) {
    super(
      `${what} Nothing was created. Which database is meant? Set SQLITE_FILE or DATABASE_URL, or name the settings of the service with --env-file. To create this one: db migrate, or catalogue import <folder>`,
    );
  }
}

function requireFile({ sqliteFile }: Config): void {
  const file = resolve(sqliteFile);
  // After a crash, all data of a new database may still be in its WAL.
  if (existsSync(file) || existsSync(`${file}-wal`)) return;
  throw new MissingDatabase(`There is no database ${file}.`);
}

async function requireTables(dataSource: DataSource): Promise<SchemaState> {
  const schema = await schemaOf(dataSource);
  if (schema) return schema;
  throw new MissingDatabase('This database has no tables of the service.');
}

/** The service migrates a database. A command at most creates one: instances of another release may use it. */
export type DatabaseUse = 'served' | 'creatable' | 'existing';

async function prepare(dataSource: DataSource, use: DatabaseUse): Promise<void> {
  const schema = use === 'existing' ? await requireTables(dataSource) : await schemaOf(dataSource);
  if (use === 'served' || !schema) await migrate(dataSource);
  else refusePending(schema);
}

/** Opens the database of the service without migrations. @throws {MissingDatabase} */
export async function openExisting(config: Config, create: CreateDataSource): Promise<DataSource> {
  if (config.databaseUrl === null) requireFile(config);
  const dataSource = await create(config).initialize();
  try {
    await requireTables(dataSource);
    return dataSource;
  } catch (error) {
    await dataSource.destroy();
    throw error;
  }
}

async function openDatabase(
  config: Config,
  create: CreateDataSource,
  use: DatabaseUse,
): Promise<DataSource> {
  if (config.databaseUrl === null) {
    if (use === 'existing') requireFile(config);
    const dataSource = await create(config).initialize();
    await prepare(dataSource, use);
    return dataSource;
  }
  const migrating = await create(config, 'endless').initialize();
  try {
    await prepare(migrating, use);
  } finally {
    await migrating.destroy();
  }
  return create(config).initialize();
}

@Global()
@Module({})
export class DatabaseModule {
  constructor(background: BackgroundWork, revisions: RevisionsService) {
    background.every('revisions', SECOND, () => revisions.look());
  }

  static forRoot(
    config: Config,
    create: CreateDataSource,
    use: DatabaseUse = 'served',
  ): DynamicModule {
    return {
      module: DatabaseModule,
      providers: [
        {
          provide: Transactions,
          useFactory: async () => new Transactions(await openDatabase(config, create, use)),
        },
        RevisionsService,
      ],
      exports: [Transactions, RevisionsService],
    };
  }
}
