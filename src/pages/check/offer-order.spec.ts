import { expect, it, test } from '@jest/globals';
import type { Offer } from '../../catalogue/content/catalogue.js';
import { bandwidth, days, months, offerOrderOf, sortOffers } from './offer-order.js';

const offer = (
  productCode: string,
  gbps: number,
  term: number,
  price: number,
  leadTimeDays: number,
) => ({ productCode, bandwidthProvisioned: gbps, term, price, leadTimeDays }) as Offer;
const offers = [
  offer('A', 0.1, 12, 200, 10),
  offer('B', 1, 12, 550, 84),
  offer('C', 1, 36, 450, 84),
];

test.each([
  ['bandwidth', 'ABC'],
  ['term', 'ABC'],
  ['price', 'ACB'],
  ['lead', 'ABC'],
] as const)('by %s: %s', (order, codes) => {
  expect(
    sortOffers([...offers].reverse(), order)
      .map((one) => one.productCode)
      .sort(),
  ).toEqual([...'ABC']);
  expect(
    sortOffers(offers, order)
      .map((one) => one.productCode)
      .join(''),
  ).toBe(codes);
});

it('is by bandwidth unless it is told otherwise', () => {
  expect([offerOrderOf('price'), offerOrderOf('constructor'), offerOrderOf('')]).toEqual([
    'price',
    'bandwidth',
    'bandwidth',
  ]);
});

it('says bandwidths, terms and lead times in words', () => {
  expect([bandwidth(0.1), bandwidth(1), bandwidth(2.5)]).toEqual([
    '100 Mbit/s',
    '1 Gbit/s',
    '2.5 Gbit/s',
  ]);
  expect([months(1), months(12), days(1), days(84)]).toEqual([
    '1 month',
    '12 months',
    '1 day',
    '84 days',
  ]);
});
