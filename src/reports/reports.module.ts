import { Module } from '@nestjs/common';
import { AvailabilityModule } from '../availability/availability.module.js';
import { CatalogueModule } from '../catalogue/catalogue.module.js';
import { ClientsModule } from '../clients/clients.module.js';
import { OrdersModule } from '../orders/orders.module.js';
import { StaffModule } from '../staff/staff.module.js';
import { WatchesModule } from '../watches/watches.module.js';
import { ClientOverviewService } from './clients/client-overview.service.js';
import { ClientUsageService } from './clients/client-usage.service.js';
import { ClientsController } from './clients/clients.controller.js';
import { DemandService } from './demand.service.js';
import { ReportCountsService } from './report-counts.service.js';
import { ReportSourcesService } from './report-sources.service.js';
import { ReportsController } from './tables/reports.controller.js';

const services = [
  ClientOverviewService,
  ClientUsageService,
  DemandService,
  ReportCountsService,
  ReportSourcesService,
];

/** WHAT CLIENTS ASK FOR, AND HOW IT IS ANSWERED: the figures of the operator. */
@Module({
  imports: [
    AvailabilityModule,
    CatalogueModule,
    ClientsModule,
    OrdersModule,
    StaffModule,
    WatchesModule,
  ],
  controllers: [ClientsController, ReportsController],
  providers: services,
  exports: services,
})
export class ReportsModule {}
