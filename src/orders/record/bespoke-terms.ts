import { BESPOKE, type PriceBasis } from '../../catalogue/content/cells.js';
import {
  decimalsOf,
  isCurrency,
  LARGEST_AMOUNT,
  parseAmount,
} from '../../platform/kernel/money.js';
import type { OfferedProduct } from '../../catalogue/content/offer-fields.js';
import { completed, familyOf } from '../../catalogue/content/offers.js';
import { whole } from '../../platform/kernel/counts.js';

/** What a staff member offers, in the units of the API. */
export interface BespokeLine {
  readonly name: string;
  /** Gbit/s. */
  readonly bandwidthProvisioned: number;
  /** Gbit/s; by default the same. */
  readonly bandwidthCapacity?: number | undefined;
  /** Months. */
  readonly term: number;
  /** A month, in major units. */
  readonly price: number;
  /** One-off, in major units; null is not stated. */
  readonly setupPrice?: number | null | undefined;
  readonly currency: string;
  readonly leadTimeDays: number;
  readonly basis: PriceBasis;
  /** By default, wherever the basis is not firm. */
  readonly extraChargesPossible?: boolean | undefined;
}

/** What is wrong with one field of a line, in a sentence. */
export interface LineFault {
  readonly field: keyof BespokeLine;
  readonly detail: string;
}

/** The code of the product of a bespoke offer. */
export function bespokeCode(reference: string): string {
  return `${BESPOKE}-${reference}`;
}

export function isBespoke(productCode: string): boolean {
  return familyOf(productCode) === BESPOKE;
}

/** The product and its terms, as an order keeps them. */
export function bespokeProduct(line: BespokeLine, reference: string): OfferedProduct {
  return completed({
    productCode: bespokeCode(reference),
    name: line.name,
    bandwidthProvisioned: line.bandwidthProvisioned,
    bandwidthCapacity: line.bandwidthCapacity ?? line.bandwidthProvisioned,
    term: line.term,
    price: line.price,
    currency: line.currency,
    leadTimeDays: line.leadTimeDays,
    setupPrice: line.setupPrice ?? null,
    basis: line.basis,
    extraChargesPossible: line.extraChargesPossible ?? line.basis !== 'firm',
  });
}

/** An amount in major units as integer minor units; null if it has too many decimals or is too large. */
export function minorUnits(amount: number, currency: string): number | null {
  return parseAmount(String(amount), currency);
}

/** What the fields of a line contradict: every single field is known to be in its range. */
export function lineFaults(line: BespokeLine): LineFault[] {
  const { currency, price, setupPrice, bandwidthProvisioned, basis } = line;
  if (!isCurrency(currency)) {
    return [{ field: 'currency', detail: 'Enter the ISO 4217 code of a currency, such as GBP.' }];
  }
  const faults: LineFault[] = [];
  const most = LARGEST_AMOUNT / 10 ** decimalsOf(currency);
  const detail = `Enter an amount from 0 to ${whole(Math.floor(most))}, with at most ${decimalsOf(currency)} decimals in ${currency}.`;
  if (minorUnits(price, currency) === null) faults.push({ field: 'price', detail });
  if (setupPrice != null && minorUnits(setupPrice, currency) === null) {
    faults.push({ field: 'setupPrice', detail });
  }
  if (bandwidthProvisioned > (line.bandwidthCapacity ?? Infinity)) {
    const detail = 'Enter at least the bandwidth provisioned.';
    faults.push({ field: 'bandwidthCapacity', detail });
  }
  if (basis === 'firm' && line.extraChargesPossible) {
    const detail = 'A firm price cannot have extra charges.';
    faults.push({ field: 'extraChargesPossible', detail });
  }
  return faults;
}

/** An amount of money in minor units. */
export interface MoneyAmount {
  readonly amountMinor: number;
  readonly currency: string;
}

/** All that a client pays for an offer over its term: the monthly prices and the set-up price. */
export function totalOf({ price, setupPrice, term, currency }: OfferedProduct): MoneyAmount {
  const monthly = minorUnits(price, currency) ?? 0;
  const setUp = minorUnits(setupPrice ?? 0, currency) ?? 0;
  return { amountMinor: monthly * term + setUp, currency };
}
