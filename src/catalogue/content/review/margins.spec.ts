import { describe, expect, it } from '@jest/globals';
import { contentOf, givenFiles } from '../../../../test/support/catalogue-files.given.js';
import { parseCatalogueFiles } from '../files/csv-reader.js';
import { belowFloor, CostBook, marginInWords, supplierMargins } from './margins.js';

const costs = `product,zone,cost,currency,lead_time_days
INT-1G-12,CITY,100,GBP,1
INT-1G-12,TOWN,200,GBP,1
INT-100M-36,CITY,0,GBP,1
`;

function given(margins: string[], priceLists: string[] = []) {
  const { content, faults } = parseCatalogueFiles(givenFiles({ margins, priceLists }), {
    pxc: { suppliers: 'supplier,label,valid_until\npxc,PXC,2027-03-31\n', costs },
  });
  if (!content) throw new Error(JSON.stringify(faults.shown));
  return content;
}

describe('the cost of a price', () => {
  const book = new CostBook(given(['*,*,,25,,,10', 'pxc,*,trade,5,,,']));
  const of = (productCode: string, zone: string, priceList = 'standard') =>
    book.of({ productCode, zone, priceList });

  it('is that of the supplier, product and zone, with the floor of the price list', () => {
    const cost = { costMinor: 10_000, currency: 'GBP' };
    expect(of('INT-1G-12', 'pxc:CITY')).toEqual({ ...cost, floorMinor: 11_000 });
    expect(of('INT-1G-12', 'pxc:CITY', 'trade')).toEqual({ ...cost, floorMinor: null });
    expect(of('INT-1G-12', 'pxc:TOWN')).toMatchObject({ costMinor: 20_000, floorMinor: 22_000 });
  });

  it('is null for what the supplier does not sell', () => {
    expect([of('INT-100M-36', 'pxc:TOWN'), of('INT-1G-12', 'CITY')]).toEqual([null, null]);
  });
});

it.each([
  [12_500, 10_000, 'GBP', 'cost £100.00, margin £25.00 (25.0 %)'],
  [9_000, 10_000, 'GBP', 'cost £100.00, margin −£10.00 (−10.0 %)'],
  [99_990, 100_000, 'GBP', 'cost £1,000.00, margin −£0.10 (0.0 %)'],
  [500, 0, 'GBP', 'cost £0.00, margin £5.00'],
])('a price of %d that costs %d in %s is in words: %s', (amount, cost, currency, words) => {
  expect(marginInWords(amount, cost, currency)).toBe(words);
});

it('margins of suppliers leave out free products, and are none without a supplier', () => {
  const { least, median, most, prices } = supplierMargins(given(['*,*,,25']))[0]!;
  expect([least, median, most, prices]).toEqual([25, 25, 25, 3]);
  expect(supplierMargins(contentOf(givenFiles()))).toEqual([]);
});

it('margins of a supplier that only sells what is free are unknown', () => {
  const { suppliers, ...content } = given(['*,*,,25']);
  const free = content.costs.filter(({ costMinor }) => costMinor === 0);
  expect(supplierMargins({ ...content, suppliers, costs: free })).toEqual([
    { supplier: 'pxc', prices: 1, least: null, median: null, most: null, belowFloor: 0 },
  ]);
});

describe('prices below the floor', () => {
  it('need a floor, and a list that derives from another', () => {
    expect(belowFloor(null, given(['*,*,,25'], ['gold,,-50,']))).toBeNull();
    expect(belowFloor(null, given(['*,*,,25,,,20']))).toBeNull();
    // 100.00 with 25 %, less 4 %, is the floor itself.
    expect(belowFloor(null, given(['*,*,,25,,,20'], ['gold,,-4,']))).toBeNull();
  });

  it('are counted, with the lowest one of all', () => {
    const both = ['*,*,,25,,,20', 'pxc,INT-1G-12,,25,,,20'];
    expect(belowFloor(null, given(both, ['gold,,-5,', 'best,,-20,']))).toEqual({
      detail: '4 prices are below the floor of the margin, such as INT-1G-12 in pxc:CITY (best).',
      withMargins:
        '4 prices are below the floor of the margin, most of all INT-1G-12 in pxc:CITY (best) at £100.00: margin 0.0 %, floor 20 %.',
    });
  });
});
