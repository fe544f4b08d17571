import { Module } from '@nestjs/common';
import { AvailabilityModule } from '../availability/availability.module.js';
import { CatalogueModule } from '../catalogue/catalogue.module.js';
import { ClientsModule } from '../clients/clients.module.js';
import { OrdersModule } from '../orders/orders.module.js';
import { StaffModule } from '../staff/staff.module.js';
import { AreaDemandService } from './area-demand.service.js';
import { CountsService } from './counts.service.js';
import { ExportService } from './export.service.js';
import { FollowUpController } from './follow-up.controller.js';
import { FollowUpService } from './follow-up.service.js';
import { LiveService } from './live.service.js';
import { MovesController } from './moves.controller.js';
import { OrderActionsService } from './order-actions.service.js';
import { OrderDetailService } from './order-detail.service.js';
import { RemindersService } from './reminders.service.js';
import { ReportCounts } from './report-counts.service.js';
import { ReportsController } from './reports.controller.js';
import { ReportsService } from './reports.service.js';
import { SearchService } from './search.service.js';
import { StaleClaimsService } from './stale-claims.service.js';
import { TakeNextService } from './take-next.service.js';
import { ViewersService } from './viewers.service.js';

/** WHO CALLS, AND WHEN: the staff's queue of orders. */
@Module({
  imports: [AvailabilityModule, CatalogueModule, ClientsModule, OrdersModule, StaffModule],
  controllers: [FollowUpController, MovesController, ReportsController],
  providers: [
    AreaDemandService,
    CountsService,
    ExportService,
    FollowUpService,
    LiveService,
    OrderActionsService,
    OrderDetailService,
    RemindersService,
    ReportCounts,
    ReportsService,
    SearchService,
    StaleClaimsService,
    TakeNextService,
    ViewersService,
  ],
  exports: [
    AreaDemandService,
    CountsService,
    ExportService,
    FollowUpService,
    LiveService,
    OrderActionsService,
    OrderDetailService,
    ReportsService,
    StaleClaimsService,
    TakeNextService,
    ViewersService,
  ],
})
export class FollowUpModule {}
