import { SANDBOX, tableOn } from '../platform/database/sides.js';
import { Module } from '@nestjs/common';
import { AuditNamesService, namesFrom } from '../platform/audit/audit-names.service.js';
import { RetentionService, TEST_DAYS } from '../platform/retention/retention.service.js';
import { ChargesController, StaffChargesController } from './charges/charges.controller.js';
import { ChargesModule } from './charges/charges.module.js';
import { ConversationModule } from './conversation/conversation.module.js';
import {
  EnquiryMessagesController,
  OrderMessagesController,
} from './conversation/messages.controller.js';
import { DeliveryModule } from './delivery/delivery.module.js';
import { StaffDeliveryController } from './delivery/staff-delivery.controller.js';
import { ErasureService } from './erasure.service.js';
import { MovesModule } from './moves/moves.module.js';
import { ClientOffersController, StaffOffersController } from './offers/offers.controller.js';
import { OffersModule } from './offers/offers.module.js';
import {
  EnquiriesController,
  OrdersController,
  TestOrdersController,
} from './orders.controller.js';
import { PlacingModule } from './placing/placing.module.js';
import { Order, type OrderRecord } from './record/order.entity.js';
import {
  TestOffersService,
  TestOrdersService,
  pruneTestOrders,
} from './sandbox/test-orders.service.js';
import { OrderViewsModule } from './staff/order-views.module.js';

/** PLEASE SELL ME THIS: accept an order request, and show it to its client. */
@Module({
  imports: [
    ChargesModule,
    ConversationModule,
    DeliveryModule,
    MovesModule,
    OffersModule,
    OrderViewsModule,
    PlacingModule,
  ],
  // In the order of the API's description.
  controllers: [
    OrdersController,
    ChargesController,
    OrderMessagesController,
    EnquiriesController,
    ClientOffersController,
    EnquiryMessagesController,
    TestOrdersController,
    StaffChargesController,
    StaffDeliveryController,
    StaffOffersController,
  ],
  providers: [ErasureService, TestOffersService, TestOrdersService],
  exports: [
    ConversationModule,
    ErasureService,
    MovesModule,
    OffersModule,
    OrderViewsModule,
    PlacingModule,
  ],
})
export class OrdersModule {
  constructor(names: AuditNamesService, retention: RetentionService) {
    retention.register({ rows: 'sandbox records', days: TEST_DAYS, prune: pruneTestOrders });
    names.register('order', namesFrom(Order, referenceOf));
    names.register('test-order', namesFrom(tableOn(Order, SANDBOX), referenceOf));
  }
}

function referenceOf({ reference }: OrderRecord): string {
  return reference;
}
