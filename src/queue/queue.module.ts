import { Module } from '@nestjs/common';
import { AvailabilityModule } from '../availability/availability.module.js';
import { CatalogueModule } from '../catalogue/catalogue.module.js';
import { BackgroundWork } from '../platform/kernel/background-work.js';
import { MINUTE, SECOND } from '../platform/kernel/time.js';
import { ClientsModule } from '../clients/clients.module.js';
import { OrdersModule } from '../orders/orders.module.js';
import { WatchesModule } from '../watches/watches.module.js';
import { StaffModule } from '../staff/staff.module.js';
import { CountsService } from './lists/counts.service.js';
import { ExportService } from './lists/export.service.js';
import { FollowUpController, MovesController } from './follow-up.controller.js';
import { FollowUpService } from './lists/follow-up.service.js';
import { PlaceCounter } from '../platform/ui/navigation.js';
import { LiveService } from './live/live.service.js';
import { RemindersService, StaleClaimsService } from './waiting/waiting-orders.service.js';
import { TakeNextService } from './lists/take-next.service.js';
import { ViewersService } from './live/viewers.service.js';

const services = [
  CountsService,
  ExportService,
  FollowUpService,
  LiveService,
  RemindersService,
  StaleClaimsService,
  TakeNextService,
  ViewersService,
];

/** WHO CALLS, AND WHEN: the staff's queue of orders. */
@Module({
  imports: [
    AvailabilityModule,
    CatalogueModule,
    ClientsModule,
    OrdersModule,
    StaffModule,
    WatchesModule,
  ],
  controllers: [FollowUpController, MovesController],
  providers: [...services, { provide: PlaceCounter, useExisting: CountsService }],
  exports: [...services, PlaceCounter],
})
export class QueueModule {
  constructor(
    background: BackgroundWork,
    live: LiveService,
    viewers: ViewersService,
    reminders: RemindersService,
    staleClaims: StaleClaimsService,
  ) {
    background.every('live heartbeat', 15 * SECOND, () => live.sendHeartbeat());
    background.every('live access', SECOND, () => live.endRevoked());
    background.every('viewers', 15 * SECOND, () => viewers.repeat());
    background.every('stale claims', MINUTE, () => staleClaims.releaseStale(), {
      whileServing: true,
    });
    background.every('reminders', MINUTE, () => reminders.remind(), {
      firstAfter: 0,
      whileServing: true,
    });
  }
}
