import { Module } from '@nestjs/common';
import { CatalogueModule } from '../../catalogue/catalogue.module.js';
import { BackgroundWork } from '../../platform/kernel/background-work.js';
import { MINUTE } from '../../platform/kernel/time.js';
import { EmailKindsService } from '../../platform/notifications/messages/email-kinds.service.js';
import { MovesModule } from '../moves/moves.module.js';
import { PlacingModule } from '../placing/placing.module.js';
import { OrderViewsModule } from '../staff/order-views.module.js';
import { AcceptanceService } from './acceptance.service.js';
import { ApprovalService } from './approval.service.js';
import { OfferChangesService, OfferExpiryService } from './offer-changes.service.js';
import { approvalWanted, offerEmail } from './offer-emails.js';
import { OffersService } from './offers.service.js';
import { StaffOffersService } from './staff-offers.service.js';

/** Bespoke offers in answer to enquiries. */
@Module({
  imports: [CatalogueModule, MovesModule, OrderViewsModule, PlacingModule],
  providers: [
    AcceptanceService,
    ApprovalService,
    OfferChangesService,
    OfferExpiryService,
    OffersService,
    StaffOffersService,
  ],
  exports: [AcceptanceService, OfferChangesService, OffersService, StaffOffersService],
})
export class OffersModule {
  constructor(background: BackgroundWork, emails: EmailKindsService, expiry: OfferExpiryService) {
    emails.declare(offerEmail);
    emails.declare(approvalWanted);
    background.every('offer expiry', MINUTE, () => expiry.endOffers(), { whileServing: true });
  }
}
