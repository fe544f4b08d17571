import {
  parsePlace,
  parsePostcode,
  type PostcodePlace,
  Postcode,
} from '../../platform/kernel/postcode.js';
import { wordsOf } from '../../orders/record/search-words.js';

/** A condition for orders `o`. */
export interface PlaceCondition {
  readonly sql: string;
  readonly values: Readonly<Record<string, string>>;
}

/** The texts between spaces that have letters or digits. Numbers that follow each other are one, such as a phone number. */
export function termsOf(text: string): string[] {
  const terms = text.match(/[+(\d][\d\s().+-]*(?=\s|$)|\S+/g) ?? [];
  return terms.map((term) => term.trim()).filter((term) => wordsOf(term).length > 0);
}

/**
 * Orders at a postcode, in a sector, a subdistrict or a district; empty for other texts. BETWEEN uses the index, LIKE filters. One
 * reference in a hundred reads as a postcode (`E145AB`), so a text may mean both.
 */
export function placesOf(text: string): PlaceCondition[] {
  const postcode = parsePostcode(text);
  if (postcode instanceof Postcode) {
    return [{ sql: 'o.postcode = :postcode', values: { postcode: postcode.unit } }];
  }
  const place = parsePlace(text);
  if (!isPartOfPostcode(place)) return [];
  const { level, name } = place;
  const between = (from: string, to: string, pattern: string): PlaceCondition => ({
    sql: 'o.postcode BETWEEN :from AND :to AND o.postcode LIKE :pattern',
    values: { from, to, pattern },
  });
  if (level === 'sector') return [between(`${name}AA`, `${name}ZZ`, `${name}__`)];
  const outward = between(`${name} 0AA`, `${name} 9ZZ`, `${name} ___`);
  if (level === 'subdistrict') return [outward];
  return [outward, between(`${name}A 0AA`, `${name}Z 9ZZ`, `${name}_ ___`)];
}

/** The first place among the terms, and the other terms; null without both. */
export function placeAmong(
  terms: readonly string[],
): { readonly places: readonly PlaceCondition[]; readonly rest: readonly string[] } | null {
  for (const length of [2, 1]) {
    for (let start = 0; start + length <= terms.length; start += 1) {
      const places = placesOf(terms.slice(start, start + length).join(' '));
      const rest = terms.toSpliced(start, length);
      if (places.length > 0 && rest.length > 0) return { places, rest };
    }
  }
  return null;
}

function isPartOfPostcode(place: ReturnType<typeof parsePlace>): place is PostcodePlace {
  return 'level' in place && place.level !== 'unit' && place.level !== 'area';
}
