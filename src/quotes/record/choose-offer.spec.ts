import { describe, expect, it } from '@jest/globals';
import type { Offer } from '../../catalogue/content/offer-fields.js';
import { chooseOffer } from './choose-offer.js';
import { contractMinor, contractValue, sumOf, totalsOf } from './contract-value.js';

const offer = (productCode: string, about: Partial<Offer> = {}): Offer => ({
  productCode,
  name: productCode,
  bandwidthProvisioned: 1,
  bandwidthCapacity: 10,
  term: 36,
  price: 100,
  amountMinor: 10_000,
  currency: 'GBP',
  setupPrice: 0,
  leadTimeDays: 30,
  ...{
    basis: 'firm',
    extraChargesPossible: false,
    network: null,
    service: null,
    needsInterconnect: false,
    zone: 'Z',
  },
  priceList: 'standard',
  priceUntil: null,
  next: null,
  ...about,
});
const chosen = (
  offers: readonly Offer[],
  bandwidth = 1,
  term: number | null = 36,
  service: string | null = null,
) => {
  const { offer: found, alternatives } = chooseOffer(offers, { bandwidth, term, service });
  return [found?.productCode ?? null, ...alternatives.map(({ productCode }) => productCode)];
};

describe('the product of a line', () => {
  /** Each pair differs in one criterion and in those after it: the first is better. */
  const better: readonly (readonly [string, Partial<Offer>, Partial<Offer>])[] = [
    [
      'the least bandwidth that is enough',
      { bandwidthProvisioned: 1, price: 900 },
      { bandwidthProvisioned: 2, price: 1 },
    ],
    [
      'the least total over the term',
      { price: 100, setupPrice: 3_599, basis: 'indicative' },
      { price: 200, setupPrice: 0, basis: 'firm' },
    ],
    [
      'a set-up price that is stated',
      { price: 900, setupPrice: 900, basis: 'indicative' },
      { price: 1, setupPrice: null, basis: 'firm' },
    ],
    [
      'the least price, where neither set-up price is stated',
      { price: 100, setupPrice: null, basis: 'indicative' },
      { price: 101, setupPrice: null, basis: 'firm' },
    ],
    [
      'a firm price',
      { basis: 'firm', leadTimeDays: 90 },
      { basis: 'subjectToSurvey', leadTimeDays: 1 },
    ],
    [
      'a price subject to survey',
      { basis: 'subjectToSurvey', leadTimeDays: 90 },
      { basis: 'indicative', leadTimeDays: 1 },
    ],
    ['the shorter lead time', { leadTimeDays: 29 }, { leadTimeDays: 30 }],
  ];

  it.each(better)('is the one with %s', (_what, first, second) => {
    // The code decides last, so the better one has the later code.
    expect(chosen([offer('B', first), offer('A', second)])[0]).toBe('B');
    expect(chosen([offer('A', second), offer('B', first)])[0]).toBe('B');
  });

  it('is the one with the first code, where all else is equal', () => {
    expect(chosen([offer('B'), offer('A')])).toEqual(['A', 'B']);
  });

  it('has at least the wanted bandwidth, and exactly the wanted term', () => {
    const offers = [
      offer('SLOW', { bandwidthProvisioned: 0.999 }),
      offer('SHORT', { term: 35 }),
      offer('LONG', { term: 37 }),
    ];
    expect(chosen(offers)).toEqual([null, 'SHORT', 'LONG']);
    expect(chosen(offers, 0.999)[0]).toBe('SLOW');
    expect(chosen([offer('EXACT')], 1)[0]).toBe('EXACT');
    expect(chosen([offer('EXACT')], 1.001)).toEqual([null]);
  });

  it('has any term if none is wanted', () => {
    const offers = [offer('A', { term: 12, price: 100 }), offer('B', { term: 36, price: 30 })];
    expect(chosen(offers, 1, null)).toEqual(['B', 'A']);
  });

  it('is of the wanted service, and so are its alternatives', () => {
    const offers = [
      ...[offer('A', { service: 'Internet' }), offer('B', { service: 'Ethernet', price: 300 })],
      ...[offer('C', { service: 'ETHERNET', price: 400 }), offer('D', { service: null })],
      offer('E', { service: 'Ethernet', term: 12 }),
    ];
    expect(chosen(offers, 1, 36, 'ethernet')).toEqual(['B', 'C', 'E']);
    expect(chosen(offers, 1, 36, 'Ether')).toEqual([null]);
    expect(chosen(offers)[0]).toBe('A');
  });

  it('does not compare totals in different currencies', () => {
    expect(
      chosen([offer('A', { currency: 'GBP', price: 1 }), offer('B', { currency: 'EUR' })])[0],
    ).toBe('B');
  });

  it('is the same in whatever order the products come', () => {
    const all = better.flatMap(([, first, second], i) => [
      offer(`X${i}`, first),
      offer(`Y${i}`, second),
    ]);
    const expected = chosen(all);
    for (let i = 1; i < all.length; i += 1) {
      expect(chosen([...all.slice(i), ...all.slice(0, i)])).toEqual(expected);
    }
  });
});

describe('the alternatives', () => {
  const same = ['B', 'C', 'D', 'E'].map((code, i) => offer(code, { price: 101 + i }));
  it('are at most three of the same term, the next best first', () => {
    expect(chosen([offer('A'), ...same])).toEqual(['A', 'B', 'C', 'D']);
  });

  it('are of other terms the shortest first, also where a longer one costs less', () => {
    const terms = [60, 12, 24, 48].map((term) =>
      offer(`T${term}`, { term, price: 6_000 / term ** 2 }),
    );
    expect(chosen([offer('A'), ...terms])).toEqual(['A', 'T12', 'T24', 'T48']);
    expect(chosen([offer('A'), terms[0]!, offer('B'), terms[1]!, offer('C')])).toEqual([
      ...['A', 'B', 'T12', 'T60'],
    ]);
  });

  it('leave room for the best of other terms, the shortest first', () => {
    const twelve = [offer('T12', { term: 12, price: 5 }), offer('U12', { term: 12, price: 6 })];
    expect(chosen([offer('A'), ...same, ...twelve])).toEqual(['A', 'B', 'C', 'T12']);
    const more = [...twelve, offer('T60', { term: 60 }), offer('T24', { term: 24 })];
    expect(chosen([offer('A'), ...same, ...more])).toEqual(['A', 'B', 'T12', 'T24']);
  });
});

describe('what a contract is worth', () => {
  it('is the set-up and all months, without errors of rounding', () => {
    const product = { price: 0.1, setupPrice: 0.2, term: 3, currency: 'GBP' };
    expect([contractMinor(product), contractValue(product)]).toEqual([50, 0.5]);
    expect(contractValue({ ...product, setupPrice: null })).toBeNull();
    expect(contractValue({ price: 1_000, setupPrice: 5, term: 2, currency: 'JPY' })).toBe(2_005);
    expect(contractValue({ price: 1.001, setupPrice: 0, term: 2, currency: 'KWD' })).toBe(2.002);
  });

  it('is summed for each currency and basis', () => {
    const products = [
      offer('A', { price: 465, setupPrice: 250 }),
      offer('B', { price: 0.1, setupPrice: 0.2, term: 1 }),
      offer('C', { price: 10, setupPrice: null, basis: 'indicative' }),
      offer('D', { price: 10, setupPrice: 1, basis: 'indicative' }),
      offer('E', { price: 7, setupPrice: 1, term: 1, currency: 'EUR' }),
    ];
    expect(totalsOf(products.map(sumOf))).toEqual([
      {
        currency: 'GBP',
        basis: 'firm',
        lines: 2,
        monthly: 465.1,
        setup: 250.2,
        contract: 16_990.3,
        constraints: [],
      },
      {
        currency: 'GBP',
        basis: 'indicative',
        lines: 2,
        monthly: 20,
        setup: null,
        contract: null,
        constraints: [],
      },
      {
        currency: 'EUR',
        basis: 'firm',
        lines: 1,
        monthly: 7,
        setup: 1,
        contract: 8,
        constraints: [],
      },
    ]);
    expect(totalsOf([])).toEqual([]);
  });
});
