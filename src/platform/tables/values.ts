import { isDay } from '../kernel/time.js';

/** What people write in a cell for which they have nothing; also the errors of formulas. */
const PLACEHOLDER =
  /^(?:[-–—?.]+|n\/?a|n\.a\.?|nil|null|none|tb[acd]|to be (?:advised|confirmed)|unknown|not known|#(?:n\/a|ref!|value!|name\?|null!|div\/0!))$/i;

/** Whether a cell says that there is no value. */
export const isPlaceholder = (cell: string): boolean => PLACEHOLDER.test(cell.trim());

const MONTHS = 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ');

/**
 * The day that a cell says, as `2026-11-27`: also as `27/11/2026`, `27.11.2026` or `27 Nov 2026`, in the order of the United Kingdom, and
 * with a time of midnight. A year has four digits. Null for any other text, such as `11/27/2026`.
 */
export function dayOf(cell: string): string | null {
  const text = cell.trim().replace(/[T ]00:00(?::00(?:\.0+)?)?Z?$/, '');
  const plain = text.replaceAll('/', '-');
  if (isDay(plain)) return plain;
  const [, day = '', month = '', year = ''] =
    /^(\d\d?)[-/. ](\d\d?|[a-z]{3,9})[-/. ](\d{4})$/i.exec(text) ?? [];
  const named = MONTHS.indexOf(month.slice(0, 3).toLowerCase()) + 1;
  const number = /^\d/.test(month) ? month : named > 0 ? String(named) : '';
  const read = `${year}-${number.padStart(2, '0')}-${day.padStart(2, '0')}`;
  return number !== '' && isDay(read) ? read : null;
}

/**
 * A whole number as a spreadsheet may write it: `100023336956.0`, `1.00023336956E+11`. Other texts stay as they are, also a
 * number with fewer digits than it has places: a spreadsheet has rounded it.
 */
export function wholeNumberIn(cell: string): string {
  const [, first, digits = '', power] = /^(\d)(?:\.(\d+))?E\+?(\d{1,2})$/i.exec(cell) ?? [];
  if (first !== undefined) return digits.length === Number(power) ? first + digits : cell;
  return /^(\d+)(?:\.0+|,0{1,2})$/.exec(cell)?.[1] ?? cell;
}

/** Whether a spreadsheet has rounded a number: `1.00023E+11`. */
export const isRounded = (cell: string): boolean => /^\d(?:\.\d+)?E\+?\d+$/i.test(cell);

/** For a cell of which `isRounded`. */
export const ROUNDED =
  'A spreadsheet has rounded it: format the column as text, and paste the numbers again.';
