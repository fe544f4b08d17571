import { describe, expect, it, test } from '@jest/globals';
import { inColumns, readBandwidth, readSites, UnreadableSheet } from './site-sheet.js';

const read = (text: string) => readSites(Buffer.from(text));

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

  it.each([
    ['', 'Line 1, column 1: There is no row'],
    ['site,bandwidth\nHQ,1\n', 'Line 1, column 1: No column is named postcode.'],
    ['postcode,speed\nEC2A 2BS,1\n', 'Line 1, column 2: There is no column of this name.'],
    ['postcode,note\nEC2A 2BS,a\n', 'Line 1, column 2: There is no column of this name.'],
    ['postcodes\nEC2A 2BS\n', 'Line 1, column 1: There is no column of this name.'],
    ['postcode,site\nEC2A 2BS,Depot, rear\n', 'Line 2, column 3: The row has 3 fields'],
    ['postcode,site\nE1 1AA,HQ\nEC2A 2BS,"Depot\n', 'A quote is not closed'],
    ['postcode,site\nEC2A 2BS,De"pot\n', 'There is a quote inside a field'],
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
