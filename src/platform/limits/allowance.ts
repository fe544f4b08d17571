import { RateLimited } from '../problems/problem.js';

/** What is left after a request was counted. */
export interface Allowance {
  /** `RateLimit-Policy` and `RateLimit` as in draft-ietf-httpapi-ratelimit-headers-10. */
  readonly policy: string;
  readonly state: string;
  readonly exceeded: boolean;
  /** As in "The limit is …". */
  readonly limit: string;
  /** Seconds until the window ends. */
  readonly reset: number;
}

/** Alternating names and values. */
export function allowanceHeaders(allowance: Allowance | null): string[] {
  if (!allowance) return [];
  return ['RateLimit-Policy', allowance.policy, 'RateLimit', allowance.state];
}

/** @throws {RateLimited} where the limit is exceeded */
export function refuseExceeded({ policy, state, exceeded, limit, reset }: Allowance): void {
  if (exceeded) throw new RateLimited(`The limit is ${limit}.`, reset, { policy, state });
}
