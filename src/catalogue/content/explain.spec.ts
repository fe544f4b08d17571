import { expect, it } from '@jest/globals';
import { parsePostcode, type Postcode } from '../../platform/kernel/postcode.js';
import { Catalogue } from './catalogue.js';
import { contentOf, explainAt, givenFiles } from '../../../test/support/catalogue-files.given.js';

const catalogue = new Catalogue(
  7,
  contentOf(
    givenFiles({
      products: ['A,Gig,1,10,12', 'B,Ten,10,10,12', 'C,Hundred,100,100,12'],
      prices: ['A,Z,,100,GBP,10', 'A,Z,gold,90,GBP,9', 'B,Z,,200,GBP,10', 'C,Y,gold,1,GBP,1'],
      coverage: ['EC,Z', 'EC2A 2,-', 'EC2A 2BS,Z'],
    }),
  ),
);
const explained = (text: string, priceList = 'standard') =>
  explainAt(catalogue, parsePostcode(text) as Postcode, priceList, 0);

it.each([
  ['EC2A 2BS', 'Z', 'The unit EC2A 2BS is in the zone Z.', 'unit'],
  ['EC2A 2BT', null, 'We do not serve EC2A 2BT.', 'sector'],
  ['EC1A 1BB', 'Z', 'The area EC is in the zone Z.', 'area'],
  ['N1 9GU', null, 'This postcode is outside our coverage.', undefined],
])('says which row decides at %s', (postcode, zone, reason, level) => {
  const { levels, ...answer } = explained(postcode);
  expect([answer.zone, answer.reason]).toEqual([zone, reason]);
  expect(levels.find(({ decides }) => decides)?.level).toBe(level);
});

it('shows the row of each level', () => {
  expect(explained('EC2A 2BS').levels.map(({ place, zone }) => [place, zone])).toEqual([
    ['EC2A 2BS', 'Z'],
    ['EC2A 2', '-'],
    ['EC2A', null],
    ['EC2', null],
    ['EC', 'Z'],
  ]);
  expect(explained('N1 9GU').levels.map(({ level }) => level)).not.toContain('subdistrict');
});

it('explains the price list of each offered product, and why others are not offered', () => {
  const { products } = explained('EC2A 2BS', 'gold');
  expect(
    products.map(({ productCode, offered, reason }) => [productCode, offered, reason]),
  ).toEqual([
    ['A', true, 'The gold price in Z applies.'],
    ['B', true, 'The standard price in Z applies: gold has none.'],
    ['C', false, 'No price in Z on gold and standard.'],
  ]);
  expect(
    products[0]?.prices.map(({ priceList, price, decides }) => [priceList, price, decides]),
  ).toEqual([
    ['gold', 90, true],
    ['standard', 100, false],
  ]);
  expect(explained('N1 9GU').products.map(({ reason }) => reason)).toEqual(
    Array(3).fill('No products are available at this postcode.'),
  );
});
