import { describe, expect, it } from '@jest/globals';
import { contentOf, givenFiles } from '../../../../test/support/catalogue-files.given.js';
import { AdjustmentRefusal, adjustPrices, type PriceAdjustment } from './adjust-prices.js';

const content = contentOf(
  givenFiles({
    products: ['INT-1G-12,1G Internet,1,10,12', 'ETH-1G-12,1G Ethernet,1,1,12'],
    prices: [
      'INT-1G-12,CITY,standard,550,GBP,84,250',
      'INT-1G-12,UK,standard,700,GBP,84,0',
      'ETH-1G-12,CITY,standard,99.99,GBP,60',
      'ETH-1G-12,CITY,partner,90,GBP,60',
    ],
    coverage: ['EC2A,CITY', 'EC,UK'],
    priceLists: ['gold,standard,-10,'],
  }),
);
const everything: PriceAdjustment = {
  percent: 3,
  priceList: null,
  product: null,
  zone: null,
  roundTo: null,
  floor: null,
  setup: false,
};

/** Product, zone and list with the monthly and set-up amounts that changed. */
function changed(adjustment: Partial<PriceAdjustment>): string[] | string {
  const after = adjustPrices(content, { ...everything, ...adjustment });
  if (after instanceof AdjustmentRefusal) return after.detail;
  return after.prices.flatMap((row, i) => {
    const was = content.prices[i]!;
    if (was.amountMinor === row.amountMinor && was.setupMinor === row.setupMinor) return [];
    const { productCode, zone, priceList, amountMinor, setupMinor } = row;
    return [`${productCode} ${zone} ${priceList} ${amountMinor} ${setupMinor}`];
  });
}

describe('an adjustment of prices', () => {
  it.each<[string, Partial<PriceAdjustment>, string[]]>([
    [
      'raises every price, rounded half up to the penny',
      {},
      [
        'ETH-1G-12 CITY partner 9270 null',
        'ETH-1G-12 CITY standard 10299 null',
        'INT-1G-12 CITY standard 56650 25000',
        'INT-1G-12 UK standard 72100 0',
      ],
    ],
    ['keeps to a price list', { priceList: 'partner' }, ['ETH-1G-12 CITY partner 9270 null']],
    [
      'keeps to the start of a product code and a zone',
      { product: 'INT-', zone: 'UK' },
      ['INT-1G-12 UK standard 72100 0'],
    ],
    [
      'rounds to a step',
      { product: 'ETH-', roundTo: 0.5 },
      ['ETH-1G-12 CITY partner 9250 null', 'ETH-1G-12 CITY standard 10300 null'],
    ],
    [
      'lowers no price below the floor',
      { percent: -20, priceList: 'standard', zone: 'CITY', floor: 90 },
      ['ETH-1G-12 CITY standard 9000 null', 'INT-1G-12 CITY standard 44000 25000'],
    ],
    [
      'changes set-up prices on request; free stays free',
      { product: 'INT-', setup: true },
      ['INT-1G-12 CITY standard 56650 25750', 'INT-1G-12 UK standard 72100 0'],
    ],
  ])('%s', (_, adjustment, rows) => {
    expect(changed(adjustment)).toEqual(rows);
  });

  it.each<[string, Partial<PriceAdjustment>, RegExp]>([
    ['no product code starts like this', { product: '1G-' }, /No price matches/],
    ['the list is derived', { priceList: 'gold' }, /derived from standard. Adjust standard/],
    [
      'a price would be too large',
      { percent: 1_000, floor: 30_000_000 },
      /would exceed 21474836.47 GBP/,
    ],
  ])('is refused if %s', (_, adjustment, words) => {
    expect(changed(adjustment)).toEqual(expect.stringMatching(words));
  });
});
