import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { contentOf, givenFiles, textsOf } from '../../../../test/support/catalogue-files.given.js';
import { addDays } from '../../../platform/kernel/time.js';
import { parseCatalogueFiles } from '../files/csv-reader.js';
import { pricesOn } from '../dates.js';
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
  setupPercent: null,
  from: null,
  until: null,
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
  it('until a day leaves the first day of what it adds open', () => {
    const after = adjustPrices(content, { ...everything, zone: 'UK', until: '2026-03-31' });
    if (after instanceof AdjustmentRefusal) throw new Error(after.detail);
    const rows = after.prices.filter(({ zone }) => zone === 'UK');
    expect(
      rows.map(({ amountMinor, validFrom, validUntil }) => [amountMinor, validFrom, validUntil]),
    ).toEqual([
      [70_000, null, null],
      [72_100, null, '2026-03-31'],
    ]);
  });

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
      { product: 'INT-', setupPercent: 3 },
      ['INT-1G-12 CITY standard 56650 25750', 'INT-1G-12 UK standard 72100 0'],
    ],
    [
      'makes set-up free, also where it was not stated, and leaves monthly prices',
      { percent: 0, roundTo: 50, setupPercent: -100 },
      [
        'ETH-1G-12 CITY partner 9000 0',
        'ETH-1G-12 CITY standard 9999 0',
        'INT-1G-12 CITY standard 55000 0',
      ],
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

describe('an adjustment with a first or a last day', () => {
  const cells = '550,GBP,84,,,';
  const dated = (...rows: string[]) =>
    contentOf(givenFiles({ prices: rows.map((row) => `INT-1G-12,LONDON-ONNET,,${row}`) }));
  const after = (rows: string[], days: Partial<PriceAdjustment>) => {
    const adjusted = adjustPrices(dated(...rows), { ...everything, percent: 10, ...days });
    if (adjusted instanceof AdjustmentRefusal) return adjusted.detail;
    const { faults } = parseCatalogueFiles(textsOf(adjusted));
    expect(faults.shown).toEqual([]);
    return adjusted.prices.map(({ amountMinor, validFrom, validUntil }) =>
      [amountMinor / 100, validFrom ?? '', validUntil ?? ''].join(' '),
    );
  };

  it('writes a row with dates, and leaves the row that it starts from', () => {
    expect(after([cells], { from: '2026-12-01' })).toEqual(['550  ', '605 2026-12-01 ']);
    expect(after([cells], { from: '2027-01-01', until: '2027-01-31' })).toEqual([
      '550  ',
      '605 2027-01-01 2027-01-31',
    ]);
    expect(after([cells], { until: '2027-01-31' })).toEqual(['550  ', '605  2027-01-31']);
  });

  it('adjusts what rows with dates state on these days, and fills the days between them', () => {
    const rows = [cells, '500,GBP,84,,,,2027-01-01,2027-01-31', '400,GBP,84,,,,2027-03-01,'];
    expect(after(rows, { from: '2027-01-11', until: '2027-03-10' })).toEqual([
      '550  ',
      '500 2027-01-01 2027-01-10',
      '550 2027-01-11 2027-01-31',
      '605 2027-02-01 2027-02-28',
      '440 2027-03-01 2027-03-10',
      '400 2027-03-11 ',
    ]);
  });

  it('adds no price on days without one', () => {
    expect(after(['500,GBP,84,,,,2027-01-01,2027-01-31'], { from: '2027-01-31' })).toEqual([
      '500 2027-01-01 2027-01-30',
      '550 2027-01-31 2027-01-31',
    ]);
  });

  it('gives each day the price of before, adjusted on the days alone', () => {
    const day = fc.integer({ min: 0, max: 9 });
    const dayOf = (n: number) => addDays('2027-03-25', n);
    const span = fc.tuple(day, day).map((pair) => pair.sort((a, b) => a - b));
    fc.assert(
      fc.property(fc.array(span, { maxLength: 3 }), span, (spans, [from, until]) => {
        const apart = spans.filter(
          ([first], i) => !spans.slice(0, i).some(([, last]) => first <= last),
        );
        const rows = apart.map(
          ([first, last], i) => `${100 * (i + 1)},GBP,84,,,,${dayOf(first)},${dayOf(last)}`,
        );
        const before = dated(cells, ...rows);
        const adjustment = { percent: 10, from: dayOf(from), until: dayOf(until) };
        const adjusted = adjustPrices(before, { ...everything, ...adjustment });
        if (adjusted instanceof AdjustmentRefusal) throw new Error(adjusted.detail);
        for (let n = -1; n <= 10; n += 1) {
          const [was, now] = [before, adjusted].map(({ prices }) =>
            pricesOn(prices, dayOf(n), []).map(({ amountMinor }) => amountMinor),
          );
          const factor = from <= n && n <= until ? 1.1 : 1;
          expect(now).toEqual(was!.map((amount) => Math.round(amount * factor)));
        }
      }),
      { numRuns: 60 },
    );
  });

  it('is refused if it ends before it starts', () => {
    expect(after([cells], { from: '2027-01-31', until: '2027-01-01' })).toContain(
      'The last day is before the first day.',
    );
  });
});
