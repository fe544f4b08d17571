import { Module } from '@nestjs/common';
import { DocumentationController } from './documentation.controller.js';
import { DocumentationService } from './documentation.service.js';
import { ProblemsController } from './problems.controller.js';

/** WHAT TO READ: the documentation's pages, and those that explain problems. */
@Module({
  controllers: [DocumentationController, ProblemsController],
  providers: [DocumentationService],
})
export class DocumentationModule {}
