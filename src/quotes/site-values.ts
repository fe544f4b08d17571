/** What the cells of a list of sites mean. Pure. */
import { whole } from '../platform/kernel/counts.js';

/** Of bandwidths, by the first letter: in Gbit/s. */
const gigabits: Readonly<Record<string, number>> = { g: 1, m: 0.001, k: 0.000_001 };

/** A letter, and what people write after it: `Gig`, `GbE`, `Mbit/s`, `mbps`. */
const UNIT =
  '(?:([gmk])(?:b(?:it)?s?|be|e|[ie]gs?|[ie]ga(?:bit)?s?|ig-?e)?(?:\\/s(?:ec(?:ond)?)?|ps)?)?';
const NUMBER = '([\\d.,\\s]*\\d)';
const BANDWIDTH = new RegExp(`^${NUMBER}\\s*${UNIT}(?:\\s*/\\s*${NUMBER}\\s*${UNIT})?$`, 'i');

/** From here on, a number without a unit is mostly one of Mbit/s. */
const DOUBTFUL = 30;

/** A bandwidth without a unit that could be one of either. */
export class UnitQuestion {
  constructor(private readonly number: number) {}

  get detail(): string {
    const number = whole(this.number);
    return `${number} Gbit/s, or did you mean ${number} Mbit/s? Write the unit, such as ${number} Mbit/s.`;
  }
}

/**
 * Gbit/s: `1`, `1G`, `1 Gig`, `1GbE`, `100M`, `100meg`, `10,000 Mbit/s`, `2,5 Gbps`, `100/100` (Mbit/s both ways). Any other text stays as it
 * is, also `100/20`.
 * @param unit of numbers without one: `g`, `m` or `k`; undefined if nothing says it
 */
export function readBandwidth(text: string, unit?: string): number | string | UnitQuestion {
  const [, first, ownUnit, second, secondUnit] = BANDWIDTH.exec(text) ?? [];
  const number = first === undefined ? null : readNumber(first);
  if (number === null) return text;
  const isBothWays = second !== undefined;
  const assumed = number < DOUBTFUL ? 'g' : isBothWays ? 'm' : undefined;
  const said = (ownUnit ?? secondUnit ?? unit ?? assumed)?.toLowerCase();
  if (
    isBothWays &&
    (readNumber(second) !== number || (secondUnit ?? said)?.toLowerCase() !== said)
  ) {
    return text;
  }
  if (said === undefined) return new UnitQuestion(number);
  return Math.round(number * gigabits[said]! * 1e6) / 1e6;
}

/** A comma before three digits separates thousands; after a zero or before other numbers of digits it is a decimal point. */
function readNumber(digits: string): number | null {
  const plain = digits
    .replaceAll(/\s/g, '')
    .replaceAll(/(?<!^0),(?=\d{3}(?:\D|$))/g, '')
    .replace(',', '.');
  return /^\d+(?:\.\d+)?$/.test(plain) ? Number(plain) : null;
}

/** Months: `36`, `36 months`, `3 years`. @param unit of numbers without one: `m` or `y` */
export function readTerm(text: string, unit = 'm'): number | string {
  const [, digits, ownUnit = unit] =
    /^(\d{1,3})(?:\.0+)?\s*-?\s*(?:(m|y)[a-z]*)?$/i.exec(text) ?? [];
  return digits === undefined ? text : Number(digits) * (ownUnit.toLowerCase() === 'y' ? 12 : 1);
}
