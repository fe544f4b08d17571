import type { Catalogue } from '../catalogue/content/catalogue.js';
import type { Offers } from '../catalogue/content/shown-offers.js';
import { invalidCursor } from '../platform/http/paging.js';
import type { PageQuery } from '../platform/http/paging.dto.js';
import type { Postcode } from '../platform/kernel/postcode.js';
import { parseUprn, type PlaceKey } from '../platform/kernel/uprn.js';
import { UprnNotAtPostcode } from '../platform/problems/postcode.errors.js';
import type { ListedPremisesPage } from './availability.dto.js';

/** A postcode, or premises there. */
export interface CheckedPlace {
  readonly postcode: Postcode;
  readonly uprn: number | null;
}

/**
 * The key of a place in a catalogue.
 * @throws {UprnNotAtPostcode} if the operator lists the UPRN at another postcode
 */
export function placeAt(
  { content: { premises } }: Catalogue,
  { packed, unit }: Postcode,
  uprn: number | null,
): PlaceKey {
  if (uprn !== null && (premises.postcodeOf(uprn) ?? packed) !== packed) {
    throw new UprnNotAtPostcode(unit);
  }
  return { packed, uprn };
}

/** `EC2A 2BS`; of premises that the operator lists, `Dark House, EC2A 2BS`. */
export function placeInWords(
  { content }: Pick<Catalogue, 'content'>,
  { postcode, uprn }: CheckedPlace,
): string {
  const listed = uprn === null ? undefined : content.premises.find(postcode.packed, uprn);
  if (!listed) return postcode.unit;
  return `${listed.name ?? `the premises ${uprn}`}, ${postcode.unit}`;
}

/** What the answer to a check of premises adds to that of its postcode. */
export interface PremisesAnswer {
  readonly granularity: 'postcode' | 'premises';
  /** JSON texts of the contract's `premises` and `reasons`. */
  readonly premises: string;
  readonly reasons: string;
  /** The place in words, as JSON without its quotes. */
  readonly place: string;
}

const NOT_LISTED = {
  code: 'premisesNotListed',
  detail: 'The operator does not list these premises, so this is the answer for the postcode.',
};

/** Null for a check of a postcode. */
export function premisesAnswer(
  { content }: Catalogue,
  place: CheckedPlace,
  { reasons }: Offers,
): PremisesAnswer | null {
  const { postcode, uprn } = place;
  if (uprn === null) return null;
  const listed = content.premises.find(postcode.packed, uprn);
  return {
    granularity: listed ? 'premises' : 'postcode',
    premises: JSON.stringify({ uprn: String(uprn), name: listed?.name ?? null }),
    reasons: JSON.stringify(listed ? reasons : [...reasons, NOT_LISTED]),
    place: JSON.stringify(placeInWords({ content }, place)).slice(1, -1),
  };
}

/** The listed premises at a postcode, by UPRN, from a cursor on. @throws {ValidationFailed} */
export function listPremises(
  catalogue: Catalogue,
  { packed }: Postcode,
  { limit, cursor }: PageQuery,
): ListedPremisesPage {
  const { coverage, premises } = catalogue.content;
  const found = premises.at(packed, cursor === undefined ? 0 : readUprnCursor(cursor), limit + 1);
  const items = found.slice(0, limit).map((listed) => {
    const zone = coverage.zoneName(coverage.zoneNumberOfPremises(listed));
    const network = catalogue.zoneRow(zone ?? '')?.network ?? null;
    return { uprn: String(listed.uprn), name: listed.name, network };
  });
  const last = items.at(-1);
  const hasMore = found.length > limit && last !== undefined;
  return { items, nextCursor: hasMore ? Buffer.from(last.uprn).toString('base64url') : null };
}

function readUprnCursor(text: string): number {
  const uprn = parseUprn(Buffer.from(text, 'base64url').toString());
  if (uprn !== null) return uprn;
  throw invalidCursor();
}
