import { Module } from '@nestjs/common';
import { AvailabilityModule } from '../../availability/availability.module.js';
import { CatalogueModule } from '../../catalogue/catalogue.module.js';
import { ClientsModule } from '../../clients/clients.module.js';
import { OrdersModule } from '../../orders/orders.module.js';
import { CheckPagesController } from './check-pages.controller.js';
import { CheckPagesService } from './check-pages.service.js';
import { TelephoneService } from './telephone.service.js';

/** Check a postcode, and order for a client that is on the telephone. */
@Module({
  imports: [AvailabilityModule, CatalogueModule, ClientsModule, OrdersModule],
  controllers: [CheckPagesController],
  providers: [CheckPagesService, TelephoneService],
})
export class CheckPagesModule {}
