import { Module } from '@nestjs/common';
import { AssetsController } from './assets.controller.js';

/** THE STAFF'S SCREENS: server-rendered views over the follow-up, staff, clients and catalogue. */
@Module({ controllers: [AssetsController] })
export class PagesModule {}
