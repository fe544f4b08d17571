import { Module } from '@nestjs/common';
import { AvailabilityModule } from '../availability/availability.module.js';
import { CatalogueModule } from '../catalogue/catalogue.module.js';
import { ClientsModule } from '../clients/clients.module.js';
import { FollowUpModule } from '../follow-up/follow-up.module.js';
import { OrdersModule } from '../orders/orders.module.js';
import { StaffModule } from '../staff/staff.module.js';
import { AuditPagesController } from './admin/audit.controller.js';
import { AuditPagesService } from './admin/audit-pages.service.js';
import { CataloguePagesController } from './admin/catalogue.controller.js';
import { CataloguePagesService } from './admin/catalogue-pages.service.js';
import { ClientPagesService } from './admin/client-pages.service.js';
import { ClientsPagesController } from './admin/clients.controller.js';
import { MemberPagesService } from './admin/member-pages.service.js';
import { MembersPagesController } from './admin/members.controller.js';
import { NotificationPagesService } from './admin/notification-pages.service.js';
import { NotificationsPagesController } from './admin/notifications.controller.js';
import { CheckPagesController } from './check/check-pages.controller.js';
import { CheckPagesService } from './check/check-pages.service.js';
import { TelephoneService } from './check/telephone.service.js';
import { OrderController } from './order/order.controller.js';
import { OrderPages } from './order/order-pages.service.js';
import { QueueController } from './queue/queue.controller.js';
import { QueuePages } from './queue/queue-pages.service.js';
import { ReportPagesController } from './reports/report-pages.controller.js';
import { ReportPagesService } from './reports/report-pages.service.js';
import { AssetsController } from './shell/assets.controller.js';
import { DeskService } from './shell/desk.service.js';
import { PreferencesController } from './shell/preferences.controller.js';
import { AccountController } from './sign-in/account.controller.js';
import { AccountPagesService } from './sign-in/account-pages.service.js';
import { SignInCodePagesService } from './sign-in/sign-in-code-pages.service.js';
import { SignInPagesService } from './sign-in/sign-in-pages.service.js';
import { SignInProviderPagesService } from './sign-in/sign-in-provider-pages.service.js';
import { SignInController } from './sign-in/sign-in.controller.js';

/** THE STAFF'S SCREENS: server-rendered pages, from the sign-in to the audit trail. */
@Module({
  imports: [
    AvailabilityModule,
    CatalogueModule,
    ClientsModule,
    FollowUpModule,
    OrdersModule,
    StaffModule,
  ],
  controllers: [
    AccountController,
    AssetsController,
    AuditPagesController,
    CataloguePagesController,
    CheckPagesController,
    ClientsPagesController,
    MembersPagesController,
    NotificationsPagesController,
    OrderController,
    PreferencesController,
    QueueController,
    ReportPagesController,
    SignInController,
  ],
  providers: [
    AccountPagesService,
    AuditPagesService,
    CataloguePagesService,
    CheckPagesService,
    ClientPagesService,
    DeskService,
    MemberPagesService,
    NotificationPagesService,
    OrderPages,
    QueuePages,
    ReportPagesService,
    SignInCodePagesService,
    SignInPagesService,
    SignInProviderPagesService,
    TelephoneService,
  ],
})
export class PagesModule {}
