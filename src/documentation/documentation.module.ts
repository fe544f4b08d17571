import { Module } from '@nestjs/common';
import { DocumentationController, HomeController } from './documentation.controller.js';
import { DocumentationService, SearchesService } from './documentation.service.js';

/** WHAT TO READ: the documentation's pages, and those that explain problems. */
@Module({
  controllers: [DocumentationController, HomeController],
  providers: [DocumentationService, SearchesService],
  exports: [DocumentationService],
})
export class DocumentationModule {}
