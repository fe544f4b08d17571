import { Global, Module } from '@nestjs/common';
import { BackgroundWork } from '../kernel/background-work.js';
import { HOUR, MINUTE } from '../kernel/time.js';
import { RetentionService } from './retention.service.js';

/** WHAT WE FORGET: records that have been kept long enough. */
@Global()
@Module({ providers: [RetentionService], exports: [RetentionService] })
export class RetentionModule {
  constructor(background: BackgroundWork, retention: RetentionService) {
    const options = { firstAfter: 5 * MINUTE, whileServing: true };
    background.every('retention', HOUR, (stopping) => retention.pruneAndLog(stopping), options);
  }
}
