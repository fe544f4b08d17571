import {
  DynamicModule,
  Global,
  Logger,
  Module,
  OnApplicationBootstrap,
  OnApplicationShutdown,
} from '@nestjs/common';
import { AuditModule } from './platform/audit/audit.module.js';
import { CoverageModule } from './coverage-sync/coverage.module.js';
import { AvailabilityModule } from './availability/availability.module.js';
import { CatalogueModule } from './catalogue/catalogue.module.js';
import { ClientsModule } from './clients/clients.module.js';
import { BackgroundWork } from './platform/kernel/background-work.js';
import { Clock } from './platform/kernel/clock.js';
import { Counters } from './platform/kernel/counters.js';
import { Config } from './platform/config/config.js';
import { createDataSource } from './data-source.js';
import { DatabaseModule, type DatabaseUse } from './platform/database/database.module.js';
import { Transactions } from './platform/database/transactions.js';
import { QueueModule } from './queue/queue.module.js';
import { NotificationsModule } from './platform/notifications/notifications.module.js';
import { TurnsService } from './platform/limits/rate-limits.guard.js';
import { OrdersModule } from './orders/orders.module.js';
import { QuotesModule } from './quotes/quotes.module.js';
import { ClientAdministrationModule } from './administration/clients/client-administration.module.js';
import { ReportsModule } from './reports/reports.module.js';
import { RetentionModule } from './platform/retention/retention.module.js';
import { StaffModule } from './staff/staff.module.js';
import { WatchesModule } from './watches/watches.module.js';

/** Global providers, such as the settings and the clock. */
@Global()
@Module({})
class BasicsModule {
  static forRoot(config: Config, clock: Clock): DynamicModule {
    const logger = new Logger(BackgroundWork.name);
    const counters = new Counters();
    const background = new BackgroundWork(
      (message) => logger.warn(message),
      counters.failedJobs,
      counters.jobSeconds,
    );
    return {
      module: BasicsModule,
      providers: [
        { provide: Config, useValue: config },
        { provide: Clock, useValue: clock },
        { provide: BackgroundWork, useValue: background },
        { provide: Counters, useValue: counters },
        TurnsService,
      ],
      exports: [Config, Clock, BackgroundWork, Counters, TurnsService],
    };
  }
}

@Module({})
export class AppModule implements OnApplicationBootstrap, OnApplicationShutdown {
  constructor(
    private readonly background: BackgroundWork,
    private readonly transactions: Transactions,
  ) {}

  /**
   * The rooms and their services, which are all that a command needs.
   * @param serving what an HTTP server needs as well; see serving.ts
   */
  static forRoot(
    config: Config,
    clock: Clock = new Clock(),
    use?: DatabaseUse,
    serving: Pick<DynamicModule, 'imports' | 'providers'> = {},
  ): DynamicModule {
    return {
      module: AppModule,
      imports: [
        BasicsModule.forRoot(config, clock),
        DatabaseModule.forRoot(config, createDataSource, use),
        AuditModule,
        RetentionModule,
        NotificationsModule,
        AvailabilityModule,
        CoverageModule,
        WatchesModule,
        OrdersModule,
        QuotesModule,
        QueueModule,
        CatalogueModule,
        ClientsModule,
        StaffModule,
        ClientAdministrationModule,
        ReportsModule,
        ...(serving.imports ?? []),
      ],
      providers: serving.providers ?? [],
    };
  }

  onApplicationBootstrap(): void {
    this.background.start();
  }

  /** Stops in order, after the last request: periodic jobs, buffers, database. */
  async onApplicationShutdown(): Promise<void> {
    await this.background.stop();
    await this.transactions.close();
  }
}
