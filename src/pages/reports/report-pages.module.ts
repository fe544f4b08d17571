import { Module } from '@nestjs/common';
import { FollowUpModule } from '../../follow-up/follow-up.module.js';
import { ReportPagesController } from './report-pages.controller.js';
import { ReportPagesService } from './report-pages.service.js';

/** The reports, and the map of the country. */
@Module({
  imports: [FollowUpModule],
  controllers: [ReportPagesController],
  providers: [ReportPagesService],
})
export class ReportPagesModule {}
