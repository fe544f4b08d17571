import { Module } from '@nestjs/common';
import { AvailabilityModule } from '../../availability/availability.module.js';
import { CatalogueModule } from '../../catalogue/catalogue.module.js';
import { SandboxModule } from '../../catalogue/sandbox/sandbox.module.js';
import { CatalogueService } from '../../catalogue/versions/catalogue.service.js';
import { Config } from '../../platform/config/config.js';
import { BackgroundWork } from '../../platform/kernel/background-work.js';
import { MINUTE } from '../../platform/kernel/time.js';
import { EmailKindsService } from '../../platform/notifications/messages/email-kinds.service.js';
import { RetentionService } from '../../platform/retention/retention.service.js';
import { MovesModule } from '../moves/moves.module.js';
import { DeadlinesService } from './deadlines.service.js';
import { OpenRequestsService } from './open-requests.service.js';
import { orderEmails } from './order-emails.js';
import { OrderIntakeService } from './order-intake.service.js';
import { PlacingService } from './placing.service.js';
import { pruneKeys } from './idempotency-key.entity.js';
import { TermsService } from './terms.service.js';

const services = [
  DeadlinesService,
  OpenRequestsService,
  OrderIntakeService,
  PlacingService,
  TermsService,
];

/** How an order or an enquiry is accepted and stored. */
@Module({
  imports: [AvailabilityModule, CatalogueModule, MovesModule, SandboxModule],
  providers: services,
  exports: services,
})
export class PlacingModule {
  constructor(
    background: BackgroundWork,
    catalogue: CatalogueService,
    config: Config,
    emails: EmailKindsService,
    openRequests: OpenRequestsService,
    retention: RetentionService,
  ) {
    const days = config.idempotencyRetentionDays;
    retention.register({ rows: 'idempotency keys', days, prune: pruneKeys });
    for (const kind of orderEmails((zone) => catalogue.zoneInWords(zone))) emails.declare(kind);
    const options = { firstAfter: 0, whileServing: true };
    background.every('open requests', MINUTE, () => openRequests.count(), options);
  }
}
