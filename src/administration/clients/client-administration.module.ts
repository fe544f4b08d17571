import { Module } from '@nestjs/common';
import { CatalogueModule } from '../../catalogue/catalogue.module.js';
import { ClientsModule } from '../../clients/clients.module.js';
import { OrdersModule } from '../../orders/orders.module.js';
import { ReportsModule } from '../../reports/reports.module.js';
import { ClientOverviewService } from './client-overview.service.js';
import { ClientUsageService } from './client-usage.service.js';
import { ClientsController } from './clients.controller.js';

/** API clients as administrators see them. */
@Module({
  imports: [CatalogueModule, ClientsModule, OrdersModule, ReportsModule],
  controllers: [ClientsController],
  providers: [ClientOverviewService, ClientUsageService],
  exports: [ClientOverviewService, ClientUsageService],
})
export class ClientAdministrationModule {}
