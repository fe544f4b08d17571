import { Injectable } from '@nestjs/common';
import { collectDefaultMetrics, type Metric, Registry } from 'prom-client';
import { ChecksService } from '../availability/checks.service.js';
import { CatalogueService } from '../catalogue/versions/catalogue.service.js';
import { Counters } from '../tracing/counters.js';
import { HealthService } from './health.service.js';
import { RequestLogService } from './request-log.service.js';
import { type DatabaseGauges, DatabaseGaugesService } from './database-gauges.service.js';

type Labels = Readonly<Record<string, string | number>>;

interface MetricValue {
  readonly value: number;
  readonly labels: Labels;
  readonly metricName?: string;
}

/**
 * The metrics for Prometheus. Requests and features count in plain numbers, which cost a request next to
 * nothing; a scrape converts them.
 */
@Injectable()
export class MetricsService {
  private readonly registry = new Registry();

  constructor(
    private readonly requestLog: RequestLogService,
    private readonly counters: Counters,
    private readonly health: HealthService,
    private readonly catalogue: CatalogueService,
    private readonly checks: ChecksService,
    private readonly gauges: DatabaseGaugesService,
  ) {
    this.addRequests();
    this.addService();
    this.addDatabase();
  }

  /** The text that Prometheus reads, and its content type. */
  async read(): Promise<{ readonly text: string; readonly type: string }> {
    return { text: await this.registry.metrics(), type: this.registry.contentType };
  }

  /** Of the process, too: processor, memory, event loop, garbage collection. */
  withProcess(): this {
    if (!this.registry.getSingleMetric('process_cpu_user_seconds_total')) {
      collectDefaultMetrics({ register: this.registry });
    }
    return this;
  }

  private addRequests(): void {
    const { requestLog, counters } = this;
    const name = 'http_request_duration_seconds';
    this.add('histogram', name, 'Seconds to answer a request, by method, route and status.', () =>
      requestLog.times.all().flatMap(({ kind, series }): MetricValue[] => {
        const { buckets, sum, count } = series.read();
        const labels = { ...kind };
        return [
          ...buckets.map(([le, value]) => ({
            value,
            labels: { le, ...labels },
            metricName: `${name}_bucket`,
          })),
          { value: sum, labels, metricName: `${name}_sum` },
          { value: count, labels, metricName: `${name}_count` },
        ];
      }),
    );
    this.add('counter', 'availability_lookups_total', 'Postcode checks, by result.', () =>
      by('result', { ...counters.checks, invalid: requestLog.invalidPostcodes.count }),
    );
    this.add(
      'counter',
      'availability_orders_total',
      'Order requests: accepted, replayed, or the code of the problem.',
      () => by('result', { accepted: 0, replayed: 0, ...requestLog.orders }),
    );
    this.add(
      'counter',
      'availability_authentication_failures_total',
      'Requests without a usable token or scope, and failed sign-ins, by reason.',
      () => by('reason', counters.refused),
    );
    this.add('counter', 'availability_limited_total', 'Requests refused by a limit.', () =>
      by('limit', counters.limited),
    );
  }

  private addService(): void {
    const { checks, gauges, health } = this;
    this.add('gauge', 'availability_ready', '1 where look-ups are answered.', () =>
      one(health.state.status === 'ready'),
    );
    this.add('gauge', 'availability_part_ok', '1 where a part of the service is well.', () => {
      const { bankHolidays, catalogue, database, disk, migrations } = health.state;
      const parts = { catalogue, database, disk, migrations, bankHolidays };
      return by('part', mapToNumbers(parts));
    });
    this.add(
      'gauge',
      'availability_check_records_waiting',
      'Records of checks to be written.',
      () => one(checks.backlog.size),
    );
    this.add(
      'counter',
      'availability_check_records_dropped_total',
      'Records of checks that were dropped, because the database was away for too long.',
      () => one(checks.backlog.dropped),
    );
    this.add(
      'counter',
      'availability_periodic_job_failures_total',
      'Failed runs of periodic jobs, by job.',
      () => by('task', this.counters.failedJobs),
    );
    if (this.requestLog.traces.on) {
      this.add(
        'counter',
        'availability_trace_spans_dropped_total',
        'Spans that no collector has taken.',
        () => one(this.requestLog.traces.dropped),
      );
    }
    this.add('gauge', 'availability_database_connections', 'Connections of the pool.', () => {
      const { pool } = gauges;
      return pool ? by('state', { ...pool }) : [];
    });
  }

  private addDatabase(): void {
    const gauge = (name: string, help: string, read: (gauges: DatabaseGauges) => MetricValue[]) =>
      this.add('gauge', name, help, async () => {
        const gauges = await this.gauges.read();
        return gauges ? read(gauges) : [];
      });
    gauge('availability_orders_open', 'Order requests that are not closed, by state.', (gauges) =>
      by('state', gauges.openOrders),
    );
    gauge(
      'availability_orders_oldest_waiting_seconds',
      'Age of the oldest order request that waits for a person.',
      (gauges) => one(gauges.oldestWaitingSeconds),
    );
    gauge('availability_outbox_messages', 'Messages that are not delivered, by state.', (gauges) =>
      by('state', gauges.outbox),
    );
    gauge(
      'availability_outbox_oldest_waiting_seconds',
      'Age of the oldest message that waits to be delivered.',
      (gauges) => one(gauges.oldestMessageSeconds),
    );
    this.add('gauge', 'availability_catalogue_version', 'The catalogue version in use.', () =>
      this.catalogue.loaded ? one(this.catalogue.current.version) : [],
    );
    gauge(
      'availability_catalogue_age_seconds',
      'Since the active version was activated.',
      (gauges) => (gauges.catalogue ? one(gauges.catalogue.ageSeconds) : []),
    );
    gauge(
      'availability_catalogue_lag_versions',
      'Versions that this instance is behind.',
      (gauges) => {
        const own = this.catalogue.loaded ? this.catalogue.current.version : 0;
        return gauges.catalogue ? one(gauges.catalogue.version - own) : [];
      },
    );
  }

  /** `collect` gives the values at the moment when they are asked for. */
  private add(
    type: 'counter' | 'gauge' | 'histogram',
    name: string,
    help: string,
    collect: () => MetricValue[] | Promise<MetricValue[]>,
  ): void {
    const get = async () => ({ name, help, type, values: await collect(), aggregator: 'sum' });
    this.registry.registerMetric({ name, get, reset: () => {} } as unknown as Metric);
  }
}

function one(value: number | boolean): MetricValue[] {
  return [{ value: Number(value), labels: {} }];
}

function by(label: string, values: Readonly<Record<string, number>>): MetricValue[] {
  return Object.entries(values).map(([key, value]) => ({ value, labels: { [label]: key } }));
}

function mapToNumbers(flags: Readonly<Record<string, boolean>>): Record<string, number> {
  return Object.fromEntries(Object.entries(flags).map(([name, flag]) => [name, Number(flag)]));
}
