import { Global, Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { AuditNamesService, namesFrom } from '../audit/audit-names.service.js';
import { BackgroundWork } from '../kernel/background-work.js';
import { MINUTE } from '../kernel/time.js';
import { RetentionService, TEST_DAYS } from '../retention/retention.service.js';
import { ChannelsService } from './channels.service.js';
import { EmailChannel } from './email.channel.js';
import { DeliveryService } from './delivery.service.js';
import { EndpointHealthService } from './endpoint-health.service.js';
import { EmailKindsService } from './messages/email-kinds.service.js';
import { MailerService } from './mailer.service.js';
import { OutboxMessage } from './messages/outbox-message.entity.js';
import { OutboxService } from './outbox.service.js';
import { OutboxRepository, pruneTestMessages } from './outbox.repository.js';
import { WebhookEndpoint } from './webhook-endpoint.entity.js';
import { WebhookChannel } from './webhook.channel.js';
import { WebhooksController } from './webhooks.controller.js';
import { WebhooksService } from './webhooks.service.js';

const services = [
  ChannelsService,
  DeliveryService,
  EmailChannel,
  EmailKindsService,
  EndpointHealthService,
  MailerService,
  OutboxService,
  OutboxRepository,
  WebhookChannel,
  WebhooksService,
];

/** NOTIFY SOMEONE: the outbox, and its delivery by email and by webhook. */
@Global()
@Module({
  imports: [DiscoveryModule],
  controllers: [WebhooksController],
  providers: services,
  exports: services,
})
export class NotificationsModule {
  constructor(
    background: BackgroundWork,
    queue: OutboxRepository,
    names: AuditNamesService,
    emails: EmailKindsService,
    retention: RetentionService,
  ) {
    retention.register({ rows: 'sandbox records', days: TEST_DAYS, prune: pruneTestMessages });
    names.register(
      'webhook',
      namesFrom(WebhookEndpoint, ({ url }) => new URL(url).host),
    );
    names.register(
      'notification',
      namesFrom(OutboxMessage, ({ kind }) => emails.nameOf(kind)),
    );
    const tidy = async () => {
      await queue.expire();
      await queue.prune();
    };
    background.every('outbox pruning', MINUTE, tidy, { firstAfter: 0, whileServing: true });
  }
}
