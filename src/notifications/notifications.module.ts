import { Global, Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { BackgroundWork } from '../kernel/background-work.js';
import { MINUTE } from '../kernel/time.js';
import { ClientWebhooksService } from './client-webhooks.service.js';
import { ChannelsService } from './channels.service.js';
import { EmailChannel } from './channels/email.channel.js';
import { DeliveryService } from './delivery.service.js';
import { LetterSources } from './letter-sources.js';
import { MailerService } from './channels/mailer.service.js';
import { Outbox } from './outbox.service.js';
import { OutboxQueue } from './outbox-queue.service.js';
import { WebhookChannel } from './channels/webhook.channel.js';
import { WebhooksController } from './webhooks.controller.js';
import { WebhooksService } from './webhooks.service.js';

/** TELL SOMEBODY: the outbox, and what empties it by e-mail and by webhook. */
@Global()
@Module({
  imports: [DiscoveryModule],
  controllers: [WebhooksController],
  providers: [
    ChannelsService,
    ClientWebhooksService,
    DeliveryService,
    EmailChannel,
    LetterSources,
    MailerService,
    Outbox,
    OutboxQueue,
    WebhookChannel,
    WebhooksService,
  ],
  exports: [
    ChannelsService,
    DeliveryService,
    LetterSources,
    MailerService,
    Outbox,
    OutboxQueue,
    WebhookChannel,
    WebhooksService,
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
