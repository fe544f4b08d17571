import { Module } from '@nestjs/common';
import { AvailabilityModule } from '../availability/availability.module.js';
import { CatalogueModule } from '../catalogue/catalogue.module.js';
import { OrdersController } from './orders.controller.js';
import { OrdersService } from './orders.service.js';
import { ReplayService } from './replay.service.js';
import { TermsService } from './terms.service.js';

/** PLEASE SELL ME THIS: accept an order request, and show it to its client. */
@Module({
  imports: [AvailabilityModule, CatalogueModule],
  controllers: [OrdersController],
  providers: [OrdersService, ReplayService, TermsService],
  exports: [OrdersService, ReplayService],
})
export class OrdersModule {}
