import { Module } from '@nestjs/common';
import { RetentionService } from './retention.service.js';

/** WHAT WE FORGET: records that have been kept long enough. */
@Module({ providers: [RetentionService] })
export class RetentionModule {}
