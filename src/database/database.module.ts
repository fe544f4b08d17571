import { DynamicModule, Global, Module, OnApplicationShutdown } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Config } from '../config/config.js';
import { createDataSource } from '../data-source.js';
import { migrate } from './migrate.js';
import { Revisions } from './revisions.js';
import { Transactions } from './transactions.js';

async function openDatabase(config: Config): Promise<DataSource> {
  if (config.databaseUrl === null) {
    const dataSource = await createDataSource(config).initialize();
    await migrate(dataSource);
    return dataSource;
  }
  const migrating = await createDataSource(config, 'endless').initialize();
  try {
    await migrate(migrating);
  } finally {
    await migrating.destroy();
  }
  return createDataSource(config).initialize();
}

@Global()
@Module({})
export class DatabaseModule implements OnApplicationShutdown {
  constructor(private readonly transactions: Transactions) {}

  static forRoot(config: Config): DynamicModule {
    return {
      module: DatabaseModule,
      providers: [
        {
          provide: Transactions,
          useFactory: async () => new Transactions(await openDatabase(config)),
        },
        Revisions,
      ],
      exports: [Transactions, Revisions],
    };
  }

  async onApplicationShutdown(): Promise<void> {
    await this.transactions.close();
  }
}
