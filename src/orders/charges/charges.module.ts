import { Module } from '@nestjs/common';
import { AuditNamesService } from '../../platform/audit/audit-names.service.js';
import { BackgroundWork } from '../../platform/kernel/background-work.js';
import { MINUTE } from '../../platform/kernel/time.js';
import { EmailKindsService } from '../../platform/notifications/messages/email-kinds.service.js';
import { MovesModule } from '../moves/moves.module.js';
import { PlacingModule } from '../placing/placing.module.js';
import { Charge } from '../record/charge.entity.js';
import { namesByOrder } from '../record/print-charge.js';
import { OrderViewsModule } from '../staff/order-views.module.js';
import { chargeEmails } from './charge-emails.js';
import { ChargeStepsService } from './charge-steps.service.js';
import { ChargesService } from './charges.service.js';
import { StaffChargesService } from './staff-charges.service.js';

/** Extra charges on orders. */
@Module({
  imports: [MovesModule, OrderViewsModule, PlacingModule],
  providers: [ChargesService, ChargeStepsService, StaffChargesService],
  exports: [ChargesService, StaffChargesService],
})
export class ChargesModule {
  constructor(
    names: AuditNamesService,
    background: BackgroundWork,
    emails: EmailKindsService,
    charges: ChargesService,
  ) {
    names.register('charge', namesByOrder(Charge, 'charge of'));
    for (const kind of chargeEmails) emails.declare(kind);
    background.every('charges', MINUTE, () => charges.endOverdue(), { whileServing: true });
  }
}
