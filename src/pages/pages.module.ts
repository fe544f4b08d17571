import { Module } from '@nestjs/common';
import { AdminPagesModule } from './admin/admin-pages.module.js';
import { AssetsController } from './shell/assets.controller.js';
import { CheckPagesModule } from './check/check-pages.module.js';
import { QueuePagesModule } from './queue/queue-pages.module.js';
import { ReportPagesModule } from './reports/report-pages.module.js';

/** THE STAFF'S SCREENS: server-rendered views over the follow-up, staff, clients and catalogue. */
@Module({
  imports: [AdminPagesModule, CheckPagesModule, QueuePagesModule, ReportPagesModule],
  controllers: [AssetsController],
})
export class PagesModule {}
