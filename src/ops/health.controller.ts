import { Controller, Get, Res } from '@nestjs/common';
import type { Response } from 'express';
import { Public } from '../platform/access/rules.js';
import { serviceVersion } from '../platform/config/version.js';
import { AlsoAnswers, Described, Examples } from '../platform/http/described.js';
import { Liveness, Readiness } from './health.dto.js';
import { HealthService } from './health.service.js';

const notReady: Readiness = {
  status: 'not ready',
  catalogue: false,
  catalogueVersion: null,
  lag: null,
  database: true,
  databaseReadOnly: false,
  tokens: true,
  migrations: true,
  disk: true,
  bankHolidays: true,
  draining: false,
  warnings: [],
};

const withoutDatabase: Readiness = {
  ...notReady,
  catalogue: true,
  catalogueVersion: 7,
  database: false,
};

@Controller('health')
@Described('Operations', 'For the systems that run the service. Public: needs no token.')
export class HealthController {
  constructor(private readonly health: HealthService) {}

  /**
   * Is the process alive?
   *
   * @remarks Never touches the database.
   */
  @Get('live')
  @Public()
  live(): Liveness {
    return { status: 'live', version: serviceVersion };
  }

  /**
   * Can the service answer checks?
   *
   * @remarks 200 when ready, otherwise 503, with the state of each part. An instance that lags behind
   * stays ready, and reports it in `lag`.
   */
  @Get('ready')
  @Public()
  @AlsoAnswers(503, 'The service cannot answer checks.')
  @Examples({
    responses: { 503: { notReady: { summary: 'No catalogue has been loaded', value: notReady } } },
  })
  ready(@Res({ passthrough: true }) response: Response): Readiness {
    const { state } = this.health;
    if (state.status !== 'ready') response.status(503);
    return state;
  }

  /**
   * Can the service take orders?
   *
   * @remarks 200 when it can answer checks and its database accepts writes, otherwise 503, with the state
   * of each part. A load balancer sends orders to other instances meanwhile, and checks still to this one.
   */
  @Get('ready/orders')
  @Public()
  @AlsoAnswers(503, 'The service cannot take orders.')
  @Examples({
    responses: {
      503: { away: { summary: 'The database is away', value: { ...withoutDatabase } } },
    },
  })
  readyForOrders(@Res({ passthrough: true }) response: Response): Readiness {
    const { state, takesOrders } = this.health;
    if (takesOrders) return state;
    response.status(503);
    return { ...state, status: 'not ready' };
  }
}
