import { describe, expect, it, test } from '@jest/globals';
import type { OfferedProduct, PriceRow, ProductRow } from './offer-fields.js';
import {
  changedTerms,
  headingOf,
  inBrief,
  inWords,
  labelledFields,
  offerOf,
  sameTerms,
  termsOf,
} from './offers.js';

const product: ProductRow = {
  code: 'INT-1G-12',
  name: '1G Internet',
  bandwidthProvisionedMbps: 100,
  bandwidthCapacityMbps: 2_500,
  termMonths: 12,
};
const price: PriceRow = {
  productCode: 'INT-1G-12',
  zone: 'ONNET',
  priceList: 'standard',
  amountMinor: 55_000,
  currency: 'GBP',
  leadTimeDays: 84,
};

function printed(about: Partial<ProductRow & PriceRow>) {
  const offer = offerOf({ ...product, ...about }, { ...price, ...about });
  return labelledFields().map((field) => [
    headingOf(field),
    inWords(field, offer),
    inBrief(field, offer),
  ]);
}

describe('an offer', () => {
  it('is told field by field, for people and in brief', () => {
    expect(printed({})).toEqual([
      ['Bandwidth', '100 Mbit/s on a 2.5 Gbit/s bearer', '0.1/2.5 Gbit/s'],
      ['Term', '12 months', '12 months'],
      ['Price a month, excluding VAT', '£550', '550.00 GBP'],
      ['Lead time', '84 days', '84 days'],
    ]);
  });

  it('is told in the singular where it is one', () => {
    const words = printed({ termMonths: 1, leadTimeDays: 1 }).map(([, text]) => text);
    expect(words).toEqual(['100 Mbit/s on a 2.5 Gbit/s bearer', '1 month', '£550', '1 day']);
  });

  test.each([
    [54_999, 'GBP', '£549.99', '549.99 GBP'],
    [5_000, 'JPY', 'JP¥5,000', '5000 JPY'],
    [12_345, 'KWD', 'KWD\u00a012.345', '12.345 KWD'],
    [12_000, 'KWD', 'KWD\u00a012', '12.000 KWD'],
  ])('of %i minor units of %s costs %s, in brief %s', (amountMinor, currency, ...expected) => {
    const [, , [, words, brief] = []] = printed({ amountMinor, currency });
    expect([words, brief]).toEqual(expected);
  });
});

describe('terms', () => {
  const offer = offerOf(product, price);

  it('are price, currency and lead time', () => {
    expect(termsOf(offer)).toEqual({ price: 550, currency: 'GBP', leadTimeDays: 84 });
  });

  test.each<[change: Partial<OfferedProduct>, changed: string[]]>([
    [{ price: 550.01 }, ['Price']],
    [{ currency: 'EUR' }, ['Price']],
    [{ leadTimeDays: 85 }, ['Lead time']],
    [{ price: 1, leadTimeDays: 0 }, ['Price', 'Lead time']],
    [{ name: 'Another name', bandwidthCapacity: 1 }, []],
  ])('with %j are changed in %j', (change, changed) => {
    const other = { ...offer, ...change };
    expect([sameTerms(offer, other), changedTerms(offer, other)]).toEqual([
      changed.length === 0,
      changed,
    ]);
  });
});
