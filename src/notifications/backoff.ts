import { DAY, HOUR, MINUTE, SECOND } from '../kernel/time.js';

/** A message that has not arrived in this time (in ms) becomes a dead letter. */
export const DELIVERY_PERIOD = 5 * DAY;

/** The longest that a receiver's `Retry-After` is believed, in ms. */
const LONGEST_WISH = DAY;

/** Waiting times after the first, second … failure; the last one is repeated. */
const delays = [5 * SECOND, 15 * SECOND, MINUTE, 5 * MINUTE, 15 * MINUTE, HOUR, 3 * HOUR, 6 * HOUR];

/** Nobody answered: that says nothing about the message, so the receiver is looked for more often. */
const LONGEST_WHEN_UNREACHABLE = 5 * MINUTE;

export interface DeliveryFailure {
  /** Failures so far, this one included. */
  readonly attempts: number;
  readonly unreachable: boolean;
  /** Milliseconds that the receiver asked for. */
  readonly retryAfter?: number | undefined;
}

/**
 * Milliseconds until the next attempt: growing, with ±20 % of jitter so that what failed together
 * does not come back together. A receiver's `Retry-After` is never undercut (up to a day).
 * @param random between 0 and 1
 */
export function retryDelay(failure: DeliveryFailure, random: number): number {
  const base = delays[Math.min(failure.attempts, delays.length) - 1] ?? delays[0]!;
  const capped = failure.unreachable ? Math.min(base, LONGEST_WHEN_UNREACHABLE) : base;
  const delay = Math.round(capped * (0.8 + 0.4 * random));
  return Math.max(delay, Math.min(failure.retryAfter ?? 0, LONGEST_WISH));
}

/**
 * Milliseconds that a `Retry-After` header asks to wait, in seconds or as a date (RFC 9110 §10.2.3);
 * undefined where there is none or it cannot be read.
 */
export function readRetryAfter(header: string | undefined, now: Date): number | undefined {
  const text = header?.trim() ?? '';
  if (/^\d{1,9}$/.test(text)) return Number(text) * SECOND;
  if (!/^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/.test(text))
    return undefined;
  const at = Date.parse(text);
  return Number.isNaN(at) ? undefined : Math.max(0, at - now.getTime());
}
