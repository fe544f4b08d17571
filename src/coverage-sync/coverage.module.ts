import { Module } from '@nestjs/common';
import { CatalogueModule } from '../catalogue/catalogue.module.js';
import { ClientsModule } from '../clients/clients.module.js';
import { BackgroundWork } from '../platform/kernel/background-work.js';
import { SECOND } from '../platform/kernel/time.js';
import { CoverageController, TestCoverageController } from './coverage.controller.js';
import { CoverageNewsService } from './coverage-news.service.js';
import { CoverageService } from './coverage.service.js';
import { CoverageVersionsService } from './coverage-versions.service.js';

/** Coverage and prices for API clients that answer checks by themselves. */
@Module({
  imports: [CatalogueModule, ClientsModule],
  controllers: [CoverageController, TestCoverageController],
  providers: [CoverageNewsService, CoverageService, CoverageVersionsService],
})
export class CoverageModule {
  constructor(background: BackgroundWork, news: CoverageNewsService) {
    background.every('coverage news', 10 * SECOND, () => news.tell(), { whileServing: true });
  }
}
