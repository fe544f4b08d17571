import { Postcode } from '../platform/kernel/postcode.js';
import { DAY } from '../platform/kernel/time.js';
import { NO_UPRN, type WatchRecord } from './watch.entity.js';
import type { ClientWatch } from './watches.dto.js';

/** Milliseconds after the last PUT at which an open watch ends. */
export const LIFETIME = 365 * DAY;

export function printWatch(watch: WatchRecord): ClientWatch {
  const { id, packed, uprn, clientReference, minBandwidthMbps, maxPriceMilli } = watch;
  const { state, createdAt, changedAt } = watch;
  const ends = new Date(changedAt.getTime() + LIFETIME);
  return {
    watchId: id,
    postcode: new Postcode(packed).unit,
    uprn: uprn === NO_UPRN ? null : String(uprn),
    reference: clientReference,
    minBandwidth: minBandwidthMbps === 0 ? null : minBandwidthMbps / 1_000,
    maxPrice: maxPriceMilli === null ? null : maxPriceMilli / 1_000,
    state,
    createdAt,
    endsAt: { open: ends, served: null, ended: changedAt }[state],
    servedAt: state === 'served' ? changedAt : null,
  };
}
