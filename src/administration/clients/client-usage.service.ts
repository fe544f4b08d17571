import { Injectable } from '@nestjs/common';
import type { ClientErrorDay } from '../../clients/client-error-day.entity.js';
import { ClientErrorsService } from '../../clients/client-errors.service.js';
import { LIVE, modeOf } from '../../platform/database/sides.js';
import { Clock } from '../../platform/kernel/clock.js';
import { addDays } from '../../platform/kernel/time.js';
import { isUuid } from '../../platform/kernel/uuid.js';
import { londonDay } from '../../platform/kernel/working-hours.js';
import { OpenRequestsService } from '../../orders/placing/open-requests.service.js';
import { NOTHING_FOUND, ReportCountsService } from '../../reports/report-counts.service.js';
import { rangeOf, rowsByKey } from '../../reports/report-figures.js';
import type { ClientErrorCount, ClientUsage } from './clients.dto.js';
import { ClientOverviewService } from './client-overview.service.js';

export const USAGE_DAYS = 30;

/** What one API client did in the last days. */
@Injectable()
export class ClientUsageService {
  constructor(
    private readonly overview: ClientOverviewService,
    private readonly counts: ReportCountsService,
    private readonly errors: ClientErrorsService,
    private readonly openRequests: OpenRequestsService,
    private readonly clock: Clock,
  ) {}

  /** @throws {NotFound} */
  async of(id: string): Promise<ClientUsage> {
    const { client, lastUsedAt } = await this.overview.find(id);
    const now = this.clock.now();
    const to = londonDay(now);
    const from = addDays(to, 1 - USAGE_DAYS);
    const range = rangeOf({ from, to }, now);
    if (!isUuid(client.id)) throw new Error('The id goes into SQL.');
    const where = `r.clientId = '${client.id}'`;
    const counting = { none: NOTHING_FOUND };
    const [counted] = await this.counts.checks({ counting, where }, range.days);
    const states = await this.counts.orders(
      { at: 'receivedAt', by: { state: 'r.state' }, where },
      range,
    );
    const received = new Map(states.map(({ by, n }) => [by.state, n]));
    received.delete('duplicate');
    const checks = counted?.n ?? 0;
    const checksWithProducts = checks - (counted?.counted.none ?? 0);
    const orders = [...received.values()].reduce((sum, n) => sum + n, 0);
    const won = received.get('won') ?? 0;
    return {
      from,
      to,
      checks,
      checksWithProducts,
      orders,
      won,
      ordersPerCheck: checksWithProducts === 0 ? null : orders / checksWithProducts,
      wonPerOrder: orders === 0 ? null : won / orders,
      lastUsedAt,
      openRequests: this.openRequests.openOf({ clientId: client.id, ...LIVE }),
      errors: errorCounts(await this.errors.since(from, client.id)),
    };
  }
}

/** @param days in any order */
export function errorCounts(days: readonly ClientErrorDay[]): ClientErrorCount[] {
  const { rows, rowOf } = rowsByKey((key): ClientErrorCount => {
    const [code = '', mode] = key.split(' ');
    return { code, mode: mode === 'test' ? 'test' : 'live', errors: 0, lastAt: new Date(0) };
  });
  for (const day of days) {
    const { code, errors, lastAt } = day;
    const row = rowOf(`${code} ${modeOf(day)}`);
    row.errors += errors;
    if (lastAt > row.lastAt) row.lastAt = lastAt;
  }
  return [...rows.values()].sort((a, b) => b.errors - a.errors);
}
