import { Global, Module } from '@nestjs/common';
import { BackgroundWork } from '../kernel/background-work.js';
import { MINUTE } from '../kernel/time.js';
import { ClientWebhooksService } from './client-webhooks.service.js';
import { Courier } from './courier.service.js';
import { DeliveryService } from './delivery.service.js';
import { LetterSources } from './letter-sources.js';
import { MailerService } from './channels/mailer.service.js';
import { Outbox } from './outbox.service.js';
import { OutboxQueue } from './outbox-queue.service.js';
import { TracedCourier } from './traced-courier.service.js';
import { WebhooksController } from './webhooks.controller.js';
import { WebhooksService } from './webhooks.service.js';

/** TELL SOMEBODY: the outbox, and what empties it by e-mail and by webhook. */
@Global()
@Module({
  controllers: [WebhooksController],
  providers: [
    ClientWebhooksService,
    Courier,
    DeliveryService,
    LetterSources,
    MailerService,
    Outbox,
    OutboxQueue,
    TracedCourier,
    WebhooksService,
  ],
  exports: [
    DeliveryService,
    LetterSources,
    MailerService,
    Outbox,
    OutboxQueue,
    WebhooksService,
    Courier,
  ],
})
export class NotificationsModule {
  constructor(background: BackgroundWork, queue: OutboxQueue) {
    background.every('outbox pruning', MINUTE, () => queue.prune(), {
      firstAfter: 0,
      whileServing: true,
    });
  }
}
