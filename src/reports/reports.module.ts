import { Module } from '@nestjs/common';
import { AvailabilityModule } from '../availability/availability.module.js';
import { CatalogueModule } from '../catalogue/catalogue.module.js';
import { ClientsModule } from '../clients/clients.module.js';
import { OrdersModule } from '../orders/orders.module.js';
import { StaffModule } from '../staff/staff.module.js';
import { WatchesModule } from '../watches/watches.module.js';
import { DemandService } from './demand.service.js';
import { ReportCountsService } from './report-counts.service.js';
import { ReportSourcesService } from './report-sources.service.js';
import { ReportsController } from './tables/reports.controller.js';

const services = [DemandService, ReportCountsService, ReportSourcesService];

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
  controllers: [ReportsController],
  providers: services,
  exports: services,
})
export class ReportsModule {}
