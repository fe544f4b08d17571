import type { Compatibility } from '../../platform/kernel/client-options.js';
import { KeptText } from '../../platform/http/kept-text.js';
import { dayInWords } from './dates.js';
import type { Offer } from './offer-fields.js';
import { publishedFields } from './offers.js';

/** Why nothing can be ordered at a place. */
export type EmptyCode =
  'notCovered' | 'excluded' | 'planned' | 'notPriced' | 'beyondBuild' | 'noMatch';

export interface EmptyReason {
  readonly code: EmptyCode;
  /** A sentence. */
  readonly detail: string;
  /** Only of `planned`: the first day of sale in London, as `2026-12-01`. */
  readonly readyDate?: string;
}

export const emptyReasons = {
  notCovered: { code: 'notCovered', detail: 'We do not cover this place.' },
  excluded: { code: 'excluded', detail: 'We do not serve this place.' },
  notPriced: {
    code: 'notPriced',
    detail: 'We cover this place, but no product has a price here.',
  },
  beyondBuild: {
    code: 'beyondBuild',
    detail: 'This place is too far from our network.',
  },
  noMatch: {
    code: 'noMatch',
    detail: 'Products are sold here, but none matches what was asked for.',
  },
} as const satisfies Partial<Record<EmptyCode, EmptyReason>>;

/** What happened to orders of an offer. */
interface OfferTracks {
  of(offer: Offer): object | null;
}

/** The offers that a client is shown. */
export interface ShownOffers {
  readonly count: number;
  /** The JSON array of the contract's `availableProducts`. */
  readonly json: KeptText;
  /** The JSON array of the contract's `reasons`. */
  readonly reasonsJson: string;
  /** The first day of sale, while there is nothing before it; otherwise null. */
  readonly readyDate: string | null;
}

/** All offers of a zone on a price list: by bandwidth provisioned, term, price and code. */
export class Offers implements ShownOffers {
  readonly json: KeptText;
  readonly reasonsJson: string;
  private older: ShownOffers | undefined;
  private tracked: Offers | undefined;

  /** @param reasons why there are none */
  constructor(
    readonly list: readonly Offer[],
    readonly reasons: readonly EmptyReason[] = [],
    readonly readyDate: string | null = null,
    readonly tracks: OfferTracks | null = null,
  ) {
    this.json = productsJson(list, false, tracks);
    this.reasonsJson = JSON.stringify(reasons);
  }

  get count(): number {
    return this.list.length;
  }

  /** Those that match; `noMatch` where there are others only. */
  matching(matches: (offer: Offer) => boolean): Offers {
    const list = this.list.filter(matches);
    const isReason = list.length === 0 && this.list.length > 0;
    return new Offers(list, isReason ? [emptyReasons.noMatch] : this.reasons, this.readyDate);
  }

  /** With the `track` of each product; null leaves it out. */
  withTracks(tracks: OfferTracks | null): Offers {
    if (tracks === this.tracks || this.count === 0) return this;
    if (this.tracked?.tracks === tracks) return this.tracked;
    return (this.tracked = new Offers(this.list, this.reasons, this.readyDate, tracks));
  }

  /** For `0.2`, adds the misspelt keys and leaves out products whose bandwidth is not a 32-bit integer. */
  shownTo(compatibility: Compatibility): ShownOffers {
    if (compatibility === '0.3') return this;
    return (this.older ??= shownToOlder(this));
  }
}

/** Whether a client of version 0.2.0 can read its bandwidths. */
export function isForOlder({ bandwidthProvisioned, bandwidthCapacity }: Offer): boolean {
  return Number.isInteger(bandwidthProvisioned) && Number.isInteger(bandwidthCapacity);
}

function shownToOlder({ list, reasonsJson, readyDate, tracks }: Offers): ShownOffers {
  const shown = list.filter(isForOlder);
  return { count: shown.length, json: productsJson(shown, true, tracks), reasonsJson, readyDate };
}

export const NOT_COVERED = new Offers([], [emptyReasons.notCovered]);
export const BEYOND_BUILD = new Offers([], [emptyReasons.notCovered, emptyReasons.beyondBuild]);
export const EXCLUDED_HERE = new Offers([], [emptyReasons.excluded]);
export const NOT_PRICED = new Offers([], [emptyReasons.notPriced]);

function productsJson(
  offers: readonly Offer[],
  older: boolean,
  tracks: OfferTracks | null,
): KeptText {
  return new KeptText(JSON.stringify(offers.map((offer) => product(offer, older, tracks))));
}

/** The contract's product. @param older adds the misspelt keys of version 0.2.0 */
function product(offer: Offer, older: boolean, tracks: OfferTracks | null): object {
  const values = publishedFields().flatMap(({ name, legacyName }) => [
    [name, offer[name]],
    ...(older && legacyName !== undefined ? [[legacyName, offer[name]]] : []),
  ]);
  const track = tracks === null ? [] : [['track', tracks.of(offer)]];
  return Object.fromEntries([...values, ['priceUntil', offer.priceUntil], ...track]) as object;
}

/** @param readyDate as `2026-12-01` */
export function planned(readyDate: string): EmptyReason {
  const detail = `Products can be ordered here from ${dayInWords(readyDate)}.`;
  return { code: 'planned', detail, readyDate };
}
