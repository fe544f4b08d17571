import { Controller, Get, Res } from '@nestjs/common';
import type { Response } from 'express';
import { CatalogueService } from '../catalogue/catalogue.service.js';
import { bankHolidayWarning } from '../common/bank-holidays.js';
import { Clock } from '../common/clock.js';
import { Public } from '../common/scopes.js';
import { Transactions } from '../database/transactions.js';
import { Liveness, Readiness } from './health.dto.js';

@Controller('health')
export class HealthController {
  constructor(
    private readonly catalogue: CatalogueService,
    private readonly transactions: Transactions,
    private readonly clock: Clock,
  ) {}

  /**
   * Is the process alive?
   *
   * @remarks Never touches the database.
   */
  @Get('live')
  @Public()
  live(): Liveness {
    return { status: 'live' };
  }

  /**
   * Can look-ups be answered?
   *
   * @remarks 200 when ready, 503 when not, with the state of each part. An instance
   * that lags behind stays ready, because it answers, and says so in `lag`.
   */
  @Get('ready')
  @Public()
  async ready(@Res({ passthrough: true }) response: Response): Promise<Readiness> {
    const catalogue = this.catalogue.loaded;
    const database = await this.transactions
      .read((tx) => tx.query('SELECT 1'))
      .then(
        () => true,
        () => false,
      );
    if (!catalogue) response.status(503);
    const warning = bankHolidayWarning(this.clock.now());
    return {
      status: catalogue ? 'ready' : 'not ready',
      catalogue,
      catalogueVersion: this.catalogue.currentNumber,
      lag: this.catalogue.lag,
      database,
      warnings: warning === null ? [] : [warning],
    };
  }
}
