import type { Postcode } from '../../kernel/postcode.js';
import { STANDARD } from './cells.js';
import { FIRST_ZONE_NUMBER } from './coverage-codec.js';
import type { CoverageIndex } from './coverage-index.js';
import type { Offer, PriceRow, ProductRow } from './offer-fields.js';
import { offerOf, publishedFields } from './offers.js';

/** What one catalogue version says. */
export interface CatalogueContent {
  readonly products: readonly ProductRow[];
  readonly prices: readonly PriceRow[];
  readonly coverage: CoverageIndex;
}

/** All offers of a zone on a price list: by bandwidth provisioned, term, price and code. */
export class Offers {
  /** The JSON array of the contract's `availableProducts`. */
  readonly json: string;
  /** The same with the capacity once more under the misspelt key that older clients read. */
  readonly legacyJson: string;

  constructor(readonly list: readonly Offer[]) {
    this.json = JSON.stringify(list.map((offer) => product(offer, false)));
    this.legacyJson = JSON.stringify(list.map((offer) => product(offer, true)));
  }

  get count(): number {
    return this.list.length;
  }
}

const NOTHING = new Offers([]);

/** One catalogue version in memory. */
export class Catalogue {
  private readonly products: ReadonlyMap<string, ProductRow>;
  private readonly pricesOf: ReadonlyMap<string, readonly PriceRow[]>;
  /** By price list, then by zone number; filled as they are asked for. */
  private readonly offers = new Map<string, (Offers | undefined)[]>([[STANDARD, []]]);

  constructor(
    readonly version: number,
    readonly content: CatalogueContent,
  ) {
    this.products = new Map(content.products.map((row) => [row.code, row]));
    this.pricesOf = Map.groupBy(content.prices, ({ zone }) => zone);
    for (const { priceList } of content.prices) this.offers.set(priceList, []);
  }

  product(code: string): ProductRow | undefined {
    return this.products.get(code);
  }

  /** What is sold at `postcode`. A price list that is not known is the standard one. */
  offersAt(postcode: Postcode, priceList: string): Offers {
    const zoneNumber = this.content.coverage.zoneNumberAt(postcode.packed);
    if (zoneNumber < FIRST_ZONE_NUMBER) return NOTHING;
    const offers = this.offers.get(priceList) ?? this.offers.get(STANDARD)!;
    return (offers[zoneNumber] ??= this.offersIn(zoneNumber, priceList));
  }

  /** `productCode` at `postcode`, if it is sold there. */
  offer(postcode: Postcode, priceList: string, productCode: string): Offer | undefined {
    for (const offer of this.offersAt(postcode, priceList).list) {
      if (offer.productCode === productCode) return offer;
    }
    return undefined;
  }

  private offersIn(zoneNumber: number, priceList: string): Offers {
    const zone = this.content.coverage.zones[zoneNumber - FIRST_ZONE_NUMBER]!;
    const prices = new Map<string, PriceRow>();
    for (const price of this.pricesOf.get(zone) ?? []) {
      const own = price.priceList === priceList;
      if (own || (price.priceList === STANDARD && !prices.has(price.productCode))) {
        prices.set(price.productCode, price);
      }
    }
    const offers: Offer[] = [];
    for (const price of prices.values()) {
      const product = this.products.get(price.productCode);
      if (product) offers.push(offerOf(product, price));
    }
    return offers.length === 0 ? NOTHING : new Offers(offers.sort(inOrder));
  }
}

function inOrder(a: Offer, b: Offer): number {
  return (
    a.bandwidthProvisioned - b.bandwidthProvisioned ||
    a.term - b.term ||
    a.price - b.price ||
    (a.productCode < b.productCode ? -1 : 1)
  );
}

/** The contract's product; `legacy` adds the keys that older versions of it had misspelt. */
function product(offer: Offer, legacy: boolean): object {
  const values = publishedFields().flatMap(({ name, legacyName }) => [
    [name, offer[name]],
    ...(legacy && legacyName !== undefined ? [[legacyName, offer[name]]] : []),
  ]);
  return Object.fromEntries(values) as object;
}
