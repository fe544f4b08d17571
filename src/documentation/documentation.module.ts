import { Module } from '@nestjs/common';
import { DocumentationController } from './documentation.controller.js';
import { HomeController } from './home.controller.js';
import { DocumentationService } from './documentation.service.js';
import { SearchesService } from './searches.service.js';

/** WHAT TO READ: the documentation's pages, and those that explain problems. */
@Module({
  controllers: [DocumentationController, HomeController],
  providers: [DocumentationService, SearchesService],
})
export class DocumentationModule {}
