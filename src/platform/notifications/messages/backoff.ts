import { DAY, HOUR, MINUTE, SECOND } from '../../kernel/time.js';

interface FailureFacts {
  /** A retry cannot help. */
  readonly permanent?: boolean;
  readonly unreachable?: boolean;
  /** Milliseconds that the receiver asked to wait. */
  readonly retryAfter?: number | undefined;
  readonly cause?: unknown;
}

const MOST_REASON = 400;

/** The message has lost its receiver or its content, and is discarded. */
export class NothingToDeliver extends Error {}

/** A message did not arrive. The reason is stored and logged, so it names no person or secret. */
export class DeliveryFailed extends Error {
  readonly permanent: boolean;
  readonly unreachable: boolean;
  readonly retryAfter: number | undefined;

  constructor(reason: string, { permanent, unreachable, retryAfter, cause }: FailureFacts = {}) {
    super(withoutPersons(reason), { cause });
    this.permanent = permanent ?? false;
    this.unreachable = unreachable ?? false;
    this.retryAfter = retryAfter;
  }
}

/** Mail servers repeat the refused address, and some errors contain the URL with its query. */
function withoutPersons(text: string): string {
  return text
    .replaceAll(/https?:\/\/\S+/gi, '(URL)')
    .replaceAll(/[^\s<>@:;,"']+@[^\s<>@:;,"']+/g, '(address)')
    .replaceAll(/[\p{Cc}\s]+/gu, ' ')
    .trim()
    .slice(0, MOST_REASON);
}

/** Milliseconds after which an undelivered message becomes a dead letter. */
export const DELIVERY_PERIOD = 5 * DAY;
/** The maximum of a receiver's `Retry-After`, in milliseconds. */
const LONGEST_WAIT = DAY;
/** Delays after the first, second … failure; the last one repeats. */
const delays = [5 * SECOND, 15 * SECOND, MINUTE, 5 * MINUTE, 15 * MINUTE, HOUR, 3 * HOUR, 6 * HOUR];
/** An unreachable receiver says nothing about the message, so it gets more frequent retries. */
const LONGEST_WHEN_UNREACHABLE = 5 * MINUTE;

export interface DeliveryFailure {
  /** Failures so far, including this one. */
  readonly attempts: number;
  readonly unreachable: boolean;
  /** Milliseconds that the receiver asked for. */
  readonly retryAfter?: number | undefined;
}

/**
 * Milliseconds until the next attempt: exponential with ±20 % jitter, and at least `Retry-After`.
 * @param random between 0 and 1
 */
export function retryDelay(failure: DeliveryFailure, random: number): number {
  const base = delays[Math.min(failure.attempts, delays.length) - 1] ?? delays[0]!;
  const capped = failure.unreachable ? Math.min(base, LONGEST_WHEN_UNREACHABLE) : base;
  const delay = Math.round(capped * (0.8 + 0.4 * random));
  return Math.max(delay, Math.min(failure.retryAfter ?? 0, LONGEST_WAIT));
}

/** Milliseconds of a `Retry-After` header (RFC 9110 §10.2.3); undefined if missing or invalid. */
export function readRetryAfter(header: string | undefined, now: Date): number | undefined {
  const text = header?.trim() ?? '';
  if (/^\d{1,9}$/.test(text)) return Number(text) * SECOND;
  if (!/^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/.test(text))
    return undefined;
  const at = Date.parse(text);
  return Number.isNaN(at) ? undefined : Math.max(0, at - now.getTime());
}
