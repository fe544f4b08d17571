import type { PlaceLevel, Postcode } from '../../kernel/postcode.js';
import { printPlace } from '../../kernel/postcode.js';
import type { Catalogue } from './catalogue.js';
import { STANDARD } from './cells.js';
import { publishPrice } from './offers.js';
import { LEVELS } from './coverage-codec.js';
import { EXCLUDED, keyAt } from './coverage-index.js';

/** Why a postcode has the answer that it has. */
export type Explanation = ReturnType<typeof explain>;
export type ExplainedProduct = Explanation['products'][number];

/** Every row that had a say in the answer at `postcode` for `priceList`, and every one that had none. */
export function explain(catalogue: Catalogue, postcode: Postcode, priceList: string) {
  const { content, version } = catalogue;
  const decided = content.coverage.find(postcode.packed);
  const zone = decided && decided.zone !== EXCLUDED ? decided.zone : null;
  const offers = catalogue.offersAt(postcode, priceList);
  const offered = new Map(offers.list.map((offer) => [offer.productCode, offer]));
  const here = content.prices.filter(
    (price) => price.zone === zone && [priceList, STANDARD].includes(price.priceList),
  );
  const pricesOf = Map.groupBy(here, ({ productCode }) => productCode);
  const reason = !decided
    ? 'No row of coverage contains this postcode, so nothing is sold.'
    : zone === null
      ? `The ${decided.level} ${decided.place} is excluded, so nothing is sold.`
      : `The ${decided.level} ${decided.place} is in the zone ${zone}.`;
  const products = content.products.map(({ code, name }) => {
    const offer = offered.get(code);
    const prices = (pricesOf.get(code) ?? []).map((price) => ({
      priceList: price.priceList,
      ...publishPrice(price),
      decides: offer?.priceList === price.priceList,
    }));
    return {
      productCode: code,
      name,
      offered: offer !== undefined,
      reason: whyProduct(zone, priceList, offer?.priceList),
      prices,
    };
  });
  return {
    postcode: postcode.unit,
    catalogueVersion: version,
    priceList,
    zone,
    reason,
    levels: levelsOf(catalogue, postcode, decided?.level ?? null),
    products: products.sort((a, b) => Number(b.offered) - Number(a.offered)),
  };
}

function whyProduct(zone: string | null, priceList: string, from: string | undefined): string {
  if (zone === null) return 'Nothing is sold at this postcode.';
  if (from === undefined) {
    const lists = priceList === STANDARD ? STANDARD : `${priceList} and ${STANDARD}`;
    return `It has no price in ${zone} on ${lists}.`;
  }
  if (from === priceList) return `Its price in ${zone} is on ${priceList}.`;
  return `${priceList} has no price for it in ${zone}, so ${STANDARD}'s holds.`;
}

function levelsOf({ content }: Catalogue, postcode: Postcode, decides: PlaceLevel | null) {
  const levels = LEVELS.filter((level) => level !== 'subdistrict' || postcode.subdistrict !== null);
  return levels.map((level) => {
    const key = keyAt[level](postcode.packed);
    return {
      level,
      place: printPlace(level, key),
      zone: content.coverage.rowOf(level, key)?.zone ?? null,
      decides: level === decides,
    };
  });
}
