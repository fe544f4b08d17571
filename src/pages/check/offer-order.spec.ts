import { expect, it, test } from '@jest/globals';
import type { Offer } from '../../catalogue/content/offer-fields.js';
import { offerOrderOf, sortOffers } from './offer-order.js';

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
] as const)('sorts offers by %s: %s', (order, codes) => {
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

it('sorts offers by bandwidth by default', () => {
  expect([offerOrderOf('price'), offerOrderOf('constructor'), offerOrderOf('')]).toEqual([
    'price',
    'bandwidth',
    'bandwidth',
  ]);
});
