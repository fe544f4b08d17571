import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { DynamicModule, Global, Module } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Config } from '../config/config.js';
import { BackgroundWork } from '../kernel/background-work.js';
import { SECOND } from '../kernel/time.js';
import { Refused } from '../problems/refused.js';
import { hasSchema, migrate } from './migrate.js';
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

async function requireTables(dataSource: DataSource): Promise<void> {
  if (await hasSchema(dataSource)) return;
  throw new MissingDatabase('This database has no tables of the service.');
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
  database: 'any' | 'existing',
): Promise<DataSource> {
  if (config.databaseUrl === null) {
    if (database === 'existing') requireFile(config);
    const dataSource = await create(config).initialize();
    await migrate(dataSource);
    return dataSource;
  }
  const migrating = await create(config, 'endless').initialize();
  try {
    if (database === 'existing') await requireTables(migrating);
    await migrate(migrating);
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
    database: 'any' | 'existing' = 'any',
  ): DynamicModule {
    return {
      module: DatabaseModule,
      providers: [
        {
          provide: Transactions,
          useFactory: async () => new Transactions(await openDatabase(config, create, database)),
        },
        RevisionsService,
      ],
      exports: [Transactions, RevisionsService],
    };
  }
}
