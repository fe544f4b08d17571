import { describe, expect, it, test } from '@jest/globals';
import fc from 'fast-check';
import { derivedLists, effectivePrices, ZonePrices } from './effective-prices.js';
import { priceFields, type PriceRow } from './offer-fields.js';
import { sortedRows } from './offers.js';
import type { PriceListRow } from './price-list-fields.js';

function row(priceList: string, amountMinor: number, more: Partial<PriceRow> = {}): PriceRow {
  return {
    productCode: 'A',
    zone: 'Z',
    priceList,
    amountMinor,
    currency: 'GBP',
    leadTimeDays: 10,
    setupMinor: null,
    basis: 'firm',
    extraCharges: null,
    validFrom: null,
    validUntil: null,
    ...more,
  };
}

const list = (
  priceList: string,
  basedOn: string,
  percent: number,
  roundTo: number | null = null,
): PriceListRow => ({ priceList, basedOn, percent, roundTo });

const amountOn = (prices: PriceRow[], lists: PriceListRow[], name: string) =>
  new ZonePrices(prices, derivedLists(lists)).ofList(name).get('A')?.amountMinor;

describe('a derived price', () => {
  it('applies on the days without a row of its own', () => {
    const january = { validFrom: '2027-01-01', validUntil: '2027-01-31' };
    const prices = [row('standard', 50_000), row('gold', 40_000, january)];
    const gold = effectivePrices({ prices, priceLists: [list('gold', 'standard', -10)] }).filter(
      ({ priceList }) => priceList === 'gold',
    );
    expect(gold.map(({ amountMinor, validFrom }) => [amountMinor, validFrom])).toEqual([
      [45_000, null],
      [40_000, '2027-01-01'],
    ]);
  });

  test.each<[percent: number, roundTo: number | null, amount: number, derived: number]>([
    [-12, 0.5, 46_500, 40_900],
    [-12, null, 46_500, 40_920],
    [0, null, 46_500, 46_500],
    [-100, null, 46_500, 0],
    [1_000, null, 100, 1_100],
    [10, null, 5, 6],
    [-10, null, 5, 5],
    [-33.333, null, 10_000, 6_667],
    [0, 1, 150, 200],
    [0, 1, 149, 100],
    [0, 0.005, 101, 101],
    [0, 0.125, 101, 100],
    [0, 0.125, 107, 113],
  ])('%d %% and a step of %s make %i into %i', (percent, roundTo, amount, derived) => {
    const lists = [list('gold', 'standard', percent, roundTo)];
    expect(amountOn([row('standard', amount)], lists, 'gold')).toBe(derived);
  });

  test.each([
    ['JPY', 0.5, 465, 409],
    ['JPY', 10, 465, 410],
    ['KWD', 0.5, 46_512, 41_000],
  ])('rounds to units of %s', (currency, roundTo, amount, derived) => {
    const lists = [list('gold', 'standard', -12, roundTo)];
    expect(amountOn([row('standard', amount, { currency })], lists, 'gold')).toBe(derived);
  });

  it('keeps the other terms, and names its list', () => {
    const base = row('standard', 10_000, {
      setupMinor: 25_000,
      basis: 'indicative',
      leadTimeDays: 3,
    });
    const prices = new ZonePrices([base], derivedLists([list('gold', 'standard', -10)]));
    expect(prices.ofList('gold').get('A')).toEqual({
      ...base,
      priceList: 'gold',
      amountMinor: 9_000,
    });
  });

  it('never replaces a row of prices.csv for the list', () => {
    const prices = [row('standard', 10_000), row('gold', 1)];
    expect(amountOn(prices, [list('gold', 'standard', -10)], 'gold')).toBe(1);
  });

  it('derives from a derived list, and from what a base takes from standard', () => {
    const lists = [
      list('best', 'gold', -10),
      list('gold', 'partner', -10),
      list('other', 'partner', 50),
    ];
    const standard = row('standard', 10_000);
    expect(amountOn([standard], lists, 'best')).toBe(8_100);
    expect(amountOn([standard, row('partner', 5_000)], lists, 'best')).toBe(4_050);
    expect(amountOn([standard, row('partner', 5_000)], lists, 'other')).toBe(7_500);
  });

  it('is missing where the base list has no price', () => {
    expect(amountOn([row('silver', 1)], [list('gold', 'standard', 0)], 'gold')).toBeUndefined();
  });

  it('rounds half up like exact decimal arithmetic', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 2 ** 31 - 1 }),
        fc.integer({ min: -100_000, max: 100_000 }),
        fc.constantFrom(1, 5, 10, 25, 50, 99, 100, 500, 1_000),
        (amount, thousandths, step) => {
          const lists = [list('gold', 'standard', thousandths / 1_000, step / 100)];
          const derived = amountOn([row('standard', amount)], lists, 'gold')!;
          // Both sides times 100,000, in which everything is whole.
          const exact = BigInt(amount) * BigInt(100_000 + thousandths);
          const off = exact - BigInt(derived) * 100_000n;
          const half = BigInt(step) * 50_000n;
          expect([derived % step, off >= -half, off < half]).toEqual([0, true, true]);
        },
      ),
    );
  });
});

describe('all effective prices', () => {
  it('are the rows themselves without derived lists', () => {
    const prices = [row('standard', 1), row('gold', 2)];
    expect(effectivePrices({ prices, priceLists: [] })).toBe(prices);
  });

  it('are the rows and every derived price, each once', () => {
    const prices = [
      row('standard', 10_000),
      row('standard', 20_000, { zone: 'Y' }),
      row('gold', 1, { zone: 'Y' }),
    ];
    const all = effectivePrices({ prices, priceLists: [list('gold', 'standard', -10)] });
    expect(all).toEqual(sortedRows(priceFields, [...prices, row('gold', 9_000)]));
  });
});

describe('the derivation in words', () => {
  const prices = new ZonePrices(
    [row('standard', 46_500), row('own', 2)],
    derivedLists([
      list('gold', 'standard', -12, 0.5),
      list('best', 'gold', 2.5),
      list('own', 'standard', 0),
    ]),
  );
  test.each([
    ['standard', null],
    ['own', null],
    ['gold', 'standard 465.00 − 12 %, rounded to 0.50'],
    ['best', 'gold 409.00 + 2.5 %'],
  ])('of a price on %s', (name, words) => {
    expect(prices.derivationOf(prices.ofList(name).get('A')!)).toBe(words);
  });

  it('follows the lists down to standard', () => {
    expect(prices.chainOf('best')).toEqual(['best', 'gold', 'standard']);
    expect([prices.chainOf('unknown'), prices.chainOf('standard')]).toEqual([
      ['unknown', 'standard'],
      ['standard'],
    ]);
  });
});
