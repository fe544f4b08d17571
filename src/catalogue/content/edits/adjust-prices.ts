import { addDays } from '../../../platform/kernel/time.js';
import type { CatalogueContent } from '../catalogue.js';
import { BEGINNING, isDated, LAST_DAY } from '../dates.js';
import { derivedLists, percentOf, priceListFaults } from '../effective-prices.js';
import { decimalsOf, LARGEST_AMOUNT, printAmount } from '../../../platform/kernel/money.js';
import { priceFields, type PriceRow } from '../offer-fields.js';
import { sortedRows } from '../offers.js';

/** A change of prices by a percentage. What is null does not restrict it. */
export interface PriceAdjustment {
  /** Added to each monthly price: -12 is 12 % less. Up to three decimals. */
  readonly percent: number;
  readonly priceList: string | null;
  /** The start of the product codes: `ETH-`. */
  readonly product: string | null;
  readonly zone: string | null;
  /** Major units, with up to four decimals; null rounds to the minor unit. */
  readonly roundTo: number | null;
  /** Major units: no adjusted monthly price is lower. */
  readonly floor: number | null;
  /** Added to each set-up price: -100 is free, also where none is stated. Null leaves them. */
  readonly setupPercent: number | null;
  /** The first day in London, as `2026-12-01`; null if there is none. */
  readonly from: string | null;
  /** The last day; null if there is none. */
  readonly until: string | null;
}

/** The per cent that make a set-up price free. */
export const FREE = -100;

/** Sorts after every day. */
const AFTER_ALL = 'z';

/** Why prices cannot be adjusted like this, and what to do, in sentences. */
export class AdjustmentRefusal {
  constructor(readonly detail: string) {}
}

/**
 * The content with adjusted rows of prices.csv. Prices of derived lists follow their base, so only the
 * rows that a list states itself are adjusted. With days, the adjusted prices are rows with dates.
 */
export function adjustPrices(
  content: CatalogueContent,
  adjustment: PriceAdjustment,
): CatalogueContent | AdjustmentRefusal {
  const { priceList, product, zone, from, until } = adjustment;
  if (from !== null && until !== null && until < from) {
    return new AdjustmentRefusal(
      'The last day is before the first day. Swap them, or correct one.',
    );
  }
  const isMeant = (row: PriceRow) =>
    (priceList === null || row.priceList === priceList) &&
    (zone === null || row.zone === zone) &&
    (product === null || row.productCode.startsWith(product));
  const meant = content.prices.filter(isMeant);
  if (meant.length === 0) return new AdjustmentRefusal(whyNothing(content, adjustment));
  const groups = Map.groupBy(meant, (row) => `${row.productCode} ${row.zone} ${row.priceList}`);
  const prices = sortedRows(priceFields, [
    ...content.prices.filter((row) => !isMeant(row)),
    ...[...groups.values()].flatMap((rows) => adjustedWithin(rows, adjustment)),
  ]);
  const tooLarge = prices.find(
    ({ amountMinor, setupMinor }) => Math.max(amountMinor, setupMinor ?? 0) > LARGEST_AMOUNT,
  );
  if (tooLarge) {
    const { productCode, zone: inZone, currency } = tooLarge;
    return new AdjustmentRefusal(
      `The price of ${productCode} in ${inZone} would exceed ${printAmount(LARGEST_AMOUNT, currency)} ${currency}. Choose a lower percentage.`,
    );
  }
  const after = { ...content, prices };
  const [fault] = priceListFaults(after, derivedLists(content.priceLists).keys());
  return fault
    ? new AdjustmentRefusal(`Price list ${fault.priceList}: ${fault.reason} ${fault.suggestion}`)
    : after;
}

/** The rows of one product, zone and list, adjusted on the days. Rows that reach beyond them are cut. */
function adjustedWithin(rows: readonly PriceRow[], adjustment: PriceAdjustment): PriceRow[] {
  if (adjustment.from === null && adjustment.until === null) {
    return rows.map((row) => adjusted(row, adjustment));
  }
  const from = adjustment.from ?? BEGINNING;
  const until = adjustment.until ?? LAST_DAY;
  const undated = rows.find((row) => !isDated(row));
  const found: PriceRow[] = [];
  const add = (row: PriceRow, first: string, last: string) => {
    if (first > last) return;
    const validFrom = first === BEGINNING ? null : first;
    found.push({ ...row, validFrom, validUntil: last === LAST_DAY ? null : last });
  };
  /** The first day that no row with dates covers so far. */
  let next = from;
  for (const row of rows) {
    const first = row.validFrom ?? BEGINNING;
    const last = row.validUntil ?? LAST_DAY;
    if (!isDated(row) || last < from || first > until) {
      found.push(row);
      continue;
    }
    const start = first > from ? first : from;
    const end = last < until ? last : until;
    if (first < start) add(row, first, addDays(start, -1));
    add(adjusted(row, adjustment), start, end);
    if (end < last) add(row, addDays(end, 1), last);
    if (undated && next < start) add(adjusted(undated, adjustment), next, addDays(start, -1));
    next = end === LAST_DAY ? AFTER_ALL : addDays(end, 1);
  }
  if (undated) add(adjusted(undated, adjustment), next, until);
  return found;
}

function adjusted(row: PriceRow, adjustment: PriceAdjustment): PriceRow {
  const { percent, roundTo, floor } = adjustment;
  const { currency, setupMinor } = row;
  const least = Math.round((floor ?? 0) * 10 ** decimalsOf(currency));
  const amount =
    percent === 0 ? row.amountMinor : percentOf(row.amountMinor, percent, roundTo, currency);
  return {
    ...row,
    amountMinor: Math.max(amount, least),
    setupMinor: adjustedSetup(setupMinor, adjustment, currency),
  };
}

function adjustedSetup(
  setup: number | null,
  { setupPercent: percent, roundTo }: PriceAdjustment,
  currency: string,
): number | null {
  if (percent === FREE) return 0;
  return percent === null || setup === null ? setup : percentOf(setup, percent, roundTo, currency);
}

function whyNothing(content: CatalogueContent, { priceList }: PriceAdjustment): string {
  const derived = priceList === null ? undefined : derivedLists(content.priceLists).get(priceList);
  if (derived && !content.prices.some((row) => row.priceList === priceList)) {
    return `The prices of ${priceList} are derived from ${derived.basedOn}. Adjust ${derived.basedOn}, or change the percentage in price_lists.csv.`;
  }
  return 'No price matches. Check the price list, the start of the product codes, and the zone.';
}
