import { DynamicModule, Global, Module } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Config } from '../config/config.js';
import { BackgroundWork } from '../kernel/background-work.js';
import { SECOND } from '../kernel/time.js';
import { migrate } from './migrate.js';
import { RevisionsService } from './revisions.service.js';
import { Transactions } from './transactions.js';

/** @param patience `endless` for migrations, which have no time-outs */
export type CreateDataSource = (config: Config, patience?: 'short' | 'endless') => DataSource;

async function openDatabase(config: Config, create: CreateDataSource): Promise<DataSource> {
  if (config.databaseUrl === null) {
    const dataSource = await create(config).initialize();
    await migrate(dataSource);
    return dataSource;
  }
  const migrating = await create(config, 'endless').initialize();
  try {
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

  static forRoot(config: Config, create: CreateDataSource): DynamicModule {
    return {
      module: DatabaseModule,
      providers: [
        {
          provide: Transactions,
          useFactory: async () => new Transactions(await openDatabase(config, create)),
        },
        RevisionsService,
      ],
      exports: [Transactions, RevisionsService],
    };
  }
}
