import type { Actor, AuditEvent } from '../platform/audit/audit.service.js';
import { Postcode } from '../platform/kernel/postcode.js';
import { DAY } from '../platform/kernel/time.js';
import { NO_UPRN, type WatchRecord } from './watch.entity.js';
import type { ClientWatch } from './watches.dto.js';

/** Days after the last PUT at which an open watch ends. */
export const LIFETIME_DAYS = 365;
/** The same in milliseconds. */
export const LIFETIME = LIFETIME_DAYS * DAY;

export function printWatch(watch: WatchRecord): ClientWatch {
  const { id, packed, uprn, clientReference, minBandwidthMbps, maxPriceMilli } = watch;
  const { includeBuild, state, createdAt, changedAt } = watch;
  const ends = new Date(changedAt.getTime() + LIFETIME);
  return {
    watchId: id,
    postcode: new Postcode(packed).unit,
    uprn: uprn === NO_UPRN ? null : String(uprn),
    reference: clientReference,
    minBandwidth: minBandwidthMbps === 0 ? null : minBandwidthMbps / 1_000,
    maxPrice: maxPriceMilli === null ? null : maxPriceMilli / 1_000,
    includeBuild,
    state,
    createdAt,
    endsAt: { open: ends, served: null, ended: changedAt }[state],
    servedAt: state === 'served' ? changedAt : null,
  };
}

/** Open watches of one API client, five numbers each: packed postcode, UPRN, bandwidth, price, whether to build. */
export class WatchRows {
  readonly count: number;

  constructor(
    readonly clientId: string,
    private readonly numbers: Float64Array,
  ) {
    this.count = numbers.length / FIELDS;
  }

  packed(i: number): number {
    return this.numbers[i * FIELDS]!;
  }

  uprn(i: number): number {
    return this.numbers[i * FIELDS + 1]!;
  }

  minBandwidthMbps(i: number): number {
    return this.numbers[i * FIELDS + 2]!;
  }

  maxPriceMilli(i: number): number | null {
    const price = this.numbers[i * FIELDS + 3]!;
    return price === NONE ? null : price;
  }

  includeBuild(i: number): boolean {
    return this.numbers[i * FIELDS + 4] === 1;
  }
}

const FIELDS = 5;
const NONE = -1;
const COMMA = 44;
const ZERO = 48;

/**
 * Reads whole numbers, separated by commas, of which the price can be empty. The database joins
 * the rows into one text: a million objects would take several times as long.
 */
export function parseRows(clientId: string, count: number, text: string): WatchRows {
  const numbers = new Float64Array(count * FIELDS);
  let value = NONE;
  let field = 0;
  for (let i = 0; i < text.length; i += 1) {
    const code = text.charCodeAt(i);
    if (code === COMMA) {
      numbers[field] = value;
      field += 1;
      value = NONE;
    } else {
      value = (value === NONE ? 0 : value * 10) + code - ZERO;
    }
  }
  if (count > 0) numbers[field] = value;
  return new WatchRows(clientId, numbers);
}

/** Names the place, but neither premises nor reference: the entry stays for ever. */
export function watchEvent(
  watch: WatchRecord,
  action: 'watch-made' | 'watch-changed' | 'watch-removed',
  actor: Actor,
): AuditEvent {
  const { postcode } = printWatch(watch);
  const details = { watchId: watch.id, postcode, token: actor.tokenId ?? null };
  return { subject: ['client', watch.clientId], action, actor, details };
}
