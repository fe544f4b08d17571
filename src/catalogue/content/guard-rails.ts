import type { CatalogueContent } from './catalogue.js';
import type { CatalogueDiff, PriceChange } from './diff.js';
import { percentInWords } from './diff-print.js';

/** How far a change may go before a person has to say that it is meant. */
export interface RailSettings {
  /** Percent of what is covered. */
  readonly coverageLostPercent: number;
  /** Percent of the price before, up or down. */
  readonly priceMovedPercent: number;
  readonly productLost: boolean;
  readonly zoneWithoutPrices: boolean;
}

export type Rail = 'coverage-lost' | 'price-moved' | 'product-lost' | 'zone-without-prices';

export interface BrokenRail {
  readonly rail: Rail;
  /** What broke it, in a sentence. */
  readonly detail: string;
}

/**
 * Which rails the change breaks.
 * @param before null where nothing is served yet; then only the new content itself is looked at
 */
export function brokenRails(
  before: CatalogueContent | null,
  after: CatalogueContent,
  diff: CatalogueDiff | null,
  settings: RailSettings,
): BrokenRail[] {
  const broken: BrokenRail[] = [];
  if (diff) {
    const lost = coverageLost(diff, settings.coverageLostPercent);
    if (lost) broken.push({ rail: 'coverage-lost', detail: lost });
    const moved = pricesMoved(diff.prices, settings.priceMovedPercent);
    if (moved) broken.push({ rail: 'price-moved', detail: moved });
  }
  if (before && settings.productLost) {
    const sold = soldProducts(after);
    const gone = [...soldProducts(before)].filter((code) => !sold.has(code));
    if (gone.length > 0) {
      const detail = `${some(gone)} ${gone.length === 1 ? 'is' : 'are'} no longer sold anywhere.`;
      broken.push({ rail: 'product-lost', detail });
    }
  }
  if (settings.zoneWithoutPrices) {
    const priced = new Set(after.prices.map(({ zone }) => zone));
    const bare = after.coverage.zones.filter((zone) => !priced.has(zone));
    if (bare.length > 0) {
      const detail = `${some(bare)} ${bare.length === 1 ? 'has' : 'have'} coverage but no price.`;
      broken.push({ rail: 'zone-without-prices', detail });
    }
  }
  return broken;
}

/** Without the register the postcodes of a district cannot be counted: each level is compared. */
function coverageLost({ postcodes, places }: CatalogueDiff, most: number): string | null {
  const shares = [
    { what: 'covered postcodes', lost: postcodes.counts.lost, covered: postcodes.covered },
    ...Object.entries(places.covered).map(([level, covered]) => ({
      what: `covered ${level}s`,
      lost: places.lost[level as keyof typeof places.lost] ?? 0,
      covered,
    })),
  ];
  const over = shares.filter(({ lost, covered }) => lost > 0 && (lost / covered) * 100 > most);
  if (over.length === 0) return null;
  const parts = over.map(
    ({ what, lost, covered }) =>
      `${lost.toLocaleString('en-GB')} of ${covered.toLocaleString('en-GB')} ${what} (${((lost / covered) * 100).toFixed(1)} %)`,
  );
  return `${parts.join(' and ')} would be lost; the limit is ${most} %.`;
}

function pricesMoved(prices: readonly PriceChange[], most: number): string | null {
  const far = prices.filter(
    ({ before, after, percent }) =>
      before && after && (percent === null || Math.abs(percent) > most),
  );
  const [first] = far;
  if (!first) return null;
  const size =
    first.percent === null ? 'to another currency or from nothing' : percentInWords(first.percent);
  const what = far.length === 1 ? '1 price moves' : `${far.length} prices move`;
  return `${what} by more than ${most} %, most of all ${first.productCode} in ${first.zone} (${first.priceList}): ${size}.`;
}

/** The products that have a price in a zone which covers something. */
function soldProducts({ products, prices, coverage }: CatalogueContent): Set<string> {
  const zones = new Set(coverage.zones);
  const known = new Set(products.map(({ code }) => code));
  return new Set(
    prices
      .filter(({ zone, productCode }) => zones.has(zone) && known.has(productCode))
      .map(({ productCode }) => productCode),
  );
}

function some(names: readonly string[]): string {
  const shown = names.slice(0, 5).join(', ');
  return names.length > 5 ? `${shown} and ${names.length - 5} more` : shown;
}
