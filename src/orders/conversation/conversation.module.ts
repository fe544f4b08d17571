import { Module } from '@nestjs/common';
import { EmailKindsService } from '../../platform/notifications/messages/email-kinds.service.js';
import { MovesModule } from '../moves/moves.module.js';
import { OrderViewsModule } from '../staff/order-views.module.js';
import { amendedEmail, AmendmentsService } from './amendments.service.js';

/** What clients and staff say to each other about an order or an enquiry after it was placed. */
@Module({
  imports: [MovesModule, OrderViewsModule],
  providers: [AmendmentsService],
  exports: [AmendmentsService],
})
export class ConversationModule {
  constructor(emails: EmailKindsService) {
    emails.declare(amendedEmail);
  }
}
