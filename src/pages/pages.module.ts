import { Module } from '@nestjs/common';
import { AvailabilityModule } from '../availability/availability.module.js';
import { CatalogueModule } from '../catalogue/catalogue.module.js';
import { ClientsModule } from '../clients/clients.module.js';
import { Config } from '../config/config.js';
import { FollowUpModule } from '../follow-up/follow-up.module.js';
import { OrdersModule } from '../orders/orders.module.js';
import { WatchesModule } from '../watches/watches.module.js';
import { StaffModule } from '../staff/staff.module.js';
import { AuditPagesController } from './admin/audit.controller.js';
import { CataloguePagesController } from './admin/catalogue/catalogue.controller.js';
import { CatalogueBrowseController } from './admin/catalogue/catalogue-browse.controller.js';
import { CatalogueEditController } from './admin/catalogue/catalogue-edit.controller.js';
import { ClientEditPagesController } from './admin/client-edit.controller.js';
import { ClientsPagesController } from './admin/clients.controller.js';
import { MembersPagesController } from './admin/members.controller.js';
import { NotificationsPagesController } from './admin/notifications.controller.js';
import { CheckPagesController } from './check/check-pages.controller.js';
import { AdminHelpController, HelpController } from './help/help.controller.js';
import { MapController } from './map/map.controller.js';
import { CallController } from './order/call.controller.js';
import { ChargePagesController } from './order/charges.controller.js';
import { OrderController } from './order/order.controller.js';
import { ApprovalsController, OfferPagesController } from './offers/offers.controller.js';
import {
  QueueController,
  QueueExportController,
  QueueFragmentsController,
} from './queue/queue.controller.js';
import { ReportPagesController } from './reports/report-pages.controller.js';
import { ReportScopeService } from './reports/report-scope.service.js';
import { brandAssets } from './shell/assets.js';
import { AssetsController } from './shell/assets.controller.js';
import { OrdersContextService } from './shell/orders-context.service.js';
import { PreferencesController } from './shell/preferences.controller.js';
import { AccountController } from './sign-in/account.controller.js';
import { SignInController } from './sign-in/sign-in.controller.js';
import { SignInCodeController } from './sign-in/sign-in-code.controller.js';
import { SignInProviderController } from './sign-in/sign-in-provider.controller.js';

/** THE STAFF'S SCREENS: server-rendered pages, from the sign-in to the audit trail. */
@Module({
  imports: [
    AvailabilityModule,
    CatalogueModule,
    ClientsModule,
    FollowUpModule,
    OrdersModule,
    StaffModule,
    WatchesModule,
  ],
  controllers: [
    AccountController,
    AdminHelpController,
    AssetsController,
    AuditPagesController,
    CatalogueEditController,
    CatalogueBrowseController,
    // These before the controller of orders, whose moves have the same form of address.
    CallController,
    OfferPagesController,
    ApprovalsController,
    ChargePagesController,
    CataloguePagesController,
    CheckPagesController,
    ClientEditPagesController,
    ClientsPagesController,
    HelpController,
    MapController,
    MembersPagesController,
    NotificationsPagesController,
    OrderController,
    PreferencesController,
    QueueController,
    QueueExportController,
    QueueFragmentsController,
    ReportPagesController,
    SignInController,
    SignInCodeController,
    SignInProviderController,
  ],
  providers: [OrdersContextService, ReportScopeService],
})
export class PagesModule {
  constructor(config: Config) {
    brandAssets(config);
  }
}
