/**
 * Decimals of the currencies that do not have two, from ISO 4217's list one. The list is here and
 * not asked of `Intl`, whose data change with the runtime (CLDR 48 gives the forint none, ISO two):
 * stored minor units must never change their meaning.
 */
const DECIMALS: Readonly<Record<string, number>> = {
  ...all(0, 'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF'),
  ...all(3, 'BHD IQD JOD KWD LYD OMR TND'),
  ...all(4, 'CLF UYW'),
};

const KNOWN = new Set(Intl.supportedValuesOf('currency'));

/** What a 32-bit column holds. */
export const LARGEST_AMOUNT = 2 ** 31 - 1;

function all(decimals: number, currencies: string): Record<string, number> {
  return Object.fromEntries(currencies.split(' ').map((currency) => [currency, decimals]));
}

/** Whether `code` is the ISO 4217 code of a currency in use, in capitals. */
export function isCurrency(code: string): boolean {
  return KNOWN.has(code);
}

/** How many decimals an amount in `currency` has: 2 for GBP, 0 for JPY, 3 for KWD. */
export function decimalsOf(currency: string): number {
  return DECIMALS[currency] ?? 2;
}

/** `amountMinor` in major units, the nearest number to the decimal: 54999 GBP is 549.99. */
export function majorUnits(amountMinor: number, currency: string): number {
  return amountMinor / 10 ** decimalsOf(currency);
}

/** `amountMinor` as a decimal with all places: 55000 GBP is `550.00`. */
export function printAmount(amountMinor: number, currency: string): string {
  return majorUnits(amountMinor, currency).toFixed(decimalsOf(currency));
}

/** `price` in major units with all places and the currency's code: `550.00 GBP`. */
export function printPrice(price: number, currency: string): string {
  return `${price.toFixed(decimalsOf(currency))} ${currency}`;
}

/** `price` in major units as people write it: `£1,234.50`, and `£550` where there are no pence. */
export function priceInWords(price: number, currency: string): string {
  const decimals = decimalsOf(currency);
  return new Intl.NumberFormat('en-GB', {
    style: 'currency',
    currency,
    minimumFractionDigits: Number.isInteger(price) ? 0 : decimals,
    maximumFractionDigits: decimals,
  }).format(price);
}

/**
 * Reads a decimal of major units into integer minor units, digit by digit, without rounding.
 * @returns null where `text` is not `digits[.digits]`, has more places than `currency`, or does not
 * fit 32 bits
 */
export function parseAmount(text: string, currency: string): number | null {
  const decimals = decimalsOf(currency);
  const match = /^(\d{1,12})(?:\.(\d{1,4}))?$/.exec(text);
  const [, whole = '', fraction = ''] = match ?? [];
  if (match === null || fraction.length > decimals) return null;
  const amount = Number(whole + fraction.padEnd(decimals, '0'));
  return amount <= LARGEST_AMOUNT ? amount : null;
}
