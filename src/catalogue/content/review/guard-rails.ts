import { printAmount } from '../../../platform/kernel/money.js';
import { londonDay } from '../../../platform/kernel/working-hours.js';
import { type CatalogueContent } from '../catalogue.js';
import { dayInWords, changeDays, isWithin, onDay } from '../dates.js';
import { effectiveOf } from '../cost-books.js';
import { belowFloor } from './margins.js';
import { FIRST_ZONE_NUMBER, LEVELS, mainZone, partsOf, zoneInWords } from '../coverage-codec.js';
import type { CatalogueDiff } from '../diff.js';
import { diffForClients, type PriceChange } from '../price-changes.js';
import { effectivePrices } from '../effective-prices.js';
import { EVERY } from '../band-fields.js';
import { keyOfRow } from '../offers.js';
import { VolumeDiscounts, volumeFields, type VolumeRow } from '../price-list-fields.js';
import { percentInWords } from '../change-lists.js';
import type { ZoneRow } from '../zone-fields.js';
import { counted, whole } from '../../../platform/kernel/counts.js';

// Not settings: a reason lets a catalogue pass. `passRails` in `versions.service.ts` asks for it.
/** Per cent of the covered places that a catalogue may lose without a reason: a missing file or region loses more. */
const MOST_COVERAGE_LOST = 10;
/** Per cent of the price before, up or down: a promotion moves less, a wrong decimal point or unit more. */
const MOST_PRICE_MOVED = 30;

/** The name of each guard rail on pages. */
export const railNames = {
  'coverage-lost': 'Coverage lost',
  'sales-postponed': 'Sales postponed or ended',
  'price-moved': 'Large price change',
  'setup-price-moved': 'Large set-up price change',
  'build-price-moved': 'Large change of a build price',
  'discount-moved': 'Large change of a volume discount',
  'product-lost': 'Product no longer sold',
  'zone-without-prices': 'Zone without prices',
  'below-floor': 'Below the floor of a margin',
  'undoes-changes': 'Would undo changes of the live version',
} as const satisfies Readonly<Record<string, string>>;

export interface BrokenRail {
  readonly rail: keyof typeof railNames;
  /** What breaks it, in a sentence. Says no cost and no margin. */
  readonly detail: string;
  /** The sentence for those who may see margins, where it is another one. */
  readonly withMargins?: string;
}

/** The rails as a person reads them. @param seesMargins whether the person may see what suppliers charge */
export function shownRails(
  rails: readonly BrokenRail[],
  seesMargins: boolean,
): Pick<BrokenRail, 'rail' | 'detail'>[] {
  // The stored rails of a damaged row may be anything.
  if (!Array.isArray(rails)) return [];
  return (rails as readonly BrokenRail[]).map(({ rail, detail, withMargins }) => ({
    rail,
    detail: (seesMargins && withMargins) || detail,
  }));
}

/**
 * The rails that the change breaks.
 * @param before null if no version is active: then only the new content is checked
 * @param now milliseconds: its day in London and every later day on which a date changes something are judged
 */
export function brokenRails(
  before: CatalogueContent | null,
  after: CatalogueContent,
  diff: CatalogueDiff | null,
  now: number,
): BrokenRail[] {
  const below = belowFloor(before, after);
  const discounts = before && diff && discountsMoved(before.volume, after.volume, diff);
  [before, after] = [before && effectiveOf(before), effectiveOf(after)];
  const lost = diff && coverageLost(diff);
  const broken: BrokenRail[] = lost ? [{ rail: 'coverage-lost', detail: lost }] : [];
  if (below) broken.push({ rail: 'below-floor', ...below });
  const today = londonDay(new Date(now));
  // No rail is about the end of a cost book: only the basis of its prices changes.
  const changes = [before, after].flatMap((content) =>
    content ? changeDays({ ...content, suppliers: [] }) : [],
  );
  const later = new Set(changes.filter((day) => day > today).sort());
  const bands = diff && bandsMoved(diff);
  if (bands) broken.push({ rail: 'build-price-moved', detail: bands });
  if (discounts) broken.push({ rail: 'discount-moved', detail: discounts });
  for (const day of [today, ...later]) {
    const known = broken.map(({ rail }) => rail);
    for (const { rail, detail } of brokenOn(day, before, after)) {
      if (known.includes(rail)) continue;
      const when = day === today ? '' : `From ${dayInWords(day)}: `;
      broken.push({ rail, detail: `${when}${detail}` });
    }
  }
  return broken;
}

/** The rails that break on a day in London, compared with what the version before would sell on that day. */
function brokenOn(
  day: string,
  old: CatalogueContent | null,
  fresh: CatalogueContent,
): BrokenRail[] {
  const broken: BrokenRail[] = [];
  const [before, after] = [old && onDay(old, day), onDay(fresh, day)];
  if (before) {
    const changes = diffForClients(effectivePrices(before), effectivePrices(after));
    const moved = pricesMoved('price', changes.prices);
    if (moved) broken.push({ rail: 'price-moved', detail: moved });
    const setup = pricesMoved('set-up price', changes.setupPrices.filter(isStated));
    if (setup) broken.push({ rail: 'setup-price-moved', detail: setup });
    const stopped = salesStopped(before, after, day);
    if (stopped) broken.push({ rail: 'sales-postponed', detail: stopped });
    const sold = soldProducts(after);
    const gone = [...soldProducts(before)].filter((code) => !sold.has(code));
    if (gone.length > 0) {
      const detail = `${some(gone)} ${gone.length === 1 ? 'is' : 'are'} no longer sold anywhere.`;
      broken.push({ rail: 'product-lost', detail });
    }
  }
  const priced = new Set(after.prices.map(({ zone }) => zone));
  const zones = after.coverage.zones;
  const bare = zones.filter((zone) => partsOf(zone).every((part) => !priced.has(part)));
  if (bare.length > 0) {
    const detail = `${some(bare.map(zoneInWords))} ${bare.length === 1 ? 'has' : 'have'} coverage but no price.`;
    broken.push({ rail: 'zone-without-prices', detail });
  }
  return broken;
}

/**
 * The rail of a version that lacks changes of the live one, because it was prepared before.
 * @param changes how many changes of the live version it would undo
 */
export function undoesChanges(changes: number): BrokenRail[] {
  if (changes === 0) return [];
  const count = counted(changes, 'change');
  return [
    {
      rail: 'undoes-changes',
      detail: `It was prepared before the live version was published, and would undo ${count} of it. Make it again from the live version instead.`,
    },
  ];
}

/** Compares each level, because without the register the postcodes of a district are unknown. */
function coverageLost(diff: CatalogueDiff): string | null {
  const { postcodes, places, premises, byDistance } = diff;
  // A postcode that is covered now needs no price by distance.
  const gained = Math.max(0, postcodes.coveredAfter - postcodes.covered);
  const shares = [
    {
      what: 'postcodes with a price by distance',
      lost: byDistance.before - byDistance.after - gained,
      covered: byDistance.before,
    },
    { what: 'covered postcodes', lost: postcodes.counts.lost, covered: postcodes.covered },
    { what: 'listed premises', lost: premises.coveredLost, covered: premises.covered },
    ...Object.entries(places.covered).map(([level, covered]) => ({
      what: `covered ${level}s`,
      lost: places.lost[level as keyof typeof places.lost] ?? 0,
      covered,
    })),
  ];
  const over = shares.filter(
    ({ lost, covered }) => lost > 0 && (lost / covered) * 100 > MOST_COVERAGE_LOST,
  );
  if (over.length === 0) return null;
  const parts = over.map(
    ({ what, lost, covered }) =>
      `${whole(lost)} of ${whole(covered)} ${what} (${((lost / covered) * 100).toFixed(1)} %)`,
  );
  return `${parts.join(' and ')} would be lost; the limit is ${MOST_COVERAGE_LOST} %.`;
}

/** Whether there is an amount before and after: stating a set-up price for the first time is no move. */
function isStated({ before, after }: PriceChange): boolean {
  return before?.setupMinor !== null && after?.setupMinor !== null;
}

/** Zones that would have sold on the day and now would not, because of their dates, by their share of the coverage rows. */
function salesStopped(
  before: CatalogueContent,
  after: CatalogueContent,
  day: string,
): string | null {
  const isClosed = ({ readyDate, endDate }: ZoneRow) => !isWithin(day, readyDate, endDate);
  const closed = new Set(before.zones.filter(isClosed).map(({ zone }) => zone));
  const kept = new Set(after.coverage.zones.map(mainZone));
  const stopped = after.zones
    .filter((row) => isClosed(row) && kept.has(row.zone) && !closed.has(row.zone))
    .map(({ zone }) => zone)
    .filter((zone) => before.coverage.zones.some((one) => mainZone(one) === zone));
  if (stopped.length === 0) return null;
  const numbers = new Set(
    before.coverage.zones.flatMap((zone, i) =>
      stopped.includes(mainZone(zone)) ? FIRST_ZONE_NUMBER + i : [],
    ),
  );
  let covered = 0;
  let lost = 0;
  const count = (number: number) => {
    if (number >= FIRST_ZONE_NUMBER) covered++;
    if (numbers.has(number)) lost++;
  };
  for (const level of LEVELS) before.coverage.coverage.levels[level].zoneNumbers.forEach(count);
  for (const { zoneNumber } of before.premises.keys()) count(zoneNumber);
  if (lost === 0) return null;
  const percent = (lost / covered) * 100;
  if (percent <= MOST_COVERAGE_LOST) return null;
  const share = `${whole(lost)} of ${whole(covered)} covered places`;
  return `${some(stopped)} would not sell, because of a ready date or an end date: ${share} (${percent.toFixed(1)} %); the limit is ${MOST_COVERAGE_LOST} %.`;
}

function pricesMoved(what: string, prices: readonly PriceChange[]): string | null {
  const far = prices.filter(
    ({ before, after, percent }) =>
      before && after && (percent === null || Math.abs(percent) > MOST_PRICE_MOVED),
  );
  if (far.length === 0) return null;
  const sizeOf = ({ percent }: PriceChange) => (percent === null ? -1 : Math.abs(percent));
  const first = far.reduce((biggest, one) => (sizeOf(one) > sizeOf(biggest) ? one : biggest));
  const size =
    first.percent === null ? 'to another currency or from nothing' : percentInWords(first.percent);
  const moves = counted(far.length, `${what} moves`, `${what}s move`);
  return `${moves} by more than ${MOST_PRICE_MOVED} %, most of all ${first.productCode} in ${first.zone} (${first.priceList}): ${size}.`;
}

/** Bands whose addition to the set-up price moves far, or from nothing; to state it for the first time is no move. */
function bandsMoved({ rows: { buildBands } }: CatalogueDiff): string | null {
  const [far, ...others] = buildBands.filter(({ before, after }) => {
    const [was, is] = [before?.addSetup, after?.addSetup];
    return was != null && is != null && Math.abs(is - was) * 100 > was * MOST_PRICE_MOVED;
  });
  if (!far) return null;
  const { zone, toMetres, addSetup } = far.after!;
  const [was, is] = [far.before!.addSetup!, addSetup!].map((amount) => printAmount(amount, 'GBP'));
  const bands =
    others.length === 0 ? '1 build band moves' : `${others.length + 1} build bands move`;
  return `${bands} by more than ${MOST_PRICE_MOVED} %, such as ${zone} to ${toMetres} m: set-up ${was!} before, ${is!} after.`;
}

/** Volume discounts that move the price of a quote's line far, judged at the changed rows. */
function discountsMoved(
  before: readonly VolumeRow[],
  after: readonly VolumeRow[],
  { rows: { volume } }: CatalogueDiff,
): string | null {
  if (volume.length === 0) return null;
  const changed = volume.map((change) => (change.after ?? change.before)!);
  const general = [...before, ...after].filter(({ priceList }) => priceList === EVERY);
  // A list follows the rows of `*` until it gains its first row, and again once it loses its last.
  const lists = new Set(changed.map(({ priceList }) => priceList));
  const followed = [...lists].flatMap((priceList) => general.map((row) => ({ ...row, priceList })));
  const judged = new Map(
    [...changed, ...followed].map((row) => [keyOfRow(volumeFields, row), row]),
  );
  const [old, fresh] = [before, after].map((rows) => new VolumeDiscounts(rows));
  const far = judged.values().flatMap(({ priceList, products, fromLines }) => {
    const [was, is] = [old, fresh].map((discounts) =>
      discounts!.percentFor(priceList, products.replace(/\*$/, ''), fromLines),
    ) as [number, number];
    if (Math.abs(is - was) * 100 <= (100 - was) * MOST_PRICE_MOVED) return [];
    return [
      `${products} from ${fromLines} lines (${priceList}): ${was} % off before, ${is} % after`,
    ];
  });
  const [first, ...others] = far;
  if (first === undefined) return null;
  const many = counted(others.length + 1, 'volume discount moves', 'volume discounts move');
  return `${many} the price of a line by more than ${MOST_PRICE_MOVED} %, such as ${first}.`;
}

/** The products with a price in a zone that covers something. */
function soldProducts({ products, prices, coverage }: CatalogueContent): Set<string> {
  const zones = new Set(coverage.zones.flatMap(partsOf));
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
