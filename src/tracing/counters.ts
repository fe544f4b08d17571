/** Counts for the metrics, as plain numbers that only grow. Prometheus reads them at a scrape. */
export class Counters {
  /** Postcode checks that found products, and those that found none. */
  readonly checks = { available: 0, none: 0 };
  /** Failed runs of periodic jobs, by name. */
  readonly failedJobs: Record<string, number> = {};
  /** By the name of the limit. 0 from the start: `rate()` misses a series that first appears as 1. */
  readonly limited: Record<string, number> = zeros(
    'look-ups',
    'burst',
    'orders',
    'in-flight',
    'heavy-in-flight',
    'failures',
    'sign-ins',
    'nameless',
    'nameless-burst',
  );
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
