/**
 * What features count for the metrics: plain numbers, so that counting costs a request nothing. They
 * only grow; the metrics read them when they are asked for.
 */
export class Tallies {
  /** Postcode checks that found products, and those that found none. */
  readonly checks = { available: 0, none: 0 };
  /** Refused by a limit, by its name. From 0 on: what begins with 1 is no rise to Prometheus. */
  readonly limited: Record<string, number> = noughts(
    'look-ups',
    'burst',
    'orders',
    'in-flight',
    'failures',
    'nameless',
    'nameless-burst',
  );
  /** Tokens and sign-ins that were refused, by reason. */
  readonly refused: Record<string, number> = noughts(
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

function noughts(...names: readonly string[]): Record<string, number> {
  return Object.fromEntries(names.map((name) => [name, 0]));
}
