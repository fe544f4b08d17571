import { Module } from '@nestjs/common';
import { AvailabilityModule } from '../../availability/availability.module.js';
import { CatalogueModule } from '../../catalogue/catalogue.module.js';
import { VersionPruningService } from '../../catalogue/versions/version-pruning.service.js';
import { ClientsModule } from '../../clients/clients.module.js';
import { MovesModule } from '../moves/moves.module.js';
import { PlacingModule } from '../placing/placing.module.js';
import { ClientOrdersService } from '../views/client-orders.service.js';
import { VersionEffectService, versionsInUse } from '../views/version-effect.service.js';
import { ClientNoticesService } from './client-notices.service.js';
import { OrderActionsService } from './order-actions.service.js';
import { OrderDetailService } from './order-detail.service.js';
import { OrdersContextService } from './orders-context.service.js';

const services = [
  ClientNoticesService,
  ClientOrdersService,
  OrderActionsService,
  OrderDetailService,
  OrdersContextService,
  VersionEffectService,
];

/** Orders as their client, staff and a new catalogue version see them. */
@Module({
  imports: [AvailabilityModule, CatalogueModule, ClientsModule, MovesModule, PlacingModule],
  providers: services,
  exports: services,
})
export class OrderViewsModule {
  constructor(pruning: VersionPruningService) {
    pruning.registerReferences(versionsInUse);
  }
}
