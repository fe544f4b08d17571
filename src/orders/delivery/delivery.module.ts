import { Module } from '@nestjs/common';
import { CatalogueModule } from '../../catalogue/catalogue.module.js';
import { TracksService } from '../../catalogue/track/tracks.service.js';
import { Transactions } from '../../platform/database/transactions.js';
import { BackgroundWork } from '../../platform/kernel/background-work.js';
import { EmailKindsService } from '../../platform/notifications/messages/email-kinds.service.js';
import { HOUR, MINUTE, SECOND } from '../../platform/kernel/time.js';
import { ChargesModule } from '../charges/charges.module.js';
import { MovesModule } from '../moves/moves.module.js';
import { OrderViewsModule } from '../staff/order-views.module.js';
import { CancellationsService } from './cancellations.service.js';
import { ClientRemindersService, waitingEmail } from './client-reminders.service.js';
import { DeliveryImportService } from './delivery-import.service.js';
import { tracksBefore } from './live-orders.js';
import { DeliveryNewsService, OrderDeliveriesService } from './order-deliveries.service.js';

/** What happens to an order after it is accepted, until it is live or cancelled. */
@Module({
  imports: [CatalogueModule, ChargesModule, MovesModule, OrderViewsModule],
  providers: [
    CancellationsService,
    ClientRemindersService,
    DeliveryImportService,
    DeliveryNewsService,
    OrderDeliveriesService,
  ],
  exports: [
    CancellationsService,
    ClientRemindersService,
    DeliveryImportService,
    OrderDeliveriesService,
  ],
})
export class DeliveryModule {
  constructor(
    background: BackgroundWork,
    emails: EmailKindsService,
    news: DeliveryNewsService,
    reminders: ClientRemindersService,
    tracks: TracksService,
    transactions: Transactions,
  ) {
    tracks.register((today) => tracksBefore(transactions, today));
    const options = { firstAfter: 0, whileServing: true };
    background.every('delivery tracks', HOUR, () => tracks.refresh(), options);
    emails.declare(waitingEmail);
    background.every('client reminders', 5 * MINUTE, () => reminders.remind(), {
      whileServing: true,
    });
    background.every('delivery news', 10 * SECOND, () => news.report(), { whileServing: true });
  }
}
