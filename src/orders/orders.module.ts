import { Module } from '@nestjs/common';
import { AvailabilityModule } from '../availability/availability.module.js';
import { CatalogueModule } from '../catalogue/catalogue.module.js';
import { SandboxModule } from '../sandbox/sandbox.module.js';
import { ClientOrdersService } from './client-orders.service.js';
import { DeadlinesService } from './deadlines.service.js';
import { ErasureService } from './erasure.service.js';
import { MovesService } from './moves.service.js';
import { OrderChanges } from './order-changes.service.js';
import { OrderIntake } from './order-intake.service.js';
import { OrderLetters } from './order-letters.js';
import { OrdersController } from './orders.controller.js';
import { OrdersService } from './orders.service.js';
import { ReplayService } from './replay.service.js';
import { TermsService } from './terms.service.js';
import { TestMovesService } from './test-moves.service.js';
import { TestOrdersController } from './test-orders.controller.js';
import { TestOrdersService } from './test-orders.service.js';

/** PLEASE SELL ME THIS: accept an order request, and show it to its client. */
@Module({
  imports: [AvailabilityModule, CatalogueModule, SandboxModule],
  controllers: [OrdersController, TestOrdersController],
  providers: [
    ClientOrdersService,
    DeadlinesService,
    ErasureService,
    MovesService,
    OrderChanges,
    OrderIntake,
    OrderLetters,
    OrdersService,
    ReplayService,
    TermsService,
    TestMovesService,
    TestOrdersService,
  ],
  exports: [DeadlinesService, ErasureService, MovesService, OrdersService, ReplayService],
})
export class OrdersModule {}
