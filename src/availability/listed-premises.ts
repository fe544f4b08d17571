import type { Catalogue } from '../catalogue/content/catalogue.js';
import type { ShownPlace } from '../catalogue/shown/shown.service.js';
import { invalidCursor } from '../platform/http/paging.js';
import type { PageQuery } from '../platform/http/paging.dto.js';
import type { Compatibility } from '../platform/kernel/client-options.js';
import type { Postcode } from '../platform/kernel/postcode.js';
import { parseUprn } from '../platform/kernel/uprn.js';
import type { ListedPremisesPage } from './availability.dto.js';

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

export function premisesAnswer(
  { catalogue, postcode, inWords, offers: { reasons } }: ShownPlace,
  uprn: number,
): PremisesAnswer {
  const listed = catalogue.content.premises.find(postcode.packed, uprn);
  return {
    granularity: listed ? 'premises' : 'postcode',
    premises: JSON.stringify({ uprn: String(uprn), name: listed?.name ?? null }),
    reasons: JSON.stringify(listed ? reasons : [...reasons, NOT_LISTED]),
    place: JSON.stringify(inWords).slice(1, -1),
  };
}

/** The listed premises at a postcode, by UPRN, from a cursor on. @throws {ValidationFailed} */
export function listPremises(
  catalogue: Catalogue,
  { packed }: Postcode,
  { limit, cursor }: PageQuery,
  compatibility: Compatibility,
): ListedPremisesPage {
  const { coverage, premises } = catalogue.content;
  const rows = premises.at(packed, cursor === undefined ? 0 : readUprnCursor(cursor), limit + 1);
  const items = rows.slice(0, limit).map((listed) => {
    const zone = coverage.zoneName(coverage.zoneNumberOfPremises(listed));
    const network = catalogue.zoneRow(zone ?? '')?.network ?? null;
    const constraints = [...catalogue.constraintsAt({ packed, uprn: listed.uprn }).list];
    const shown = compatibility === '0.2' ? {} : { constraints };
    return { uprn: String(listed.uprn), name: listed.name, network, ...shown };
  });
  const last = items.at(-1);
  const hasMore = rows.length > limit && last !== undefined;
  return { items, nextCursor: hasMore ? Buffer.from(last.uprn).toString('base64url') : null };
}

function readUprnCursor(text: string): number {
  const uprn = parseUprn(Buffer.from(text, 'base64url').toString());
  if (uprn !== null) return uprn;
  throw invalidCursor();
}
