import { Injectable } from '@nestjs/common';
import { collectDefaultMetrics, type Metric, Registry } from 'prom-client';
import { ChecksService } from '../availability/checks.service.js';
import { CatalogueService } from '../catalogue/versions/catalogue.service.js';
import { Counters } from '../platform/kernel/counters.js';
import { Clock } from '../platform/kernel/clock.js';
import { DAY } from '../platform/kernel/time.js';
import { londonDay } from '../platform/kernel/working-hours.js';
import { HealthService } from './health.service.js';
import { RequestLogService } from './request-log.service.js';
import { type DatabaseGauges, DatabaseGaugesService } from './database-gauges.service.js';

type Labels = Readonly<Record<string, string | number>>;

interface MetricValue {
  readonly value: number;
  readonly labels: Labels;
  readonly metricName?: string;
}

/** Gives the values at the time of a scrape. */
type Collect = () => MetricValue[] | Promise<MetricValue[]>;

/** The metrics for Prometheus. Requests only increment plain numbers; a scrape converts them. */
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
    private readonly clock: Clock,
  ) {
    this.addRequests();
    this.addService();
    this.addDatabase();
    this.addCostBooks();
  }

  async read(): Promise<{ readonly text: string; readonly type: string }> {
    return { text: await this.registry.metrics(), type: this.registry.contentType };
  }

  /** Adds metrics of the process: processor, memory, event loop, garbage collection. */
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
    this.count('availability_lookups_total', 'Postcode checks, by result.', () =>
      by('result', { ...counters.checks, invalid: requestLog.invalidPostcodes.count }),
    );
    this.count('availability_orders_total', 'Orders: accepted, replayed, or the problem.', () =>
      by('result', { accepted: 0, replayed: 0, ...requestLog.orders }),
    );
    const failures = 'availability_authentication_failures_total';
    this.count(failures, 'Refused tokens, scopes and sign-ins, by reason.', () =>
      by('reason', counters.refused),
    );
    this.count('availability_limited_total', 'Requests refused by a limit.', () =>
      by('limit', counters.limited),
    );
  }

  private addService(): void {
    const { catalogue, checks, counters, gauges, health } = this;
    this.gauge('availability_ready', '1 if the service can answer checks.', () =>
      one(health.state.status === 'ready'),
    );
    this.gauge('availability_ready_for_orders', '1 if the service can take orders.', () =>
      one(health.takesOrders),
    );
    const readOnly = 'availability_database_read_only';
    this.gauge(readOnly, '1 if the database answers but refuses writes.', () =>
      one(health.databaseIsReadOnly),
    );
    this.gauge('availability_part_ok', '1 if a part of the service is healthy.', () => {
      const { bankHolidays, catalogue, database, disk, migrations, tokens } = health.state;
      const parts = { catalogue, database, tokens, disk, migrations, bankHolidays };
      return by('part', mapToNumbers(parts));
    });
    this.gauge('availability_check_records_waiting', 'Check records to be written.', () =>
      one(checks.backlog.size),
    );
    const dropped = 'availability_check_records_dropped_total';
    this.count(dropped, 'Check records lost because the database was away for too long.', () =>
      one(checks.backlog.dropped),
    );
    const failedJobs = 'availability_periodic_job_failures_total';
    this.count(failedJobs, 'Failed runs of periodic jobs, by job.', () =>
      by('task', counters.failedJobs),
    );
    this.gauge('availability_periodic_job_seconds', 'Last complete run of periodic jobs.', () =>
      by('task', counters.jobSeconds),
    );
    this.count('availability_deliveries_total', 'Attempts to deliver a message.', () =>
      [...counters.deliveries.values()].map(({ count: value, ...labels }) => ({ value, labels })),
    );
    this.count('availability_log_lines_lost_total', 'Log lines that no one could read.', () =>
      one(this.requestLog.lostLines),
    );
    this.gauge('availability_open_streams', 'Open streams of server-sent events.', () =>
      one(counters.openStreams),
    );
    this.gauge('availability_instances_expected', 'The setting INSTANCES of this instance.', () =>
      one(gauges.instances),
    );
    const outages = 'availability_database_failures_total';
    this.count(outages, 'Uses of the database that failed, by cause.', () =>
      by('cause', gauges.outages),
    );
    const backup = 'availability_backup_age_seconds';
    this.gauge(backup, 'Age of the last verified backup that was recorded.', () =>
      gauges.backupAgeSeconds === null ? [] : one(gauges.backupAgeSeconds),
    );
    this.gauge('availability_database_connections', 'Connections in the pool.', () =>
      gauges.pool ? by('state', { ...gauges.pool }) : [],
    );
    this.gauge('availability_catalogue_version', 'The catalogue version in use.', () =>
      catalogue.loaded ? one(catalogue.current.version) : [],
    );
  }

  /** Days until the cost book of a supplier ends; negative once its prices are indicative. */
  private addCostBooks(): void {
    const name = 'availability_cost_book_days';
    this.gauge(name, 'Days until the cost book of a supplier ends.', () => {
      if (!this.catalogue.loaded) return [];
      const today = Date.parse(londonDay(this.clock.now()));
      return this.catalogue.current.content.suppliers.map(({ supplier, validUntil }) => ({
        value: Math.round((Date.parse(validUntil) - today) / DAY),
        labels: { supplier },
      }));
    });
  }

  private addDatabase(): void {
    const gauge = (name: string, help: string, read: (gauges: DatabaseGauges) => MetricValue[]) =>
      this.gauge(name, help, async () => {
        const gauges = await this.gauges.read();
        return gauges ? read(gauges) : [];
      });
    gauge('availability_orders_open', 'Open orders, by state.', ({ openOrders }) =>
      by('state', openOrders),
    );
    const oldest = 'availability_orders_oldest_waiting_seconds';
    gauge(oldest, 'Age of the oldest unassigned order.', (gauges) =>
      one(gauges.oldestWaitingSeconds),
    );
    const messages = 'availability_outbox_messages';
    gauge(messages, 'Undelivered messages, by receiver and state.', ({ outbox }) =>
      outbox.flatMap(({ receiver, states }) =>
        Object.entries(states).map(([state, value]) => ({ value, labels: { receiver, state } })),
      ),
    );
    const oldestMessage = 'availability_outbox_oldest_waiting_seconds';
    gauge(oldestMessage, 'Age of the oldest waiting message, by receiver.', ({ outbox }) =>
      outbox.map(({ receiver, oldestSeconds: value }) => ({ value, labels: { receiver } })),
    );
    const age = 'availability_catalogue_age_seconds';
    gauge(age, 'Seconds since the activation of the active version.', ({ catalogue }) =>
      catalogue ? one(catalogue.ageSeconds) : [],
    );
    const imported = 'availability_catalogue_import_seconds';
    gauge(imported, 'Duration of the last import, by any process.', ({ importSeconds }) =>
      importSeconds === null ? [] : one(importSeconds),
    );
    const lag = 'availability_catalogue_lag_versions';
    gauge(lag, 'Versions that this instance is behind.', ({ catalogue }) => {
      const own = this.catalogue.loaded ? this.catalogue.current.version : 0;
      return catalogue ? one(catalogue.version - own) : [];
    });
  }

  private count(name: string, help: string, collect: () => MetricValue[]): void {
    this.add('counter', name, help, collect);
  }

  private gauge(name: string, help: string, collect: Collect): void {
    this.add('gauge', name, help, collect);
  }

  private add(
    type: 'counter' | 'gauge' | 'histogram',
    name: string,
    help: string,
    collect: Collect,
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
