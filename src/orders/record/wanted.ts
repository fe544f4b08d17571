import { bandwidthInWords } from '../../catalogue/content/offer-fields.js';

/** What the client of an enquiry wants. */
export interface Wanted {
  /** Gbit/s. */
  readonly bandwidth: number | null;
  /** Months. */
  readonly term: number | null;
  readonly description: string | null;
}

export const nothingNamed: Wanted = { bandwidth: null, term: null, description: null };

/** `10 Gbit/s, 36 months`, without the client's own words. */
export function wantedInWords(wanted: Wanted | null): string {
  const { bandwidth, term } = wanted ?? nothingNamed;
  const words = [
    ...(bandwidth === null ? [] : [bandwidthInWords(bandwidth)]),
    ...(term === null ? [] : [term === 1 ? '1 month' : `${term} months`]),
  ];
  return words.join(', ') || 'not stated';
}
