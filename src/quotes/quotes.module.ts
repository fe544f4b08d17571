import { Module } from '@nestjs/common';
import { CatalogueModule } from '../catalogue/catalogue.module.js';
import { SandboxModule } from '../catalogue/sandbox/sandbox.module.js';
import { ClientsModule } from '../clients/clients.module.js';
import { OrdersModule } from '../orders/orders.module.js';
import { VersionPruningService } from '../catalogue/versions/version-pruning.service.js';
import { AuditNamesService, namesFrom } from '../platform/audit/audit-names.service.js';
import { BackgroundWork } from '../platform/kernel/background-work.js';
import { MINUTE } from '../platform/kernel/time.js';
import { RetentionService, TEST_DAYS } from '../platform/retention/retention.service.js';
import { EmailKindsService } from '../platform/notifications/messages/email-kinds.service.js';
import { ErasureService } from '../orders/erasure.service.js';
import { DocumentsService } from './document/documents.service.js';
import { quoteAnswered, QuoteNewsService } from './quote-emails.js';
import { HeldTermsService } from './held-terms.service.js';
import { eraseLine, lockedQuote, QuoteErasureService } from './quote-erasure.service.js';
import { QuoteEnquiriesService } from './quote-enquiries.service.js';
import { Quote } from './record/quote.entity.js';
import {
  DRAFT_DAYS,
  pruneDrafts,
  pruneQuotes,
  pruneTestQuotes,
  versionsInQuotes,
} from './record/prune-quotes.js';
import { QuoteDraftsService } from './quote-drafts.service.js';
import { QuoteReadingService } from './quote-reading.service.js';
import { QuoteRequestsService } from './quote-requests.service.js';
import { QuotesController } from './quotes.controller.js';
import { QuotesService } from './quotes.service.js';
import { SiteAnswersService } from './site-answers.service.js';
import { StaffQuotesService } from './staff-quotes.service.js';

/** Days for which a quote is kept after its last instant; its orders stay. */
const QUOTE_DAYS = 365;

/** A customer with many sites: answered in one document, and ordered from it. */
@Module({
  imports: [CatalogueModule, ClientsModule, OrdersModule, SandboxModule],
  controllers: [QuotesController],
  providers: [
    DocumentsService,
    HeldTermsService,
    QuoteDraftsService,
    QuoteEnquiriesService,
    QuoteErasureService,
    QuoteNewsService,
    QuoteReadingService,
    QuoteRequestsService,
    QuotesService,
    SiteAnswersService,
    StaffQuotesService,
  ],
  exports: [
    DocumentsService,
    HeldTermsService,
    QuoteDraftsService,
    QuoteEnquiriesService,
    StaffQuotesService,
  ],
})
export class QuotesModule {
  constructor(
    pruning: VersionPruningService,
    names: AuditNamesService,
    emails: EmailKindsService,
    background: BackgroundWork,
    news: QuoteNewsService,
    erasure: ErasureService,
    retention: RetentionService,
  ) {
    retention.register({ rows: 'quotes', days: QUOTE_DAYS, prune: pruneQuotes });
    retention.register({ rows: 'sandbox records', days: TEST_DAYS, prune: pruneTestQuotes });
    retention.register({ rows: 'drafts of quotes', days: DRAFT_DAYS, prune: pruneDrafts });
    erasure.register(eraseLine);
    erasure.registerQuotes(lockedQuote);
    names.register(
      'quote',
      namesFrom(Quote, ({ reference }) => reference),
    );
    emails.declare(quoteAnswered);
    background.every('quote news', MINUTE, () => news.tell(), { whileServing: true });
    pruning.registerReferences(versionsInQuotes);
  }
}
