import { nearest } from '../../platform/tables/nearest.js';
import { parseUprn } from '../../platform/kernel/uprn.js';
import {
  decimalsOf,
  isCurrency,
  LARGEST_AMOUNT,
  parseAmount,
  printAmount,
} from '../../platform/kernel/money.js';
import { dayOf, isRounded, ROUNDED, wholeNumberIn } from '../../platform/tables/values.js';

/** What is wrong with a cell, and what to write instead, in sentences. */
export class BadCell {
  constructor(
    readonly reason: string,
    readonly suggestion: string,
  ) {}
}

const CODE = /^[A-Z0-9][A-Z0-9-]{0,31}$/;
const PRICE_LIST = /^[a-z0-9][a-z0-9-]{0,31}$/;
const LONGEST_NAME = 120;
/** Of a service. */
export const LONGEST_SERVICE = 40;
const MOST_GBPS = 100_000;

/** The default price list. It also has the prices that another list lacks. */
export const STANDARD = 'standard';

/** The family of products that staff offer to one client. It is in no catalogue. */
export const BESPOKE = 'BESPOKE';

export function productCode(text: string): string | BadCell {
  if (text.startsWith(`${BESPOKE}-`)) {
    return new BadCell(
      `Codes that start with ${BESPOKE}- are those of bespoke offers.`,
      'Choose another code.',
    );
  }
  return CODE.test(text) ? text : badCode('product code', 'INT-1G-12', text);
}

export function zoneName(text: string): string | BadCell {
  return CODE.test(text) ? text : badCode('zone', 'LONDON-ONNET', text);
}

/** A zone in prices.csv, where `-` is not allowed. */
export function pricedZone(text: string): string | BadCell {
  if (text !== '-') return zoneName(text);
  return new BadCell(
    'In the zone "-" nothing is sold, so it has no price.',
    'Remove this row, or name the zone.',
  );
}

export function priceListName(text: string): string | BadCell {
  if (text === '') return STANDARD;
  if (PRICE_LIST.test(text)) return text;
  const written = slug(text).toLowerCase();
  return new BadCell(
    'A price list is 1 to 32 lower-case letters, digits and hyphens, and does not start with a hyphen.',
    written === '' ? 'Leave it empty for the standard price list.' : `Write ${written}.`,
  );
}

function badCode(what: string, example: string, text: string): BadCell {
  if (text === '') return new BadCell(`The ${what} is empty.`, `Write one, e.g. ${example}.`);
  const written = slug(text).toUpperCase();
  return new BadCell(
    `A ${what} is 1 to 32 capital letters, digits and hyphens, and does not start with a hyphen.`,
    `Write ${written === '' ? `one like ${example}` : written}.`,
  );
}

function slug(text: string): string {
  return text
    .replaceAll(/[^A-Za-z0-9]+/g, '-')
    .replace(/^-/, '')
    .slice(0, 32)
    .replace(/-$/, '');
}

/** A number from 1, below 2⁴⁰. */
export function uprnNumber(text: string): number | BadCell {
  const uprn = parseUprn(wholeNumberIn(text));
  if (uprn !== null) return uprn;
  if (text === '') return new BadCell('The UPRN is empty.', 'Write one, e.g. 100023336956.');
  return new BadCell(
    'A UPRN is 1 to 12 digits, not all zero.',
    isRounded(text) ? ROUNDED : 'Write one, e.g. 100023336956.',
  );
}

/** Empty if the operator gives none. */
export function premisesName(text: string): string | BadCell {
  return text === '' ? '' : productName(text);
}

export function productName(text: string): string | BadCell {
  if (text === '')
    return new BadCell('The name is empty.', 'Write the name that clients will see.');
  return oneLine(text, LONGEST_NAME);
}

/** Not empty. */
export function serviceName(text: string): string | BadCell {
  return oneLine(text, LONGEST_SERVICE);
}

/** A text without line breaks. @param what names it in faults */
export function oneLine(text: string, longest: number, what = 'name'): string | BadCell {
  const length = [...text].length;
  if (length > longest) {
    return new BadCell(
      `The ${what} has ${length} characters, of at most ${longest}.`,
      `Shorten it by ${length - longest}.`,
    );
  }
  if (text.includes('\ufffd')) {
    return new BadCell(`The ${what} has a character that is not UTF-8.`, 'Save the file as UTF-8.');
  }
  if (/\p{Cc}/u.test(text)) {
    return new BadCell(`The ${what} has a line break or another control character.`, 'Remove it.');
  }
  return text;
}

/** Reads Gbit/s with up to three decimals. @returns Mbit/s */
export function bandwidth(text: string): number | BadCell {
  const mbps = /^\d{1,6}(\.\d{1,3})?$/.test(text) ? Math.round(Number(text) * 1000) : NaN;
  if (mbps > 0 && mbps <= MOST_GBPS * 1000) return mbps;
  return new BadCell(
    `A bandwidth is a number of Gbit/s from 0.001 to ${MOST_GBPS}, with up to 3 decimals.`,
    bandwidthInGbps(text) ?? 'Write e.g. 0.1 for 100 Mbit/s, or 10 for 10 Gbit/s.',
  );
}

function bandwidthInGbps(text: string): string | null {
  const [, number = '', unit = ''] =
    /^(\d+(?:\.\d+|,\d{1,2})?)\s*([mgt]?)[a-z/]*$/i.exec(text) ?? [];
  const prefix = unit.toUpperCase();
  const factor = prefix === 'M' ? 1e-3 : prefix === 'T' ? 1e3 : 1;
  const exact = Number(number.replace(',', '.')) * factor;
  const gbps = Math.round(exact * 1000) / 1000;
  if (gbps === 0 || gbps > MOST_GBPS || Math.abs(gbps - exact) > 1e-9) return null;
  return factor === 1 ? `Write ${gbps}.` : `Write ${gbps} for ${number} ${prefix}bit/s.`;
}

export function termMonths(text: string): number | BadCell {
  return wholeNumber(text, 1, 120, 'A term', 'months', { m: 1, y: 12 }, '12 for 1 year');
}

export function leadTimeDays(text: string): number | BadCell {
  return wholeNumber(text, 0, 3650, 'A lead time', 'days', { d: 1, w: 7 }, '84 for 12 weeks');
}

/** @param factors other units, by their first letter: a year (`y`) has 12 months */
function wholeNumber(
  text: string,
  least: number,
  most: number,
  what: string,
  unit: string,
  factors: Readonly<Record<string, number>>,
  example: string,
): number | BadCell {
  const value = /^\d{1,6}$/.test(text) ? Number(text) : NaN;
  if (value >= least && value <= most) return value;
  const [, number = '', word = ''] = /^(\d{1,6})(?:\.0+)?\s*([a-z]*)$/i.exec(text) ?? [];
  const meant = Number(number) * (word === '' ? 1 : (factors[word.charAt(0).toLowerCase()] ?? NaN));
  const known = number !== '' && meant >= least && meant <= most;
  return new BadCell(
    `${what} is a whole number of ${unit}, ${least} to ${most}.`,
    known ? `Write ${meant}.` : `Write e.g. ${example}.`,
  );
}

/** How sure a price is, from the surest on. */
export const priceBases = ['firm', 'subjectToSurvey', 'indicative'] as const;
export type PriceBasis = (typeof priceBases)[number];

export function priceBasis(text: string): PriceBasis | BadCell {
  const letters = (word: string) => word.replaceAll(/[\s_-]/g, '').toLowerCase();
  const basis = priceBases.find((one) => one === text);
  if (basis !== undefined) return basis;
  const meant =
    priceBases.find((one) => letters(one) === letters(text)) ?? nearest(text, priceBases);
  return new BadCell(
    `A basis is one of ${priceBases.join(', ')}.`,
    meant === undefined ? 'Leave it empty for firm.' : `Write ${meant}.`,
  );
}

export function yesOrNo(text: string): boolean | BadCell {
  if (text === 'yes' || text === 'no') return text === 'yes';
  const meant = /^(y|yes|true|1)$/i.test(text) ? 'yes' : /^(n|no|false|0)$/i.test(text) ? 'no' : '';
  return new BadCell('This is yes or no.', meant === '' ? 'Write yes or no.' : `Write ${meant}.`);
}

/** @param what names the cell: `A ready date` */
export function calendarDay(text: string, what: string): string | BadCell {
  const day = dayOf(text);
  if (day !== null) return day;
  const reason = `${what} is a day of the calendar: year, month and day.`;
  return new BadCell(reason, 'Write e.g. 2026-12-01.');
}

export function currencyCode(text: string): string | BadCell {
  if (isCurrency(text)) return text;
  const meant = { '£': 'GBP', '€': 'EUR', $: 'USD', '¥': 'JPY' }[text] ?? text.toUpperCase();
  const near = isCurrency(meant) ? meant : nearest(meant, ['GBP', 'EUR', 'USD']);
  return new BadCell(
    'A currency is an ISO 4217 code: three capital letters.',
    near === undefined ? 'Write e.g. GBP.' : `Write ${near}.`,
  );
}

/**
 * Reads a price in major units. @returns minor units of `currency`
 * @param currency undefined if that cell is bad: then this checks only the format
 */
export function priceIn(text: string, currency: string | undefined): number | BadCell {
  if (currency === undefined && /^\d{1,9}(\.\d{1,4})?$/.test(text)) return 0;
  return price(text, currency ?? 'GBP');
}

function price(text: string, currency: string): number | BadCell {
  const amount = parseAmount(text, currency);
  if (amount !== null) return amount;
  if (text === '') {
    return new BadCell(
      'The price is empty.',
      'Write a price, or remove the row if the product is not sold there.',
    );
  }
  if (/^\d+\.\d+$/.test(text) && Number(text) < 1e9) {
    const decimals = decimalsOf(currency);
    if ((text.split('.')[1] ?? '').length > decimals) {
      const rounded = Number(text).toFixed(decimals);
      return new BadCell(`${currency} has ${decimals} decimals.`, `Write e.g. ${rounded}.`);
    }
  }
  const plain = text
    .replace(/^\W*[A-Z]{3}\s|\s?[A-Z]{3}$|[£€$¥]/gi, '')
    .replaceAll(/[\s']|,(?=\d{3}(\D|$))/g, '')
    .replace(/,(?=\d{1,2}$)/, '.');
  const most = printAmount(LARGEST_AMOUNT, currency);
  return new BadCell(
    `A price is a decimal number of major units from 0 to ${most}, without a sign or separators.`,
    parseAmount(plain, currency) === null ? 'Write e.g. 549.99.' : `Write ${plain}.`,
  );
}

/** For `check`: refuses a last day before the first one. @param column of the first day */
export function notBefore(
  last: string | null,
  first: string | null | undefined,
  column: string,
): BadCell | null {
  if (last === null || !first || first <= last) return null;
  return new BadCell(`It is before the ${column}, ${first}.`, 'Swap the two days, or correct one.');
}
