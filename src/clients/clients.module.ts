import { Module } from '@nestjs/common';
import { AuditNamesService, namesFrom } from '../platform/audit/audit-names.service.js';
import { AccessService } from './access.service.js';
import { ApiClient } from './api-client.entity.js';
import { BearerGuard, BearerStrategy } from './bearer.guard.js';
import { ClientErrorsService } from './client-errors.service.js';
import { ClientsService } from './clients.service.js';
import { FailedAttemptsService } from '../platform/limits/failed-attempts.service.js';
import { RateLimitsService } from '../platform/limits/rate-limits.service.js';
import { SharedCountsService } from '../platform/limits/shared-counts.service.js';
import { Config } from '../platform/config/config.js';
import { BackgroundWork } from '../platform/kernel/background-work.js';
import { MINUTE } from '../platform/kernel/time.js';
import { londonDay } from '../platform/kernel/working-hours.js';
import { RetentionService } from '../platform/retention/retention.service.js';
import { TokenRemindersService, webhookChanged, webhookPaused } from './client-emails.js';
import { tokenNames, TokensService } from './tokens.service.js';
import { EmailKindsService } from '../platform/notifications/messages/email-kinds.service.js';

/** WHO MAY CALL: API clients, their tokens and those of staff, and the guard of every route. */
@Module({
  providers: [
    AccessService,
    BearerGuard,
    BearerStrategy,
    ClientErrorsService,
    ClientsService,
    FailedAttemptsService,
    RateLimitsService,
    SharedCountsService,
    TokenRemindersService,
    TokensService,
  ],
  exports: [
    AccessService,
    BearerGuard,
    ClientErrorsService,
    ClientsService,
    FailedAttemptsService,
    RateLimitsService,
    TokensService,
  ],
})
export class ClientsModule {
  constructor(
    background: BackgroundWork,
    reminders: TokenRemindersService,
    names: AuditNamesService,
    emails: EmailKindsService,
    retention: RetentionService,
    errors: ClientErrorsService,
    config: Config,
  ) {
    retention.register({
      rows: 'daily counts of errors',
      days: config.checkDayRetentionDays,
      prune: (tx, before, most) => errors.prune(tx, londonDay(before), most),
    });
    emails.declare(webhookChanged);
    emails.declare(webhookPaused);
    names.register(
      'client',
      namesFrom(ApiClient, ({ name }) => name),
    );
    names.register('token', tokenNames);
    const options = { firstAfter: 0, whileServing: true };
    background.every('token reminders', MINUTE, () => reminders.queueDue(), options);
  }
}
