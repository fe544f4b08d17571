import { Module } from '@nestjs/common';
import { CatalogueModule } from '../catalogue/catalogue.module.js';
import { SandboxModule } from '../catalogue/sandbox/sandbox.module.js';
import { OrdersModule } from '../orders/orders.module.js';
import { VersionPruningService } from '../catalogue/versions/version-pruning.service.js';
import { versionsInQuotes } from './prune-quotes.js';
import { QuoteRequestsService } from './quote-requests.service.js';
import { QuotesController } from './quotes.controller.js';
import { QuotesService } from './quotes.service.js';
import { SiteAnswersService } from './site-answers.service.js';
import { StaffQuotesService } from './staff-quotes.service.js';

/** A customer with many sites: answered in one document, and ordered from it. */
@Module({
  imports: [CatalogueModule, OrdersModule, SandboxModule],
  controllers: [QuotesController],
  providers: [QuoteRequestsService, QuotesService, SiteAnswersService, StaffQuotesService],
  exports: [StaffQuotesService],
})
export class QuotesModule {
  constructor(pruning: VersionPruningService) {
    pruning.registerReferences(versionsInQuotes);
  }
}
