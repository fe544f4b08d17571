import { Module } from '@nestjs/common';
import { CatalogueService } from './catalogue.service.js';
import { ImportService } from './import.service.js';

/** WHAT WE SELL, WHERE: versions, their import, and the active one in memory. */
@Module({
  providers: [CatalogueService, ImportService],
  exports: [CatalogueService, ImportService],
})
export class CatalogueModule {}
