import { Module } from '@nestjs/common';
import { ClientsModule } from '../clients/clients.module.js';
import { CatalogueController } from './catalogue.controller.js';
import { CatalogueService } from './versions/catalogue.service.js';
import { CostsService } from './versions/costs.service.js';
import { DownloadsService } from './downloads.service.js';
import { ExplainService } from './shown/explain.service.js';
import { ImportService } from './versions/import.service.js';
import { ShownService } from './shown/shown.service.js';
import { RegisterService } from './versions/register.service.js';
import { ReviewService } from './versions/review.service.js';
import { TracksService } from './track/tracks.service.js';
import { UploadService } from './upload.service.js';
import { VersionPruningService } from './versions/version-pruning.service.js';
import { VersionsService } from './versions/versions.service.js';

const services = [
  CatalogueService,
  CostsService,
  DownloadsService,
  ExplainService,
  ImportService,
  RegisterService,
  ReviewService,
  ShownService,
  TracksService,
  VersionPruningService,
  VersionsService,
];

/** What we sell, and where: catalogue versions, their import and review, and the active one in memory. */
@Module({
  imports: [ClientsModule],
  controllers: [CatalogueController],
  providers: [...services, UploadService],
  exports: [...services, UploadService],
})
export class CatalogueModule {}
