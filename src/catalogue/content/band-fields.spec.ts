import { describe, expect, it } from '@jest/globals';
import { LARGEST_AMOUNT } from '../../platform/kernel/money.js';
import { givenFiles } from '../../../test/support/catalogue-files.given.js';
import { type BuildBandRow, BuildBands, offerByBand } from './band-fields.js';
import type { CatalogueFile } from './catalogue-files.js';
import { parseCatalogueFiles } from './files/csv-reader.js';
import type { Offer } from './offer-fields.js';

const base = {
  products: ['A,Gig,1,10,12', 'ETH-1,Ten,10,10,12'],
  prices: ['A,Z,,100,GBP,10', 'ETH-1,Z,,200,GBP,10'],
  coverage: ['N1 1AA,Z'],
};

function faultsOf(files: Partial<Record<CatalogueFile, string[]>>): string[] {
  const { faults } = parseCatalogueFiles(givenFiles({ ...base, ...files }));
  return faults.shown.map(({ file, line, column, reason, suggestion }) =>
    [`${file}:${line}`, column, reason, suggestion].join(' | '),
  );
}

const bandsFile = (...buildBands: string[]) => faultsOf({ buildBands });

describe('a faulty build_bands.csv', () => {
  it.each([
    ['*,100,950,14,firm,*', 'basis', /not firm/, /^Write subjectToSurvey or indicative\./],
    ['*,0,950,14,indicative,*', 'to_metres', /1 to 5000/, /500/],
    ['*,5001,950,14,indicative,*', 'to_metres', /1 to 5000/, /500/],
    ['*,2 km,950,14,indicative,*', 'to_metres', /whole number of metres/, /Write 2000\./],
    ['*,1.5km,950,14,indicative,*', 'to_metres', /whole number of metres/, /Write 1500\./],
    ['*,50 metres,950,14,indicative,*', 'to_metres', /whole number of metres/, /Write 50\./],
    ['*,"1,500",950,14,indicative,*', 'to_metres', /whole number of metres/, /Write 1500\./],
    ['*,6km,950,14,indicative,*', 'to_metres', /1 to 5000/, /Write e\.g\. 500\./],
    ['*,far,950,14,indicative,*', 'to_metres', /1 to 5000/, /Write e\.g\. 500\./],
    ['*,500,950,3651,indicative,*', 'add_lead_time_days', /0 to 3650/, /45/],
    ['*,500m,950,14,indicative,*', 'to_metres', /whole number of metres/, /Write 500\./],
    ['*,500,-1,14,indicative,*', 'add_setup', /from 0/, /950/],
    ['*,500,950.001,14,indicative,*', 'add_setup', /2 decimals/, /950/],
    ['*,500,950,,indicative,*', 'add_lead_time_days', /0 to 3650/, /45/],
    ['*,500,950,14,indicative,eth-*', 'products', /start of codes/, /ETH-\*/],
    ['*,500,950,14,indicative,', 'products', /start of codes/, /ETH-\*/],
    ['Y,500,950,14,indicative,*', 'zone', /no place in this zone/, /coverage\.csv/],
    ['z z,500,950,14,indicative,*', 'zone', /capital letters/, /Z-Z/],
  ])('names file, line and column of %s', (row, column, reason, suggestion) => {
    const [fault, ...others] = bandsFile('*,50,1,1,indicative,*', row);
    expect(others).toEqual([]);
    const [place, ofColumn, why, todo] = fault!.split(' | ');
    expect([place, ofColumn]).toEqual(['build_bands.csv:3', column]);
    expect(why).toMatch(reason);
    expect(todo).toMatch(suggestion);
  });

  it.each([
    ['that do not ascend', ['*,500,1,1,indicative,*', '*,100,1,1,indicative,*'], 'to_metres'],
    ['for one product twice', ['*,100,1,1,indicative,*', '*,100,2,1,indicative,A'], 'products'],
    [
      'that overlap one of many rows of a zone',
      ['*,50,1,1,indicative,*', '*,100,1,1,indicative,A', '*,100,2,1,indicative,*'],
      'products',
    ],
    [
      'whose prefixes overlap',
      ['*,100,1,1,indicative,ETH-*', '*,100,2,1,indicative,E*'],
      'products',
    ],
  ])('refuses bands %s', (_, rows, column) => {
    const faults = bandsFile(...rows);
    expect(faults).toHaveLength(1);
    const line = rows.length + 1;
    expect(faults[0]).toContain(`build_bands.csv:${line} | ${column} | The bands of * `);
    expect(faults[0]).toContain('overlap');
  });

  it('takes bands of other zones, and of other products, to the same metres', () => {
    const rows = ['*,100,1,1,indicative,*', 'Z,100,,1,indicative,A', 'Z,100,5,1,indicative,ETH-*'];
    expect(bandsFile(...rows)).toEqual([]);
  });
});

it.each([
  ['CH-1,700000,182000,Z', 'easting', /1 to 699999/],
  ['CH-1,0,182000,Z', 'easting', /1 to 699999/],
  ['CH-1,533000,1300000,Z', 'northing', /1 to 1299999/],
  ['CH-1,533000.5,182000,Z', 'easting', /whole number of metres/],
  ['CH-1,533000,182000,Y', 'zone', /no place in this zone/],
  [',533000,182000,Z', 'point', /1 to 60 characters/],
])('a faulty network_points.csv names file, line and column of %s', (row, column, reason) => {
  const faults = faultsOf({ networkPoints: ['CH-0,533000,182000,Z', row] });
  expect(faults).toHaveLength(1);
  const [place, ofColumn, why, todo] = faults[0]!.split(' | ');
  expect([place, ofColumn]).toEqual(['network_points.csv:3', column]);
  expect(why).toMatch(reason);
  expect(todo).not.toBe('');
});

it('a network point has a name of up to sixty characters', () => {
  const named = (name: string) => faultsOf({ networkPoints: [`${name},533000,182000,Z`] });
  expect(named('é'.repeat(60))).toEqual([]);
  expect(named('é'.repeat(61))).toEqual([expect.stringContaining('1 to 60 characters')]);
  expect(named('a\u0007')).toEqual([expect.stringContaining('CH-0417')]);
});

it('bands reach nowhere without rows', () => {
  const none = new BuildBands([]);
  expect([none.isEmpty, none.reach, none.endsOf('Z'), none.at('Z', 1)]).toEqual([true, 0, [], []]);
});

describe('the band of a distance', () => {
  const row = (zone: string, toMetres: number, products = '*'): BuildBandRow => ({
    zone,
    toMetres,
    products,
    addSetup: toMetres * 100,
    addLeadTimeDays: 1,
    basis: 'indicative',
  });
  const bands = new BuildBands([
    row('*', 2_000),
    row('*', 100),
    row('*', 500, 'A'),
    row('*', 500, 'B'),
    row('Z', 350),
  ]);
  const ends = (zone: string, metres: number) =>
    bands.at(zone, metres).map(({ toMetres, products }) => `${toMetres} ${products}`);

  it('includes its last metre, and starts where the one before ends', () => {
    expect([0, 50, 100].map((metres) => ends('Y', metres))).toEqual(Array(3).fill(['100 *']));
    expect(ends('Y', 101)).toEqual(['500 A', '500 B']);
    expect(ends('Y', 500)).toEqual(['500 A', '500 B']);
    expect([501, 2_000].map((metres) => ends('Y', metres))).toEqual(Array(2).fill(['2000 *']));
    expect(ends('Y', 2_001)).toEqual([]);
  });

  it('is one of the zone where it has rows', () => {
    expect([ends('Z', 350), ends('Z', 351)]).toEqual([['350 *'], []]);
    expect([bands.isEmpty, bands.reach]).toEqual([false, 2_000]);
    expect([bands.endsOf('Z'), bands.endsOf('Y')]).toEqual([[350], [100, 500, 2_000]]);
  });
});

const band: BuildBandRow = {
  zone: '*',
  toMetres: 500,
  products: '*',
  basis: 'subjectToSurvey',
  addSetup: 95_000,
  addLeadTimeDays: 45,
};
const offer = {
  productCode: 'INT-1G-12',
  currency: 'GBP',
  basis: 'firm',
  setupPrice: 250,
  leadTimeDays: 84,
} as Offer;
const added = (about: Partial<Offer>, row: Partial<BuildBandRow> = {}) => {
  const built = offerByBand({ ...offer, ...about }, [{ ...band, ...row }]);
  return built && [built.setupPrice, built.leadTimeDays, built.basis];
};

it('is a price for building from the network', () => {
  const others = [{ ...band, products: 'ETH-*' }, band, { ...band, addLeadTimeDays: 1 }];
  expect(offerByBand(offer, others)).toEqual({
    ...offer,
    setupPrice: 1_200,
    leadTimeDays: 129,
    basis: 'subjectToSurvey',
    extraChargesPossible: true,
    network: 'onNetWithBuild',
  });
});

it('adds what the band costs, and never states what no price can say', () => {
  expect(added({})).toEqual([1_200, 129, 'subjectToSurvey']);
  expect(added({ basis: 'indicative' })).toEqual([1_200, 129, 'indicative']);
  expect(added({ leadTimeDays: 3_640 })).toEqual([1_200, 3_650, 'subjectToSurvey']);
  expect(added({ setupPrice: null })).toEqual([null, 129, 'subjectToSurvey']);
  expect(added({}, { addSetup: null })).toEqual([null, 129, 'subjectToSurvey']);
  expect(added({}, { addSetup: LARGEST_AMOUNT })).toEqual([null, 129, 'subjectToSurvey']);
  expect(added({ currency: 'JPY' })).toEqual([1_200, 129, 'subjectToSurvey']);
  expect(added({}, { products: 'ETH-*' })).toBeNull();
});
