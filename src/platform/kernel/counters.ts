/** Each is a label of a metric: an operator with more endpoints would fill Prometheus. */
const MOST_ENDPOINTS = 200;

interface DeliveryCount {
  readonly channel: string;
  readonly endpoint: string;
  readonly result: 'delivered' | 'failed';
  count: number;
}

/** Counts for the metrics, as plain numbers that only grow. Prometheus reads them at a scrape. */
export class Counters {
  /** Postcode checks that found products, and those that found none. */
  readonly checks = { available: 0, none: 0 };
  /** Failed runs of periodic jobs, by name. */
  readonly failedJobs: Record<string, number> = {};
  /** Seconds of the last complete run of each periodic job. */
  readonly jobSeconds: Record<string, number> = {};
  /** Server-sent event streams that are open. */
  openStreams = 0;
  /** Attempts to deliver a message. */
  readonly deliveries = new Map<string, DeliveryCount>();
  /** By the name of the limit. 0 from the start: `rate()` misses a series that first appears as 1. */
  readonly limited: Record<string, number> = zeros(
    'look-ups',
    'burst',
    'orders',
    'in-flight',
    'heavy-in-flight',
    'work',
    'documents',
    'open-requests',
    'failures',
    'sign-ins',
    'nameless',
    'nameless-burst',
  );
  private readonly endpoints = new Set<string>();
  /** Refused tokens and sign-ins, by reason. */
  readonly refused: Record<string, number> = zeros(
    'missing-token',
    'malformed',
    'expired',
    'unknown, revoked or disabled',
    'insufficient-scope',
    'sign-in',
    'second-factor',
    'link',
    'provider',
  );

  constructor() {
    this.seriesOf('email', 'none');
  }

  /** Counts an attempt. Endpoints after the first `MOST_ENDPOINTS` share the name `other`. */
  countDelivery(channel: string, endpointId: string | null, result: 'delivered' | 'failed'): void {
    const id = endpointId ?? 'none';
    const known = this.endpoints.has(id) || this.endpoints.size < MOST_ENDPOINTS;
    const endpoint = known ? id : 'other';
    this.endpoints.add(endpoint);
    this.seriesOf(channel, endpoint).find((one) => one.result === result)!.count += 1;
  }

  /** Both results from the start: `rate()` misses a series that first appears as 1. */
  private seriesOf(channel: string, endpoint: string): readonly DeliveryCount[] {
    return (['delivered', 'failed'] as const).map((result) => {
      const key = `${channel} ${endpoint} ${result}`;
      const count = this.deliveries.get(key) ?? { channel, endpoint, result, count: 0 };
      this.deliveries.set(key, count);
      return count;
    });
  }

  countLimited(limit: string): void {
    this.limited[limit] = (this.limited[limit] ?? 0) + 1;
  }

  countRefused(reason: string): void {
    this.refused[reason] = (this.refused[reason] ?? 0) + 1;
  }
}

function zeros(...names: readonly string[]): Record<string, number> {
  return Object.fromEntries(names.map((name) => [name, 0]));
}
