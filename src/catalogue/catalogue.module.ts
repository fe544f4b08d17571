import { Module } from '@nestjs/common';
import { BackgroundWork } from '../kernel/background-work.js';
import { SECOND } from '../kernel/time.js';
import { ClientsModule } from '../clients/clients.module.js';
import { ActivationService } from './versions/activation.service.js';
import { CatalogueController } from './catalogue.controller.js';
import { CatalogueService } from './versions/catalogue.service.js';
import { ExplainService } from './versions/explain.service.js';
import { ImportService } from './versions/import.service.js';
import { RegisterService } from './versions/register.service.js';
import { ReviewService } from './versions/review.service.js';
import { UploadService } from './upload.service.js';
import { VersionsService } from './versions/versions.service.js';

const services = [
  CatalogueService,
  ExplainService,
  ImportService,
  RegisterService,
  ReviewService,
  VersionsService,
];

/** WHAT WE SELL, WHERE: versions, their import and review, and the active one in memory. */
@Module({
  imports: [ClientsModule],
  controllers: [CatalogueController],
  providers: [...services, ActivationService, UploadService],
  exports: [...services, UploadService],
})
export class CatalogueModule {
  constructor(background: BackgroundWork, activation: ActivationService) {
    background.every('catalogue activation', SECOND / 5, () => activation.recordDue());
  }
}
