import { BadCell, priceListName, STANDARD } from './cells.js';
import type { OfferFields } from './offer-fields.js';

/** A row of price_lists.csv: a price list that is derived from another one. */
export interface PriceListRow {
  readonly priceList: string;
  readonly basedOn: string;
  /** Added to the monthly price: -12 is 12 % less. Up to three decimals. */
  readonly percent: number;
  /** Major units, with up to four decimals; null rounds to the minor unit. */
  readonly roundTo: number | null;
}

const LEAST_PERCENT = -100;
const MOST_PERCENT = 1_000;
const LARGEST_STEP = 1_000_000;

/** The fields of a derived price list, in the order of price_lists.csv. */
export const priceListFields: OfferFields<PriceListRow> = {
  priceList: { column: 'price_list', isKey: true, parse: derivedListName },
  basedOn: { column: 'based_on', parse: priceListName },
  percent: { column: 'percent', parse: (text) => percentage(text) },
  roundTo: { column: 'round_to', absent: null, parse: roundingStep },
};

function derivedListName(text: string): string | BadCell {
  if (text !== '' && text !== STANDARD) return priceListName(text);
  return new BadCell(
    `The price list ${STANDARD} is not derived: it has the prices that other lists lack.`,
    'Name another price list, or remove the row.',
  );
}

export function percentage(
  text: string,
  example = '-12 for 12 % less than the list that it is based on',
): number | BadCell {
  const value = /^[+-]?\d{1,4}(\.\d{1,3})?$/.test(text) ? Number(text) : NaN;
  // `-0` would print as `0`, and be another value.
  if (value >= LEAST_PERCENT && value <= MOST_PERCENT) return value === 0 ? 0 : value;
  const plain = text.replaceAll(/[\s%]/g, '').replace(/^[−–]/, '-').replace(',', '.');
  return new BadCell(
    `A percentage is a number from ${LEAST_PERCENT} to ${MOST_PERCENT}, with up to 3 decimals.`,
    /^[+-]?\d{1,3}(\.\d{1,3})?$/.test(plain) ? `Write ${plain}.` : `Write e.g. ${example}.`,
  );
}

export function roundingStep(text: string): number | BadCell {
  const value = /^\d{1,7}(\.\d{1,4})?$/.test(text) ? Number(text) : NaN;
  if (value > 0 && value <= LARGEST_STEP) return value;
  return new BadCell(
    `A rounding step is a number of major units, more than 0, with up to 4 decimals.`,
    'Write e.g. 0.50 or 1, or leave it empty to round to the minor unit.',
  );
}
