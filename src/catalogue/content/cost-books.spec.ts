import { describe, expect, it } from '@jest/globals';
import { contentOf, explainAt, givenFiles } from '../../../test/support/catalogue-files.given.js';
import { parsePostcode, type Postcode } from '../../platform/kernel/postcode.js';
import type { BookTexts } from './files/book-reader.js';
import { Catalogue } from './catalogue.js';
import { calendarInWords, calendarOf } from './browse/calendar.js';
import { effectiveOf } from './cost-books.js';
import { belowFloor, marginOf, supplierMargins } from './review/margins.js';
import { decodeContent, encodeContent } from './content-codec.js';
import { parseCatalogueFiles } from './files/csv-reader.js';
import { printCatalogue } from './files/csv-writer.js';

/** A book whose costs are 100.00, 80.00 and 300.00 a month. */
const pxc = {
  suppliers: 'supplier,label,valid_until\npxc,"PXC, wholesale",2027-03-31\n',
  costs: `product,zone,cost,setup_cost,currency,lead_time_days,basis
INT-1G-12,CITY,100.00,250.00,GBP,40,firm
INT-100M-36,CITY,80.00,,GBP,30,subjectToSurvey
INT-1G-12,TOWN,300.00,0,GBP,60,
`,
  supplierPlaces: 'place,zone\nEC2,CITY\nE14,TOWN\nEC2A 2BT,-\nN1,TOWN\n',
};
/** Follows the zones of the operator. */
const neos = {
  suppliers: 'supplier,label,valid_until\nneos,Neos,2027-06-30\n',
  costs:
    'product,zone,cost,setup_cost,currency,lead_time_days,basis\nINT-1G-12,UK,110,,GBP,20,firm\n',
};
const margins = ['*,*,,25,,0.50,10', 'pxc,INT-100M-*,,10,20,1,', 'pxc,*,trade,5,,,5'];

function read(books: BookTexts = { pxc, neos }, rows: readonly string[] = margins) {
  return parseCatalogueFiles(
    givenFiles({ margins: rows, priceLists: ['gold,standard,-15,'] }),
    books,
  );
}

function given(books?: BookTexts, rows?: readonly string[]) {
  const { content, faults } = read(books, rows);
  if (content) return content;
  throw new Error(JSON.stringify(faults.shown, null, 2));
}

const content = given();
const NOW = Date.parse('2026-12-01T12:00:00Z');

function offersAt(postcode: string, priceList = 'standard', at = NOW, of = content) {
  const catalogue = new Catalogue(1, effectiveOf(of));
  const { packed } = parsePostcode(postcode) as Postcode;
  const { list } = catalogue.offersAt({ packed, uprn: null }, priceList, at);
  return list.map(({ productCode, zone, price, setupPrice, basis, network }) =>
    [productCode, zone, price, setupPrice, basis, network].join(' '),
  );
}

it('the first book decides the currency where the operator has no prices', () => {
  const inEuro = (book: { costs: string }) => ({
    ...book,
    costs: book.costs.replaceAll('GBP', 'EUR'),
  });
  const faultsOf = (books: BookTexts) =>
    parseCatalogueFiles(givenFiles({ prices: [], margins }), books).faults.shown.map(
      ({ reason }) => reason,
    );
  expect(faultsOf({ pxc: inEuro(pxc), neos: inEuro(neos) })).toEqual([]);
  expect(faultsOf({ pxc: inEuro(pxc), neos })).toEqual([
    'The book of pxc is in EUR, but prices are in GBP.',
  ]);
});

describe('the price of a supplier', () => {
  it('is the cost with its margin, rounded up, at least with the minimum', () => {
    expect(
      effectiveOf(content)
        .prices.filter(({ zone }) => zone.includes(':'))
        .map((row) =>
          [row.productCode, row.zone, row.priceList, row.amountMinor, row.setupMinor].join(' '),
        ),
    ).toEqual([
      // 80.00 + 20.00, more than 10 %.
      'INT-100M-36 pxc:CITY standard 10000 ',
      'INT-100M-36 pxc:CITY trade 8400 ',
      'INT-1G-12 neos:UK standard 13750 ',
      'INT-1G-12 pxc:CITY standard 12500 31250',
      'INT-1G-12 pxc:CITY trade 10500 26250',
      'INT-1G-12 pxc:TOWN standard 37500 0',
      'INT-1G-12 pxc:TOWN trade 31500 0',
    ]);
  });

  it.each([
    ['100.01', '25,,,', 125.02],
    ['100.00', '33.333,,,', 133.34],
    ['99.99', '0,25,1,', 125],
    ['100.00', '0,,,', 100],
    ['0.01', '0.001,,,', 0.02],
    ['1000.00', '-10,,5,', 900],
  ])('of %s with the rule %s is exact', (cost, rule, price) => {
    const costs = `product,zone,cost,currency,lead_time_days\nINT-1G-12,CITY,${cost},GBP,1\n`;
    const one = given({ pxc: { ...pxc, costs } }, [`*,*,,${rule}`]);
    const row = effectiveOf(one).prices.find(({ zone }) => zone === 'pxc:CITY');
    expect(row?.amountMinor).toBe(Math.round(price * 100));
  });

  // A year of access, of bandwidth and of distance to the interconnect, as such a book adds them up for one row.
  it.each([
    ['100 Mbit/s, band A, 5 km', [1_260, 372, 0], 136, 170],
    ['1 Gbit/s, band A, 5 km', [1_908, 1_116, 0], 252, 315],
    ['1 Gbit/s, band B, 40 km', [2_292, 1_116, 1_488], 408, 510],
    ['10 Gbit/s, band C, 110 km', [5_940, 7_440, 6_156], 1_628, 2_035],
  ])('of %s is the sum of its parts with the margin', (_, parts, cost, price) => {
    const year = parts.reduce((sum, part) => sum + part, 0);
    expect(year / 12).toBe(cost);
    const costs = `product,zone,cost,currency,lead_time_days\nINT-1G-12,CITY,${cost}.00,GBP,1\n`;
    const one = given({ pxc: { ...pxc, costs } }, ['*,*,,25,,,']);
    const row = effectiveOf(one).prices.find(({ zone }) => zone === 'pxc:CITY');
    expect(row?.amountMinor).toBe(price * 100);
  });

  it('gives way to the operator’s own, and the cheaper supplier sells', () => {
    expect(offersAt('EC2A 2BS')).toEqual([
      'INT-100M-36 pxc:CITY 100  subjectToSurvey offNetWithBuild',
      'INT-1G-12 LONDON-ONNET 550  firm ',
    ]);
    // The zone UK of the operator has INT-100M-36 itself.
    expect(offersAt('EC2A 2BR')).toEqual([
      'INT-100M-36 UK 199.99  firm ',
      'INT-1G-12 pxc:CITY 125 312.5 firm offNetWithoutBuild',
    ]);
    expect(offersAt('EC1A 1AA')).toEqual([
      'INT-100M-36 UK 199.99  firm ',
      'INT-1G-12 neos:UK 137.5  firm offNetWithoutBuild',
    ]);
    expect(offersAt('N1 9GU')).toEqual(['INT-1G-12 pxc:TOWN 375 0 firm offNetWithoutBuild']);
  });

  it('is not offered where the operator or the supplier excludes the place', () => {
    expect(offersAt('E14 5AB')).toEqual([]);
    expect(offersAt('EC2A 2BT')).toEqual([
      'INT-100M-36 UK 199.99  firm ',
      'INT-1G-12 neos:UK 137.5  firm offNetWithoutBuild',
    ]);
  });

  it('follows derived price lists, and rules for a price list', () => {
    expect(offersAt('N1 9GU', 'gold')).toEqual([
      'INT-1G-12 pxc:TOWN 318.75 0 firm offNetWithoutBuild',
    ]);
    expect(offersAt('N1 9GU', 'trade')).toEqual([
      'INT-1G-12 pxc:TOWN 315 0 firm offNetWithoutBuild',
    ]);
  });

  it('follows a rule for its supplier before one for its product', () => {
    const rows = ['*,*,,25', '*,INT-1G-12,,50', 'pxc,*,,5', 'pxc,INT-1G-*,trade,10'];
    const prices = effectiveOf(given(undefined, rows)).prices.filter(
      ({ productCode, zone }) => productCode === 'INT-1G-12' && /CITY|UK/.test(zone),
    );
    expect(
      prices.map(({ zone, priceList, amountMinor }) => [zone, priceList, amountMinor]),
    ).toEqual([
      ['neos:UK', 'standard', 16_500],
      ['pxc:CITY', 'standard', 10_500],
      ['pxc:CITY', 'trade', 11_000],
    ]);
  });

  it('is indicative from the day after the last day of its book', () => {
    const at = (instant: string) => offersAt('N1 9GU', 'standard', Date.parse(instant))[0];
    // London is an hour ahead of UTC.
    expect(at('2027-03-31T22:59:59Z')).toContain(' firm ');
    expect(at('2027-03-31T23:00:00Z')).toContain(' indicative offNetWithBuild');
    const { changeInstants } = new Catalogue(1, effectiveOf(content));
    expect(changeInstants).toContain(Date.parse('2027-03-31T23:00:00Z'));
  });
});

it('is explained with the prices of all suppliers', () => {
  const catalogue = new Catalogue(1, effectiveOf(content));
  const why = (postcode: string, code: string) =>
    explainAt(catalogue, parsePostcode(postcode) as Postcode, 'standard', NOW).products.find(
      ({ productCode }) => productCode === code,
    )!.reason;
  expect(why('EC2A 2BR', 'INT-1G-12')).toBe(
    'PXC, wholesale (pxc:CITY) at 125.00 GBP applies, as the cheapest; others: Neos (neos:UK) at 137.50 GBP.',
  );
  expect(why('EC2A 2BR', 'INT-100M-36')).toBe(
    'The standard price in UK applies. Suppliers whose price does not apply: PXC, wholesale (pxc:CITY) at 100.00 GBP.',
  );
  expect(why('N1 9GU', 'INT-1G-12')).toBe('PXC, wholesale (pxc:TOWN) at 375.00 GBP applies.');
});

describe('what checks read', () => {
  it('has no costs, margins or coverage of suppliers', async () => {
    const marked = given({
      pxc: { ...pxc, costs: pxc.costs.replace('100.00', '31337.13') },
    });
    const read = await decodeContent(await encodeContent(effectiveOf(marked)));
    expect(JSON.stringify([read.costs, read.margins, read.supplierPlaces])).toBe('[[],[],[]]');
    expect(JSON.stringify(read)).not.toContain('3133713');
    expect(JSON.stringify(marked)).toContain('3133713');
  });

  it('is the content itself without cost books', () => {
    const plain = contentOf(givenFiles());
    expect(effectiveOf(plain)).toBe(plain);
  });
});

describe('the files of a cost book', () => {
  it('are written as they are read', async () => {
    const again = await decodeContent(await encodeContent(content));
    const written = printCatalogue(again).map(({ fileName, chunks }) => [
      fileName,
      [...chunks].join(''),
    ]);
    const files = Object.fromEntries(written) as Record<string, string>;
    expect(Object.keys(files).filter((name) => name.startsWith('suppliers'))).toEqual([
      'suppliers/neos/supplier.csv',
      'suppliers/neos/costs.csv',
      'suppliers/pxc/supplier.csv',
      'suppliers/pxc/costs.csv',
      'suppliers/pxc/coverage.csv',
    ]);
    expect(files['suppliers/pxc/supplier.csv']).toBe(pxc.suppliers);
    expect(files['suppliers/pxc/costs.csv'])
      .toBe(`product,zone,cost,setup_cost,currency,lead_time_days,basis
INT-100M-36,CITY,80.00,,GBP,30,subjectToSurvey
INT-1G-12,CITY,100.00,250.00,GBP,40,firm
INT-1G-12,TOWN,300.00,0.00,GBP,60,firm
`);
  });

  it('say why two suppliers cannot have one code', () => {
    const other = { ...pxc, suppliers: pxc.suppliers.replace('\npxc', '\nqxc') };
    const folders: BookTexts[] = [{ pxc, other: pxc }, { other }];
    const reasons = folders.map((books) => read(books, ['*,*,,25']).faults.shown[0]!.reason);
    const end = 'a supplier has one folder and one code.';
    expect(reasons).toEqual([
      `The folder is other, but the file is of pxc, which has a folder already: ${end}`,
      `The folder is other, but the file is of qxc: ${end}`,
    ]);
  });

  const costsWith = (row: string) => ({ pxc: { ...pxc, costs: `${pxc.costs}${row}\n` } });
  it.each<[string, BookTexts, readonly string[], string]>([
    [
      'a cost without a margin rule',
      { pxc },
      ['pxc,INT-1G-*,,25'],
      'suppliers/pxc/costs.csv:3:product INT-100M-36 | Add a row to margins.csv, such as pxc,INT-100M-36,standard,25',
    ],
    [
      'a product that is not sold',
      costsWith('INT-2G-12,CITY,1,,GBP,1,'),
      margins,
      'suppliers/pxc/costs.csv:5:product INT-2G-12 | Did you mean "INT-1G-12"?',
    ],
    [
      'a cost twice',
      costsWith('INT-1G-12,CITY,1,,GBP,1,'),
      margins,
      'suppliers/pxc/costs.csv:5:product INT-1G-12 | Remove one of the two.',
    ],
    [
      'a cost that is no amount',
      costsWith('INT-1G-12,PARK,£1,,GBP,1,'),
      margins,
      'suppliers/pxc/costs.csv:5:cost £1 | Write 1.',
    ],
    [
      'a book in another currency',
      { pxc: { ...pxc, costs: pxc.costs.replaceAll('GBP', 'EUR') } },
      margins,
      'suppliers/pxc/costs.csv:3:currency EUR | Convert its costs to GBP.',
    ],
    [
      'two suppliers with one code',
      { pxc, other: { ...pxc, costs: pxc.costs } },
      ['*,*,,25'],
      'suppliers/other/supplier.csv:2:supplier pxc | Write other, or rename the folder.',
    ],
    [
      'a day that no calendar has',
      { pxc: { ...pxc, suppliers: pxc.suppliers.replace('03-31', '02-30') } },
      ['*,*,,25'],
      'suppliers/pxc/supplier.csv:2:valid_until 2027-02-30 | Write e.g. 2026-12-01.',
    ],
    [
      'a folder without a supplier',
      { pxc: { costs: pxc.costs } },
      ['*,*,,25'],
      'suppliers/pxc/costs.csv:1: | Add suppliers/pxc/supplier.csv, or remove the folder.',
    ],
    [
      'a supplier with two rows',
      { pxc: { ...pxc, suppliers: `${pxc.suppliers}pxc2,Two,2027-01-01\n` } },
      ['*,*,,25'],
      'suppliers/pxc/supplier.csv:3: | Write one row, with the code of the supplier, its name, and the last day.',
    ],
    [
      'a folder that is no code',
      { PXC: { ...pxc, suppliers: pxc.suppliers.replace('\npxc', '\nPXC') } },
      ['*,*,,25'],
      'suppliers/PXC/supplier.csv:1: PXC | Rename the folder to pxc.',
    ],
    [
      'a margin of a supplier without a book',
      { pxc },
      ['*,*,,25', 'pxd,*,,25'],
      'margins.csv:3:supplier pxd | Did you mean "pxc"?',
    ],
    [
      'a floor above the margin',
      { pxc },
      ['*,*,,25,,,26'],
      'margins.csv:2:floor_percent 26 | Lower it, or raise percent.',
    ],
    [
      'a price that is too large',
      costsWith('INT-1G-12,PARK,21474836,,GBP,1,'),
      margins,
      'suppliers/pxc/costs.csv:5:cost 21474836.00 | Correct the cost, or the margin of * in margins.csv.',
    ],
  ])('are refused with %s', (_, books, rows, fault) => {
    const { content: none, faults } = read(books, rows);
    expect(none).toBeNull();
    expect(
      faults.shown.map(
        ({ file, line, column, value, suggestion }) =>
          `${file}:${line}:${column} ${value}`.trimEnd() + ` | ${suggestion}`,
      ),
    ).toContain(fault);
  });
});

/**
 * Backhaul Extension Services of Openreach, for each of two ends: connection and annual rental in pounds. From
 * its Access Charge Change Notice OR 082 of 20 May 2008, section 3.1.1.
 */
const published = [
  ['BES-100', 2_750, 2_480, '517 6875'],
  ['BES-155', 4_500, 4_700, '979.5 11250'],
  ['BES-622', 5_200, 8_230, '1715 13000'],
  ['BES-1000', 5_200, 7_230, '1506.5 13000'],
  ['BES-1000-ER', 6_500, 9_230, '1923 16250'],
  ['BES-2500', 10_000, 10_480, '2183.5 25000'],
  ['BES-10000', 14_000, 12_820, '2671 35000'],
] as const;

/**
 * A private line of digital quality of Telkom SA, a month in rand without VAT, for two ends, the circuit and each
 * kilometre; to install, each end. From item A3.1.1 of its price list, structure of 1 March 2003. The zone says how far.
 */
const publishedLine = (kilometres: number) => 2 * 400 + 212 + kilometres * 28.75;
const [LINE_SETUP, byDistance] = [
  2 * 811,
  [
    // The exchange itself: no distance.
    ['HERE', 0, '1265'],
    ['NEAR', 5, '1445'],
    ['FAR', 30, '2343.5'],
  ],
] as const;

it('sells published charges with a margin of 25 %, rounded up to 0.50', () => {
  const monthly = (perEnd: number) => (Math.ceil((2 * perEnd * 100) / 12) / 100).toFixed(2);
  const rows = [
    ...published.map(([code, once, year]) => `${code},NEAR,${monthly(year)},${2 * once},GBP`),
    ...byDistance.map(([zone, km]) => `LINE,${zone},${publishedLine(km)},${LINE_SETUP},ZAR`),
  ];
  const codes = [...published.map(([code]) => code), 'LINE'];
  const { content: sold, faults } = parseCatalogueFiles(
    givenFiles({
      products: codes.map((code) => `${code},${code},1,10,12`),
      // Books may have the currencies of prices.csv.
      prices: ['LINE,OWN,,1,ZAR,1', 'BES-100,OWN,,1,GBP,1'],
      margins: ['*,*,,25,,0.50,'],
    }),
    {
      bt: {
        suppliers: 'supplier,label,valid_until\nbt,BT,2027-03-31\n',
        costs: `product,zone,cost,setup_cost,currency,lead_time_days\n${rows.map((row) => `${row},40\n`).join('')}`,
        supplierPlaces: 'place,zone\nEC2,NEAR\nE14,FAR\nE1,HERE\n',
      },
    },
  );
  expect(faults.shown).toEqual([]);
  const found = effectiveOf(sold!)
    .prices.filter(({ zone }) => zone !== 'OWN')
    .map(({ productCode, zone, amountMinor, setupMinor }) =>
      [`${productCode} ${zone}`, amountMinor / 100, setupMinor! / 100].join(' '),
    );
  expect(found).toEqual(
    [
      ...published.map(([code, , , price]) => `${code} bt:NEAR ${price}`),
      ...byDistance.map(([zone, , price]) => `LINE bt:${zone} ${price} 2027.5`),
    ].sort(),
  );
});

it('finds prices that are new below the floor of their margin', () => {
  // Gold is 15 % less than 125.00, and the floor is 100.00 + 10 %.
  expect(belowFloor(null, content)?.withMargins).toBe(
    '3 prices are below the floor of the margin, most of all INT-1G-12 in pxc:CITY (gold) at £106.25: margin 6.2 %, floor 10 %.',
  );
  expect(belowFloor(content, given())).toBeNull();
  expect(
    belowFloor(content, given({ pxc, neos }, [...margins, 'neos,*,,12,,,12']))?.withMargins,
  ).toBe(
    '1 price is below the floor of the margin, most of all INT-1G-12 in neos:UK (gold) at £104.72: margin −4.8 %, floor 12 %.',
  );
});

it('has margins by supplier, on all price lists', () => {
  expect(supplierMargins(content)).toEqual([
    { supplier: 'pxc', prices: 9, least: 5, median: 6.25, most: 25, belowFloor: 2 },
    {
      supplier: 'neos',
      prices: 2,
      least: expect.closeTo(6.25, 1),
      median: expect.closeTo(6.25, 1),
      most: 25,
      belowFloor: 1,
    },
  ]);
});

it('states a margin in money and in per cent of the cost', () => {
  expect(marginOf(12_500, 10_000)).toEqual({ marginMinor: 2_500, percent: 25 });
  expect(marginOf(12_500, 0)).toEqual({ marginMinor: 12_500, percent: null });
});

it('is in the calendar on the day after the last one', () => {
  const calendar = calendarOf(content, '2026-12-01');
  expect(calendarInWords(calendar)).toBe(`1 April 2027: 9 lead times or bases
1 July 2027: 2 lead times or bases
`);
});
