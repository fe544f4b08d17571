import { describe, expect, it, test } from '@jest/globals';
import { encodeContent } from '../content-codec.js';
import type { CatalogueFile } from '../catalogue-files.js';
import { CatalogueFilesReader, parseCatalogueFiles } from './csv-reader.js';
import { processorTime } from '../../../../test/support/processor-time.js';
import { contentOf, givenFiles, HEADERS } from '../../../../test/support/catalogue-files.given.js';

describe('files without a fault', () => {
  it('become sorted rows with integer units', () => {
    const { products, prices, coverage } = contentOf(givenFiles());
    expect([products, prices, [...coverage.rows()]]).toEqual([
      [
        {
          code: 'INT-100M-36',
          name: '100M Internet',
          bandwidthProvisionedMbps: 100,
          bandwidthCapacityMbps: 1000,
          termMonths: 36,
          service: null,
          needsInterconnect: false,
          soldFrom: null,
          soldUntil: null,
        },
        {
          code: 'INT-1G-12',
          name: '1G Internet on a 10G bearer',
          bandwidthProvisionedMbps: 1000,
          bandwidthCapacityMbps: 10_000,
          termMonths: 12,
          service: null,
          needsInterconnect: false,
          soldFrom: null,
          soldUntil: null,
        },
      ],
      [
        {
          productCode: 'INT-100M-36',
          zone: 'UK',
          priceList: 'standard',
          amountMinor: 19_999,
          currency: 'GBP',
          leadTimeDays: 60,
          setupMinor: null,
          basis: 'firm',
          extraCharges: null,
          validFrom: null,
          validUntil: null,
        },
        {
          productCode: 'INT-1G-12',
          zone: 'LONDON-ONNET',
          priceList: 'standard',
          amountMinor: 55_000,
          currency: 'GBP',
          leadTimeDays: 84,
          setupMinor: null,
          basis: 'firm',
          extraCharges: null,
          validFrom: null,
          validUntil: null,
        },
      ],
      [
        { level: 'area', place: 'EC', zone: 'UK' },
        { level: 'district', place: 'E14', zone: '-' },
        { level: 'unit', place: 'EC2A 2BS', zone: 'LONDON-ONNET' },
      ],
    ]);
  });

  it('may have their columns and rows in any order, comments, white space and CRLF', async () => {
    const texts = {
      products:
        '\ufeff# ours\r\nterm_months,name,code,bandwidth_capacity_gbps,bandwidth_provisioned_gbps\r\n' +
        '12, "1G Internet on a 10G bearer" ,INT-1G-12,10.0,1.000\r\n'
          .replaceAll(' "', '"')
          .replaceAll('" ', '"') +
        '\r\n36,100M Internet, INT-100M-36 ,1,0.1\r\n',
      prices:
        'price,currency,price_list,zone,product,lead_time_days\n199.99,GBP,,UK,INT-100M-36,60\n' +
        '550.00,GBP,,LONDON-ONNET,INT-1G-12,84',
      coverage: 'zone,place\n-,e14\nUK,ec\n# one building\nLONDON-ONNET,ec2a2bs\n',
    };
    const [given, plain] = [contentOf(texts), contentOf(givenFiles())].map(encodeContent);
    expect((await given)?.hash).toBe((await plain)?.hash);
  });

  it('may name zones that have no price, and price zones that cover nothing', () => {
    const { content } = parseCatalogueFiles(givenFiles({ coverage: ['EC,ELSEWHERE'] }));
    expect(content?.coverage.zones).toEqual(['ELSEWHERE']);
  });

  it('may price a product in another currency on another list', () => {
    const row = 'INT-1G-12,UK,';
    const prices = [`${row},90000,JPY,1`, `${row}gold,480.5,EUR,1`, `${row}oman,1.234,OMR,1`];
    expect(contentOf(givenFiles({ prices })).prices.map((price) => price.amountMinor)).toEqual([
      48_050, 1_234, 90_000,
    ]);
  });

  it('give the same rows in any order of lines', () => {
    const keys = ['A,Y,gold', 'A,Z,amber', 'A,Z,gold', 'B,X,amber'];
    const { prices, products } = contentOf(
      givenFiles({
        products: ['B,N,1,1,1', 'A,N,1,1,1'],
        prices: keys.toReversed().map((key) => `${key},1,GBP,1`),
      }),
    );
    const found = prices.map((price) => `${price.productCode},${price.zone},${price.priceList}`);
    expect([products.map(({ code }) => code), found]).toEqual([['A', 'B'], keys]);
  });

  it('have the same hash for the same content', async () => {
    const hash = async (given: Partial<Record<CatalogueFile, string[]>>) =>
      (await encodeContent(contentOf(givenFiles(given)))).hash;
    const changed = await Promise.all([
      hash({ coverage: ['EC2A 2BS,LONDON-ONNET', 'EC,UK'] }),
      hash({ coverage: ['EC2A 2BS,UK', 'EC,LONDON-ONNET', 'E14,-'] }),
      hash({ prices: ['INT-1G-12,LONDON-ONNET,standard,550,GBP,84'] }),
      hash({ prices: ['INT-1G-12,LONDON-ONNET,gold,550,GBP,84', 'INT-100M-36,UK,,199.99,GBP,60'] }),
      hash({}),
    ]);
    expect(new Set(changed).size).toBe(5);
  });
});

describe('faults in a header', () => {
  test.each<[what: string, header: string, faults: [string, string, string][]]>([
    [
      'a misspelt name',
      'place,zoen',
      [
        ['zoen', 'There is no column with this name.', 'Did you mean "zone"?'],
        ['zone', 'This column is missing.', 'Write the header place,zone'],
      ],
    ],
    [
      'another column',
      'place,zone,notes',
      [['notes', 'There is no column with this name.', 'Remove the column.']],
    ],
    [
      'another name',
      'place,tariff',
      [
        ['tariff', 'There is no column with this name.', 'Name it zone, or remove the column.'],
        ['zone', 'This column is missing.', 'Write the header place,zone'],
      ],
    ],
    ['a name twice', 'place,zone,zone', [['zone', 'Columns 2 and 3 have the same name: zone and zone.', 'Remove one of them.']]], // prettier-ignore
    ['a comma at the end', 'Place,ZONE,', []],
    ['semicolons', 'place;zone', []],
    ['tabs', 'place\tzone', []],
    ['a quote', 'place,"zo"ne', [['column 2', 'There is text after the closing quote of this value.', 'Write "" for a quote inside the value, or end the value at its quote.']]], // prettier-ignore
  ])('%s', (_, header, expected) => {
    const texts = { ...givenFiles(), coverage: `${header}\n` };
    const { shown } = parseCatalogueFiles(texts).faults;
    const found = shown.map(({ column, reason, suggestion }) => [column, reason, suggestion]);
    const ofHeader = shown.some(({ line }) => line === 1) ? found : [];
    expect(ofHeader.slice(0, Math.max(1, expected.length))).toEqual(expected);
  });

  it('an empty file', () => {
    const { content, faults } = parseCatalogueFiles({ ...givenFiles(), prices: '\n# nothing\n' });
    const fault = {
      file: 'prices.csv',
      line: 1,
      column: '',
      value: '',
      reason: 'The file has no header.',
      suggestion: `Start it with the line ${HEADERS.prices}`,
    };
    expect([content, faults]).toEqual([null, { shown: [fault], total: 1 }]);
  });

  it('report no faults in rows that cannot be read', () => {
    const texts = { ...givenFiles(), products: 'code\nINT-1G-12\n' };
    const { shown } = parseCatalogueFiles(texts).faults;
    expect(new Set(shown.map(({ reason }) => reason))).toEqual(
      new Set(['This column is missing.']),
    );
  });
});

describe('a code of a bespoke product', () => {
  it('is refused', () => {
    const products = ['BESPOKE-7F3K9Q,1G Internet,1,1,12', 'BESPOKEN-1G,1G Internet,1,1,12'];
    const { shown } = parseCatalogueFiles(givenFiles({ products, prices: [] })).faults;
    expect(shown.map(({ value, reason }) => [value, reason])).toEqual([
      ['BESPOKE-7F3K9Q', 'Codes that start with BESPOKE- are those of bespoke offers.'],
    ]);
  });
});

describe('hostile files', () => {
  const many = (make: (i: number) => string) => {
    const parts: string[] = [];
    for (let length = 0; length < 1_048_576; length += parts.at(-1)!.length)
      parts.push(make(parts.length));
    return parts.join('');
  };

  test.each<[what: string, text: string]>([
    ['a header of many names', `${many((i) => `zon${i},`).slice(0, 65_000)}\n`],
    ['a header of many empty names', `"place",${','.repeat(65_000)}\n`],
    ['a header without an end', `"place",${','.repeat(1_048_576)}`],
    ['rows with a quote in them', `place,zone\n${many(() => 'a"\n')}`],
    ['rows of quoted values', `place,zone\n${many(() => '"EC","UK"\n')}`],
    ['rows of many commas', `place,zone\n${many(() => `"EC"${','.repeat(60_000)}\n`)}`],
    ['many wrong zones', `place,zone\n${many((i) => `EC${i % 10},Zone ${i}\n`)}`],
    ['long wrong places', `place,zone\n${many(() => `${'A1 '.repeat(20_000)},UK\n`)}`],
  ])('%s: 1 MB is read in less than a second', (_, coverage) => {
    const texts = { ...givenFiles(), coverage };
    expect(processorTime(() => parseCatalogueFiles(texts))).toBeLessThan(1);
  });
});

describe('many faults', () => {
  it('are counted, and the first 1,000 shown by file and line', () => {
    const reader = new CatalogueFilesReader();
    reader.push('coverage', `place,zone\n${'nowhere,UK\n'.repeat(1_500)}`);
    reader.push('prices', `${HEADERS.prices}\nNEW,UK,,1,GBP,1\n`);
    reader.push('products', HEADERS.products);
    const { content, faults } = reader.end();
    const { shown, total } = faults;
    expect([content, shown.length, total, shown[0]?.line, shown[999]?.line]).toEqual([
      null,
      1_000,
      1_501,
      2,
      1_001,
    ]);
  });

  it('are sorted by file', () => {
    const { shown } = parseCatalogueFiles(
      givenFiles({
        products: ['A,,1,1,1', 'B,,1,1,1'],
        prices: ['A,UK,,1,GBP,x'],
        coverage: ['E1,A', 'E1,A'],
      }),
    ).faults;
    expect(shown.map(({ file, line }) => `${file}:${line}`)).toEqual([
      'products.csv:2',
      'products.csv:3',
      'prices.csv:2',
      'coverage.csv:3',
    ]);
  });
});
