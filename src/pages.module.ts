import { Module } from '@nestjs/common';
import { AvailabilityModule } from './availability/availability.module.js';
import { CatalogueModule } from './catalogue/catalogue.module.js';
import { ClientsModule } from './clients/clients.module.js';
import { Config } from './platform/config/config.js';
import { ReportsModule } from './reports/reports.module.js';
import { QueueModule } from './queue/queue.module.js';
import { OrdersModule } from './orders/orders.module.js';
import { DocumentationModule } from './documentation/documentation.module.js';
import { WatchesModule } from './watches/watches.module.js';
import { StaffModule } from './staff/staff.module.js';
import { ClientAdministrationModule } from './administration/clients/client-administration.module.js';
import { AuditPagesController } from './administration/audit.controller.js';
import { CataloguePagesController } from './administration/catalogue/catalogue.controller.js';
import { CatalogueBrowseController } from './administration/catalogue/catalogue-browse.controller.js';
import { CatalogueEditController } from './administration/catalogue/catalogue-edit.controller.js';
import {
  ClientEditPagesController,
  ClientsPagesController,
} from './administration/clients.controller.js';
import { MembersPagesController } from './administration/members.controller.js';
import { NotificationsPagesController } from './administration/notifications.controller.js';
import { TelephoneService } from './telephone/telephone.service.js';
import { CheckPagesController } from './telephone/check-pages.controller.js';
import { HelpController } from './documentation/documentation.controller.js';
import { DraftPagesController } from './quotes/screens/draft-pages.controller.js';
import { QuotePagesController } from './quotes/screens/quote-pages.controller.js';
import { QuotesModule } from './quotes/quotes.module.js';
import { MapController, QuoteMapController } from './reports/map/map.controller.js';
import { CallController } from './queue/order/call.controller.js';
import { AmendmentPagesController } from './orders/conversation/amendment-pages.controller.js';
import { ChargesModule } from './orders/charges/charges.module.js';
import { ChargePagesController } from './orders/charges/charge-pages.controller.js';
import { DeliveryModule } from './orders/delivery/delivery.module.js';
import {
  DeliveryPagesController,
  DeliveryUpdatePagesController,
} from './orders/delivery/delivery-pages.controller.js';
import { OrderController } from './queue/order/order.controller.js';
import {
  ApprovalsController,
  OfferPagesController,
} from './orders/offers/offer-pages.controller.js';
import {
  QueueController,
  QueueExportController,
  QueueFragmentsController,
} from './queue/screens/queue.controller.js';
import { ReportPagesController } from './reports/screens/report-pages.controller.js';
import { ReportScopeService } from './reports/screens/report-scope.service.js';
import { brandAssets } from './platform/ui/assets.js';
import { AssetsController } from './platform/ui/assets.controller.js';
import { FilterChoicesService } from './queue/screens/filter-choices.service.js';
import { PreferencesController } from './queue/screens/preferences.controller.js';
import { AccountController } from './staff/screens/account.controller.js';
import {
  SignInCodeController,
  SignInController,
  SignInProviderController,
} from './staff/screens/sign-in.controller.js';

/** THE STAFF'S SCREENS: server-rendered pages, from the sign-in to the audit trail. */
@Module({
  imports: [
    AvailabilityModule,
    CatalogueModule,
    ChargesModule,
    ClientAdministrationModule,
    ClientsModule,
    DeliveryModule,
    DocumentationModule,
    QueueModule,
    QuotesModule,
    OrdersModule,
    ReportsModule,
    StaffModule,
    WatchesModule,
  ],
  controllers: [
    AccountController,
    AssetsController,
    AuditPagesController,
    CatalogueEditController,
    CatalogueBrowseController,
    // These before the controller of orders, whose moves have the same form of address.
    CallController,
    OfferPagesController,
    ApprovalsController,
    AmendmentPagesController,
    ChargePagesController,
    DeliveryPagesController,
    DeliveryUpdatePagesController,
    CataloguePagesController,
    CheckPagesController,
    ClientEditPagesController,
    ClientsPagesController,
    HelpController,
    MapController,
    QuoteMapController,
    MembersPagesController,
    NotificationsPagesController,
    OrderController,
    PreferencesController,
    QueueController,
    DraftPagesController,
    QuotePagesController,
    QueueExportController,
    QueueFragmentsController,
    ReportPagesController,
    SignInController,
    SignInCodeController,
    SignInProviderController,
  ],
  providers: [FilterChoicesService, ReportScopeService, TelephoneService],
})
export class PagesModule {
  constructor(config: Config) {
    brandAssets(config);
  }
}
