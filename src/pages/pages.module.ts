import { Module } from '@nestjs/common';
import { AdminPagesModule } from './admin/admin-pages.module.js';
import { AssetsController } from './assets.controller.js';
import { QueuePagesModule } from './queue-pages.module.js';

/** THE STAFF'S SCREENS: server-rendered views over the follow-up, staff, clients and catalogue. */
@Module({ imports: [QueuePagesModule, AdminPagesModule], controllers: [AssetsController] })
export class PagesModule {}
