/**
 * Decimals of the currencies that do not have two (ISO 4217, list one). `Intl` is not used, because its
 * data changes with the runtime (in CLDR 48 the forint has none), and stored minor units must not change
 * their meaning.
 */
const DECIMALS: Readonly<Record<string, number>> = {
  ...all(0, 'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF'),
  ...all(3, 'BHD IQD JOD KWD LYD OMR TND'),
  ...all(4, 'CLF UYW'),
};

const KNOWN = new Set(Intl.supportedValuesOf('currency'));

/** The largest value of a 32-bit column. */
export const LARGEST_AMOUNT = 2 ** 31 - 1;

function all(decimals: number, currencies: string): Record<string, number> {
  return Object.fromEntries(currencies.split(' ').map((currency) => [currency, decimals]));
}

/** Whether `code` is the ISO 4217 code of a currency in use, in capitals. */
export function isCurrency(code: string): boolean {
  return KNOWN.has(code);
}

/** 2 for GBP, 0 for JPY, 3 for KWD. */
export function decimalsOf(currency: string): number {
  return DECIMALS[currency] ?? 2;
}

/** 54999 GBP as 549.99. */
export function majorUnits(amountMinor: number, currency: string): number {
  return amountMinor / 10 ** decimalsOf(currency);
}

/** 55000 GBP as `550.00`. */
export function printAmount(amountMinor: number, currency: string): string {
  return majorUnits(amountMinor, currency).toFixed(decimalsOf(currency));
}

/** A price in major units as `550.00 GBP`. */
export function printPrice(price: number, currency: string): string {
  return `${price.toFixed(decimalsOf(currency))} ${currency}`;
}

/** A price in major units for people, always with its decimals: `£1,234.50`, `£550.00`. */
export function priceInWords(price: number, currency: string): string {
  return formatOf(currency, decimalsOf(currency)).format(price);
}

const formats = new Map<string, Intl.NumberFormat>();

/** Kept, because a format takes 20 µs to make, and a list has hundreds of prices. */
export function formatOf(currency: string, decimals: number): Intl.NumberFormat {
  const key = `${currency} ${decimals}`;
  const known = formats.get(key);
  if (known) return known;
  const format = new Intl.NumberFormat('en-GB', {
    style: 'currency',
    currency,
    minimumFractionDigits: decimals,
    maximumFractionDigits: decimals,
  });
  formats.set(key, format);
  return format;
}

/** How far a price in major units has changed: `+£8.99, +3.0 %`; without per cent from nothing. */
export function priceChangeInWords(before: number, now: number, currency: string): string {
  const decimals = decimalsOf(currency);
  const format = (change: number, options: Intl.NumberFormatOptions) =>
    new Intl.NumberFormat('en-GB', { signDisplay: 'always', ...options }).format(change);
  const amount = format(now - before, {
    style: 'currency',
    currency,
    minimumFractionDigits: decimals,
    maximumFractionDigits: decimals,
  });
  if (before === 0) return amount;
  const one = { minimumFractionDigits: 1, maximumFractionDigits: 1 };
  return `${amount}, ${format(((now - before) / before) * 100, one)} %`;
}

/**
 * Reads major units as integer minor units, without rounding.
 * @returns null if `text` is not `digits[.digits]`, has more decimals than `currency`, or exceeds 32 bits
 */
export function parseAmount(text: string, currency: string): number | null {
  const decimals = decimalsOf(currency);
  const match = /^(\d{1,12})(?:\.(\d{1,4}))?$/.exec(text);
  const [, whole = '', fraction = ''] = match ?? [];
  if (match === null || fraction.length > decimals) return null;
  const amount = Number(whole + fraction.padEnd(decimals, '0'));
  return amount <= LARGEST_AMOUNT ? amount : null;
}
