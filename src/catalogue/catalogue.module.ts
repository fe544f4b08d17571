import { Module } from '@nestjs/common';
import { ClientsModule } from '../clients/clients.module.js';
import { ActivationService } from './activation.service.js';
import { CatalogueController } from './catalogue.controller.js';
import { CatalogueService } from './catalogue.service.js';
import { ExplainService } from './explain.service.js';
import { ImportService } from './import.service.js';
import { RegisterService } from './register.service.js';
import { ReviewService } from './review.service.js';
import { UploadService } from './upload.service.js';
import { VersionsService } from './versions.service.js';

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
export class CatalogueModule {}
