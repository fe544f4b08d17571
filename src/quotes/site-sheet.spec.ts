import { describe, expect, it, test } from '@jest/globals';
import { ValidationFailed } from '../platform/problems/problem.js';
import { inColumns, readBandwidth, readSites, UnreadableSheet } from './site-sheet.js';

const read = (text: string) => readSites(Buffer.from(text));

const rows = (number: number, row = 'A\n') => `postcode\n${row.repeat(number)}`;

/** Milliseconds of processor time. */
function timeOf(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

describe('a spreadsheet with too many rows', () => {
  it('is refused', () => {
    expect(read(rows(2_000))).toHaveLength(2_000);
    expect(() => read(rows(2_001))).toThrow(ValidationFailed);
  });

  it('counts no empty row, and no line break in a cell', () => {
    expect(read(rows(2_000, ',\r\n"A\nB\nC"\r\n'))).toHaveLength(2_000);
  });

  it('is refused in less time than one that is read, however many rows it has', () => {
    const refused = () => expect(() => read(rows(260_000))).toThrow(ValidationFailed);
    const accepted = () => read(rows(2_000));
    for (const work of [refused, accepted]) work();
    const [long, most] = [refused, accepted].map((work) =>
      Math.min(...Array.from({ length: 3 }, () => timeOf(work))),
    );
    expect(long).toBeLessThan(2 * most!);
  });
});

describe('a spreadsheet of sites', () => {
  const expected = [
    {
      ...{ site: 'HQ', postcode: 'EC2A 2BS', uprn: '100023336956' },
      wanted: { bandwidth: 1, term: 36 },
    },
    {
      site: 'Depot; rear',
      postcode: 'E17 9AA',
      notes: 'Roof access\nat weekends',
      wanted: { bandwidth: 10 },
    },
  ];

  it.each([
    [
      'LibreOffice in English',
      'site,postcode,uprn,bandwidth,term,notes\nHQ,EC2A 2BS,100023336956,1,36,\n"Depot; rear",E17 9AA,,10G,,"Roof access\nat weekends"\n',
    ],
    [
      'Excel with a byte order mark, CRLF, empty rows and cells',
      '\ufeffSite,Postcode,UPRN,Bandwidth,Term,Notes,\r\n,,,,,,\r\nHQ,EC2A 2BS,100023336956,1 Gbit/s,36 months,,\r\n\r\nDepot; rear,E17 9AA,,"10,000 Mbit/s",,"Roof access\nat weekends",\r\n,,,,,,\r\n',
    ],
    [
      'Excel in German',
      'POSTCODE;site;term;bandwidth;uprn;notes\r\nEC2A 2BS;HQ;3 years;1,0;100023336956;\r\nE17 9AA;"Depot; rear";;10;;"Roof access\nat weekends"\r\n',
    ],
    [
      'a copy of cells, with tabs',
      'site\tpostcode\tuprn\tbandwidth\tterm\tnotes\nHQ\tEC2A 2BS\t100023336956\t1G\t36\t\nDepot; rear\tE17 9AA\t\t10 Gbps\t\t"Roof access\nat weekends"',
    ],
  ])('is read from %s', (_program, text) => {
    expect(read(text)).toEqual(expected);
  });

  it('is read in UTF-8, UTF-16 and Windows-1252', () => {
    const text = 'site;postcode\nCafé “Ø”;EC2A 2BS\n';
    const sites = [{ site: 'Café “Ø”', postcode: 'EC2A 2BS' }];
    expect(read(text)).toEqual(sites);
    expect(readSites(Buffer.from(`\ufeff${text}`, 'utf16le'))).toEqual(sites);
    const windows = Buffer.from(text.replace('“', '\x93').replace('”', '\x94'), 'latin1');
    expect(readSites(windows)).toEqual(sites);
  });

  it('keeps what cannot be read, for the rules of a site', () => {
    expect(read('postcode,bandwidth,term\nEC2A 2BS,fast,soon\n,1,\n')).toEqual([
      { postcode: 'EC2A 2BS', wanted: { bandwidth: 'fast', term: 'soon' } },
      { wanted: { bandwidth: 1 } },
    ]);
    expect(read('postcode,bandwidth\nEC2A 2BS\n')).toEqual([{ postcode: 'EC2A 2BS' }]);
    expect(read('postcode\n')).toEqual([]);
  });

  it('has the separator of its first row that is not empty, with any cells', () => {
    const site = { site: 'A, b; c; d', postcode: 'E1 1AA' };
    expect(read('\n \nsite\tpostcode\nA, b; c; d\tE1 1AA')).toEqual([site]);
    expect(read('site;postcode\n"A, b; c; d";E1 1AA')).toEqual([site]);
    expect(read('"postcode";"site"\nE1 1AA;"A, b; c; d"')).toEqual([site]);
  });

  it('has the cells of columns that have a name', () => {
    expect(read('postcode,,site\nE1 1AA,left out,HQ\n')).toEqual([
      { postcode: 'E1 1AA', site: 'HQ' },
    ]);
  });

  it.each([
    ['36', 36],
    ['36m', 36],
    ['36 Months', 36],
    ['1 y', 12],
    ['3 YEARS', 36],
    ['120', 120],
    ['0036', '0036'],
    ['3 weeks', '3 weeks'],
    ['1.5 years', '1.5 years'],
    ['in 3 years', 'in 3 years'],
  ])('has the term %j in months', (text, term) => {
    expect(read(`postcode,service,term\nE1 1AA,Internet,${text}\n`)).toEqual([
      { postcode: 'E1 1AA', wanted: { service: 'Internet', term } },
    ]);
  });

  it.each([
    ['', 'Line 1, column 1: There is no row'],
    ['postcode,site,Postcode\nE1,A,\n', 'Columns 1 and 3 are both named postcode.'],
    ['"postcode\n' + 'A\n'.repeat(9_000), 'Line 1, column 1: A quote is not closed'],
    [' '.repeat(500_000), 'Line 1, column 1: The row has more than 16,384 characters'],
    [`postcode${','.repeat(100)}\n`, 'Line 1, column 101: The row has more than 100 fields'],
    ['site,bandwidth\nHQ,1\n', 'Line 1, column 1: No column is named postcode.'],
    ['postcode,speed\nEC2A 2BS,1\n', 'Line 1, column 2: There is no column of this name.'],
    ['postcode,note\nEC2A 2BS,a\n', 'Line 1, column 2: There is no column of this name.'],
    ['postcodes\nEC2A 2BS\n', 'Line 1, column 1: There is no column of this name.'],
    ['postcode,site\nEC2A 2BS,Depot, rear\n', 'Line 2, column 3: The row has 3 fields'],
    ['\npostcode,speed\nEC2A 2BS,1\n', 'Line 2, column 2: There is no column of this name.'],
    ['\nsite\nHQ\n', 'Line 2, column 1: No column is named postcode.'],
    ['postcode,site\nE1,"H\nQ"\nE2,A,B,C\n', 'Line 4, column 3: The row has 4 fields'],
    ['postcode,site\nE1 1AA,HQ\nEC2A 2BS,"Depot\n', 'Line 3, column 2: A quote is not closed'],
    ['postcode,site\nEC2A 2BS,De"pot\n', 'Line 2, column 2: There is a quote inside a field'],
    ['De"pot\n', 'Line 1, column 1: There is a quote inside a field'],
    ['postcode,notes\nN1 1AA,a\nE1 1AA,b\0\n', 'Line 3, column 2: The field has a NUL character'],
    ['postcode,,notes\nN1 1AA,\0,a\n', 'Line 2, column 2: The field has a NUL character'],
    ['site,postcode\n"H\nQ\0",N1 1AA\n', 'Line 3, column 1: The field has a NUL character'],
  ])('is refused where it cannot be read: %j', (text, message) => {
    expect(() => read(text)).toThrow(UnreadableSheet);
    expect(() => read(text)).toThrow(message);
    expect(() => read(text)).toThrow(/^Line \d+, column \d+: /);
  });
});

it.each([
  ['1', 1],
  ['1G', 1],
  ['100M', 0.1],
  ['100 Mbps', 0.1],
  ['10,000 Mbit/s', 10],
  ['2.5 Gbit/s', 2.5],
  ['2,5 Gb', 2.5],
  ['1,000', 1_000],
  ['0,500', 0.5],
  ['10,000,000 k', 10],
  ['0.1', 0.1],
  ['512 kbit/s', 0.000_512],
  ['1 000 M', 1],
  ['1GB', 1],
  ['1Gbits/s', 1],
  ['100 MBIT/S', 0.1],
  ['1,234,567 k', 1.234_567],
  ['1,5000', 1.5],
  ['10,00', 10],
  ['1 T', '1 T'],
  ['1G/h', '1G/h'],
  ['G', 'G'],
  ['1,5,5', '1,5,5'],
  ['fast', 'fast'],
  ['1G up', '1G up'],
  ['1.2.3', '1.2.3'],
  ['-1', '-1'],
  ['', ''],
])('reads the bandwidth %j', (text, bandwidth) => {
  expect(readBandwidth(text)).toBe(bandwidth);
});

test('faults of a row name its columns', () => {
  expect(
    inColumns('wanted.bandwidth: This is required. wanted.term: Enter months: 1 to 120.'),
  ).toBe('Bandwidth: This is required. Term: Enter months: 1 to 120.');
  expect(inColumns('The postcode: no. details.floor: Use text.')).toBe(
    'The postcode: no. details.floor: Use text.',
  );
});
