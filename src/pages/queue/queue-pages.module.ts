import { Module } from '@nestjs/common';
import { CatalogueModule } from '../../catalogue/catalogue.module.js';
import { ClientsModule } from '../../clients/clients.module.js';
import { FollowUpModule } from '../../follow-up/follow-up.module.js';
import { OrdersModule } from '../../orders/orders.module.js';
import { DeskService } from '../shell/desk.service.js';
import { OrderController } from '../order/order.controller.js';
import { OrderPages } from '../order/order-pages.service.js';
import { PreferencesController } from '../shell/preferences.controller.js';
import { QueueController } from './queue.controller.js';
import { QueuePages } from './queue-pages.service.js';

/** WHAT WAITS, AND WHAT TO DO WITH IT: the queue, an order with its moves, the search, the keyboard. */
@Module({
  imports: [CatalogueModule, ClientsModule, FollowUpModule, OrdersModule],
  controllers: [QueueController, OrderController, PreferencesController],
  providers: [DeskService, OrderPages, QueuePages],
})
export class QueuePagesModule {}
