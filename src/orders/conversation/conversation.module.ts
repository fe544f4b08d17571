import { Module } from '@nestjs/common';
import { AuditNamesService } from '../../platform/audit/audit-names.service.js';
import { EmailKindsService } from '../../platform/notifications/messages/email-kinds.service.js';
import { DeliveryModule } from '../delivery/delivery.module.js';
import { MovesModule } from '../moves/moves.module.js';
import { OrderViewsModule } from '../staff/order-views.module.js';
import { amendedEmail, AmendmentsService } from './amendments.service.js';
import { ConversationMessage } from '../record/message.entity.js';
import { namesByOrder } from '../record/print-charge.js';
import { messageEmails, MessagesService } from './messages.service.js';

/** What clients and staff say to each other about an order or an enquiry after it was placed. */
@Module({
  imports: [DeliveryModule, MovesModule, OrderViewsModule],
  providers: [AmendmentsService, MessagesService],
  exports: [AmendmentsService, MessagesService],
})
export class ConversationModule {
  constructor(emails: EmailKindsService, names: AuditNamesService) {
    names.register('message', namesByOrder(ConversationMessage, 'message about'));
    for (const kind of [amendedEmail, ...messageEmails]) emails.declare(kind);
  }
}
