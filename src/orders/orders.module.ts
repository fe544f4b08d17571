import { Module } from '@nestjs/common';
import { StaffOffersController, ClientOffersController } from './offers/offers.controller.js';
import { StaffChargesController, ChargesController } from './charges/charges.controller.js';
import { OrderDetailService } from './staff/order-detail.service.js';
import { OrderActionsService } from './staff/order-actions.service.js';
import { StaffOffersService } from './offers/staff-offers.service.js';
import { StaffChargesService } from './charges/staff-charges.service.js';
import { AuditNamesService, namesFrom } from '../platform/audit/audit-names.service.js';
import { AvailabilityModule } from '../availability/availability.module.js';
import { CatalogueModule } from '../catalogue/catalogue.module.js';
import { CatalogueService } from '../catalogue/versions/catalogue.service.js';
import { VersionPruningService } from '../catalogue/versions/version-pruning.service.js';
import { ClientsModule } from '../clients/clients.module.js';
import { BackgroundWork } from '../platform/kernel/background-work.js';
import { HOUR, MINUTE, SECOND } from '../platform/kernel/time.js';
import { Config } from '../platform/config/config.js';
import { RetentionService, TEST_DAYS } from '../platform/retention/retention.service.js';
import { pruneKeys } from './placing/prune-keys.js';
import { pruneTestOrders } from './sandbox/prune-test-orders.js';
import { SandboxModule } from '../catalogue/sandbox/sandbox.module.js';
import { ChargeStepsService } from './charges/charge-steps.service.js';
import { ChargesService } from './charges/charges.service.js';
import { chargeEmails } from './charges/charge-emails.js';
import { orderEmails } from './placing/order-emails.js';
import { approvalWanted, offerEmail } from './offers/offer-emails.js';
import { EmailKindsService } from '../platform/notifications/messages/email-kinds.service.js';
import { CancellationsService } from './delivery/cancellations.service.js';
import {
  OrderDeliveriesService,
  DeliveryNewsService,
} from './delivery/order-deliveries.service.js';
import { DeliveryImportService } from './delivery/delivery-import.service.js';
import { tracksBefore } from './delivery/live-orders.js';
import { TracksService } from '../catalogue/track/tracks.service.js';
import { Transactions } from '../platform/database/transactions.js';
import { StaffDeliveryController } from './delivery/staff-delivery.controller.js';
import { chargeNames } from './record/print-charge.js';
import { ClientNoticesService } from './staff/client-notices.service.js';
import { ClientOrdersService } from './views/client-orders.service.js';
import { DeadlinesService } from './placing/deadlines.service.js';
import {
  EnquiriesController,
  OrdersController,
  TestOrdersController,
} from './orders.controller.js';
import { ErasureService } from './erasure.service.js';
import { MovesService } from './moves/moves.service.js';
import { OrderChangesService } from './moves/order-changes.service.js';
import { UndoService } from './moves/undo.service.js';
import { OrderIntakeService } from './placing/order-intake.service.js';
import { ApprovalService } from './offers/approval.service.js';
import { AcceptanceService } from './offers/acceptance.service.js';
import { OfferChangesService } from './offers/offer-changes.service.js';
import { OfferExpiryService } from './offers/offer-expiry.service.js';
import { OffersService } from './offers/offers.service.js';
import { Order, type OrderRecord, TestOrder } from './record/order.entity.js';
import { OpenRequestsService } from './placing/open-requests.service.js';
import { PlacingService } from './placing/placing.service.js';
import { ReplayService, versionsInUse } from './views/replay.service.js';
import { TermsService } from './placing/terms.service.js';
import { TestOffersService, TestOrdersService } from './sandbox/test-orders.service.js';

const services = [
  StaffChargesService,
  StaffOffersService,
  OrderActionsService,
  OrderDetailService,
  AcceptanceService,
  ApprovalService,
  ChargesService,
  ChargeStepsService,
  CancellationsService,
  DeliveryImportService,
  DeliveryNewsService,
  OrderDeliveriesService,
  ClientNoticesService,
  ClientOrdersService,
  DeadlinesService,
  ErasureService,
  MovesService,
  OfferChangesService,
  OfferExpiryService,
  OffersService,
  OpenRequestsService,
  OrderChangesService,
  OrderIntakeService,
  PlacingService,
  ReplayService,
  TermsService,
  TestOffersService,
  TestOrdersService,
  UndoService,
];

/** PLEASE SELL ME THIS: accept an order request, and show it to its client. */
@Module({
  imports: [AvailabilityModule, CatalogueModule, ClientsModule, SandboxModule],
  controllers: [
    OrdersController,
    ChargesController,
    EnquiriesController,
    ClientOffersController,
    TestOrdersController,
    StaffChargesController,
    StaffDeliveryController,
    StaffOffersController,
  ],
  providers: services,
  exports: services,
})
export class OrdersModule {
  constructor(
    names: AuditNamesService,
    background: BackgroundWork,
    catalogue: CatalogueService,
    charges: ChargesService,
    news: DeliveryNewsService,
    openRequests: OpenRequestsService,
    pruning: VersionPruningService,
    tracks: TracksService,
    transactions: Transactions,
    emails: EmailKindsService,
    retention: RetentionService,
    config: Config,
  ) {
    const keyDays = config.idempotencyRetentionDays;
    retention.register({ rows: 'idempotency keys', days: keyDays, prune: pruneKeys });
    retention.register({ rows: 'sandbox records', days: TEST_DAYS, prune: pruneTestOrders });
    const zoneInWords = (zone: string) => catalogue.zoneInWords(zone);
    for (const kind of orderEmails(zoneInWords)) emails.declare(kind);
    for (const kind of chargeEmails) emails.declare(kind);
    emails.declare(offerEmail);
    emails.declare(approvalWanted);
    pruning.registerReferences(versionsInUse);
    const options = { firstAfter: 0, whileServing: true };
    background.every('open requests', MINUTE, () => openRequests.count(), options);
    tracks.register((today) => tracksBefore(transactions, today));
    background.every('delivery tracks', HOUR, () => tracks.refresh(), options);
    background.every('delivery news', 10 * SECOND, () => news.report(), { whileServing: true });
    background.every('charges', MINUTE, () => charges.endOverdue(), { whileServing: true });
    names.register('order', namesFrom(Order, referenceOf));
    names.register('test-order', namesFrom(TestOrder, referenceOf));
    names.register('charge', chargeNames);
  }
}

function referenceOf({ reference }: OrderRecord): string {
  return reference;
}
