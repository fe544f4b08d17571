import { Module } from '@nestjs/common';
import { CatalogueModule } from '../../catalogue/catalogue.module.js';
import { ClientsModule } from '../../clients/clients.module.js';
import { StaffModule } from '../../staff/staff.module.js';
import { AuditPagesController } from './audit.controller.js';
import { CataloguePagesController } from './catalogue.controller.js';
import { ClientsPagesController } from './clients.controller.js';
import { MemberViews } from './member-views.service.js';
import { MembersPagesController } from './members.controller.js';
import { NotificationsPagesController } from './notifications.controller.js';

/** Clients, staff, catalogue, notifications and the audit trail, for those who may. */
@Module({
  imports: [CatalogueModule, ClientsModule, StaffModule],
  controllers: [
    AuditPagesController,
    CataloguePagesController,
    ClientsPagesController,
    MembersPagesController,
    NotificationsPagesController,
  ],
  providers: [MemberViews],
})
export class AdminPagesModule {}
