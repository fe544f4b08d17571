import { describe, expect, it, test } from '@jest/globals';
import { contentOf, givenFiles, textsOf } from '../../../test/support/catalogue-files.given.js';
import { encodeContent } from './content-codec.js';
import { parseCatalogueFiles } from './files/csv-reader.js';
import { diffCatalogues, isNoChange } from './diff.js';
import { diffInWords } from './change-lists.js';
import { lintCatalogue } from './lint.js';
import { discounted } from './effective-prices.js';
import { VolumeDiscounts } from './price-list-fields.js';

const rows = ['standard,INT-*,5,2.5', 'standard,INT-1G-12,10,6', 'gold,*,2,1', '*,*,20,9'];
const content = contentOf(givenFiles({ volume: rows }));

describe('volume.csv', () => {
  it('is stored and exported, and changes the hash', async () => {
    const { hash } = await encodeContent(content);
    expect((await encodeContent(contentOf(givenFiles()))).hash).not.toBe(hash);
    expect((await encodeContent(contentOf(textsOf(content)))).hash).toBe(hash);
    expect(textsOf(content).volume).toBe(
      'price_list,products,from_lines,percent\n*,*,20,9\ngold,*,2,1\nstandard,INT-*,5,2.5\nstandard,INT-1G-12,10,6\n',
    );
  });

  it('takes a discount with the sign of price_lists.csv, too', () => {
    const read = (percent: string) =>
      contentOf(givenFiles({ volume: [`standard,INT-*,5,${percent}`] }));
    expect(isNoChange(diffCatalogues(read('2.5'), read('-2.5'), null))).toBe(true);
    expect(textsOf(read('-2.5')).volume).toContain('standard,INT-*,5,2.5\n');
  });

  it('is a change where a row differs', () => {
    const after = contentOf(givenFiles({ volume: [...rows.slice(1), 'standard,INT-*,5,3'] }));
    expect(isNoChange(diffCatalogues(content, content, null))).toBe(true);
    const diff = diffCatalogues(content, after, null);
    expect(isNoChange(diff)).toBe(false);
    expect(diffInWords(diff)).toBe(
      'Volume discounts: 1 changed.\n  volume standard INT-* 5: percent 2.5 → percent 3\n',
    );
  });

  test.each([
    ['Gold,*,5,1', 'price_list'],
    ['standard,int,5,1', 'products'],
    ['standard,*,1,1', 'from_lines'],
    ['standard,*,2001,1', 'from_lines'],
    ['standard,*,2.5,1', 'from_lines'],
    ['standard,*,5,0', 'percent'],
    ['standard,*,5,100', 'percent'],
    ['standard,*,5,+5', 'percent'],
    ['standard,*,5,-5 %', 'percent'],
    ['standard,*,5,1.2345', 'percent'],
  ])('has a fault in %s', (line, column) => {
    const { faults } = parseCatalogueFiles(givenFiles({ volume: [line] }));
    expect(faults).toMatchObject({ total: 1, shown: [{ file: 'volume.csv', line: 2, column }] });
    expect(faults.shown[0]!.suggestion).toMatch(/^Write /);
  });

  it('refuses a row that is there twice', () => {
    const { faults } = parseCatalogueFiles(givenFiles({ volume: [rows[0]!, rows[0]!] }));
    expect(faults.shown.map(({ line, reason }) => [line, reason])).toEqual([
      [3, 'The price list, products and lines is also on line 2.'],
    ]);
  });

  it('is linted for rows that never take anything off', () => {
    const volume = ['standard,INT-*,5,3', 'standard,INT-1G-12,10,2', 'standard,ETH-*,5,1'];
    const warnings = lintCatalogue(contentOf(givenFiles({ volume })), null);
    expect(warnings.find(({ rule }) => rule === 'idle-discount')).toMatchObject({
      count: 2,
      examples: [
        'ETH-* from 5 lines (standard), 1 %: no product has such a code',
        'INT-1G-12 from 10 lines (standard), 2 %: another row gives as much for no more lines',
      ],
    });
    const none = lintCatalogue(content, null).filter(({ rule }) => rule === 'idle-discount');
    expect(none).toEqual([]);
  });
});

test.each([
  ['standard', 'INT-1G-12', 4, 0],
  ['standard', 'INT-1G-12', 5, 2.5],
  ['standard', 'INT-1G-12', 10, 6],
  ['standard', 'INT-100M-36', 10, 2.5],
  ['standard', 'ETH-1G-12', 2_000, 0],
  ['gold', 'ETH-1G-12', 2, 1],
  ['other', 'ETH-1G-12', 19, 0],
  ['other', 'ETH-1G-12', 20, 9],
])('on %s, %s has with %i lines a discount of %d %%', (list, code, lines, percent) => {
  expect(new VolumeDiscounts(content.volume).percentFor(list, code, lines)).toBe(percent);
});

test.each([
  [45_000, 'GBP', 2.5, 43_875, 438.75],
  [10_001, 'GBP', 50, 5_001, 50.01],
  [999, 'JPY', 33.333, 666, 666],
])('%i of %s less %d %%', (amountMinor, currency, percent, minor, price) => {
  const offer = { amountMinor, price: 0, currency };
  expect(discounted(offer, percent)).toEqual({ amountMinor: minor, price, currency });
});
