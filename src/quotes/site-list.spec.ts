import { describe, expect, it, test } from '@jest/globals';
import { ValidationFailed } from '../platform/problems/problem.js';
import { ROUNDED } from '../platform/tables/values.js';
import { quoteColumns } from './quote-csv.js';
import { inColumns, readChosenColumns } from './site-columns.js';
import {
  listText,
  readSiteList,
  UnreadableList,
  readBandwidth,
  UnitQuestion,
} from './site-list.js';

const list = (text: string) => readSiteList(Buffer.from(text));
const read = async (text: string) => (await list(text)).rows.map(({ site }) => site);

const rows = (number: number, row = 'A\n') => `postcode\n${row.repeat(number)}`;

/** Milliseconds of processor time. */
async function timeOf(work: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

describe('a spreadsheet with too many rows', () => {
  it('is refused', async () => {
    expect(await read(rows(2_000))).toHaveLength(2_000);
    await expect(read(rows(2_001))).rejects.toThrow(ValidationFailed);
  });

  it('counts no empty row, and no line break in a cell', async () => {
    expect(await read(rows(2_000, ',\r\n"A\nB\nC"\r\n'))).toHaveLength(2_000);
  });

  it('is refused in less time than one that is read, however many rows it has', async () => {
    const [long, most] = [260_000, 2_000].map((number) => Buffer.from(rows(number)));
    await expect(readSiteList(long!)).rejects.toThrow(ValidationFailed);
    const refused = () => readSiteList(long!).catch(() => undefined);
    const accepted = () => readSiteList(most!);
    // The least of many: the processor time also has what V8 compiles and collects meanwhile.
    const least = async (work: () => Promise<unknown>) => {
      const times: number[] = [];
      for (let i = 0; i < 20; i += 1) times.push(await timeOf(work));
      return Math.min(...times);
    };
    expect(await least(refused)).toBeLessThan(2 * (await least(accepted)));
  });
});

describe('a spreadsheet of sites', () => {
  const expected = [
    {
      site: 'HQ',
      postcode: 'EC2A 2BS',
      uprn: '100023336956',
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
  ])('is read from %s', async (_program, text) => {
    expect(await read(text)).toEqual(expected);
  });

  it('is read in UTF-8, UTF-16 and Windows-1252', async () => {
    const text = 'site;postcode\nCafé “Ø”;EC2A 2BS\n';
    const sites = [{ site: 'Café “Ø”', postcode: 'EC2A 2BS' }];
    const utf16 = Buffer.from(`\ufeff${text}`, 'utf16le');
    const windows = Buffer.from(text.replace('“', '\x93').replace('”', '\x94'), 'latin1');
    const encodings = [
      Buffer.from(text),
      utf16,
      utf16.subarray(2),
      Buffer.from(utf16).swap16(),
      windows,
    ];
    for (const bytes of encodings) {
      expect((await readSiteList(bytes)).rows.map(({ site }) => site)).toEqual(sites);
    }
  });

  it('keeps what cannot be read, for the rules of a site', async () => {
    expect(await read('postcode,bandwidth,term\nEC2A 2BS,fast,soon\n,1,\n')).toEqual([
      { postcode: 'EC2A 2BS', wanted: { bandwidth: 'fast', term: 'soon' } },
      { wanted: { bandwidth: 1 } },
    ]);
    expect(await read('postcode,bandwidth\nEC2A 2BS\n')).toEqual([{ postcode: 'EC2A 2BS' }]);
    expect(await read('postcode\n')).toEqual([]);
  });

  it('has the separator of its first row that is not empty, with any cells', async () => {
    const site = { site: 'A, b; c; d', postcode: 'E1 1AA' };
    expect(await read('\n \nsite\tpostcode\nA, b; c; d\tE1 1AA')).toEqual([site]);
    expect(await read('site;postcode\n"A, b; c; d";E1 1AA')).toEqual([site]);
    expect(await read('"postcode";"site"\nE1 1AA;"A, b; c; d"')).toEqual([site]);
  });

  it('has the cells of columns that have a name', async () => {
    const found = await list('postcode,,site\nE1 1AA,left out,HQ\n');
    expect(found.rows[0]!.site).toEqual({ postcode: 'E1 1AA', site: 'HQ' });
    expect(found.ignored).toEqual(['column B']);
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
  ])('has the term %j in months', async (text, term) => {
    expect(await read(`postcode,service,term\nE1 1AA,Internet,${text}\n`)).toEqual([
      { postcode: 'E1 1AA', wanted: { service: 'Internet', term } },
    ]);
  });

  it.each([
    ['', 'Line 1, column 1: There is no row'],
    ['"postcode\n' + 'A\n'.repeat(40_000), 'Line 1, column 1: The quote that opens this value'],
    [' '.repeat(500_000), 'Line 1, column 1: The record is longer than 65,536 characters'],
    [`postcode${',a'.repeat(100)}\n`, 'Line 1, column 101: The row has more than 100 columns'],
    ['postcode,site\nEC2A 2BS,Depot, rear\n', 'Line 2, column 3: The row has 3 values'],
    ['postcode,site\nE1,"H\nQ"\nE2,A,B,C\n', 'Line 4, column 3: The row has 4 values'],
    ['postcode,site\nE1 1AA,HQ\nEC2A 2BS,"Depot\n', 'Line 3, column 2: The quote that opens'],
    ['postcode,site\nEC2A 2BS,De"pot\n', 'Line 2, column 2: There is a quote inside a value'],
    ['De"pot\n', 'Line 1, column 1: There is a quote inside a value'],
    ['postcode,notes\nN1 1AA,a\nE1 1AA,b\0\n', 'Line 3, column 2: The value has a NUL character'],
  ])('is refused where it cannot be read: %j', async (text, message) => {
    await expect(read(text)).rejects.toThrow(UnreadableList);
    await expect(read(text)).rejects.toThrow(message);
    await expect(read(text)).rejects.toThrow(/^Line \d+, column \d+: /);
  });

  it('takes copied cells with quotes as they are', async () => {
    const copied = 'site\tpostcode\tnotes\n"Bev" House\tE1 1AA\taccess 9-5, ask for "Bev"\n';
    expect(await read(copied)).toEqual([
      { site: '"Bev" House', postcode: 'E1 1AA', notes: 'access 9-5, ask for "Bev"' },
    ]);
  });
});

describe('the columns of a list', () => {
  const faultsOf = async (text: string) => (await list(text)).faults.map(({ detail }) => detail);

  it('are known by many names, and the unit in them is that of the cells', async () => {
    const text =
      'Site Name;Post Code *;Unique property reference number;Bandwidth (Mbps);Contract length (years);Comments\n' +
      'HQ;EC2A 2BS;100023336956.0;100;3;ask\n';
    expect(await read(text)).toEqual([
      {
        site: 'HQ',
        postcode: 'EC2A 2BS',
        uprn: '100023336956',
        notes: 'ask',
        wanted: { bandwidth: 0.1, term: 36 },
      },
    ]);
  });

  it('are below a title', async () => {
    const found = await list('Our sites, as of May\n\n,,\nPremises,Postcode\nHQ,EC2A 2BS\n');
    expect(found).toMatchObject({ headLine: 4, rows: [{ line: 5, site: { site: 'HQ' } }] });
  });

  it('are refused all at once', async () => {
    expect(await faultsOf('postcode,notse,Region\nE1 1AA,a,b\n')).toEqual([
      '"notse" (column B) is not a column of a list of sites. Did you mean "notes"?',
      '"Region" (column C) is not a column of a list of sites.',
      expect.stringContaining('ignoreOtherColumns=true'),
    ]);
    expect(await faultsOf('site\nHQ\n')).toEqual([expect.stringContaining('columns=postcode:B')]);
  });

  it('are refused by both names if two mean the same', async () => {
    expect(await faultsOf('Post code,site,Postcode\nE1 1AA,A,\n')).toEqual([
      expect.stringContaining('"Post code" (column A) and "Postcode" (column C) are both read'),
    ]);
  });

  it('are left out, or chosen by their name or letter', async () => {
    const text = 'Library name,Region,Address postcode,Billing postcode\nLeigh,N,E1 1AA,N1 1AA\n';
    const found = await readSiteList(Buffer.from(text), {
      columns: { site: 'library NAME', postcode: 'D' },
      ignoreOtherColumns: true,
    });
    expect(found.faults).toEqual([]);
    expect(found.rows[0]!.site).toEqual({ site: 'Leigh', postcode: 'N1 1AA' });
    expect(found.ignored).toEqual(['Region', 'Address postcode']);
    const unknown = await readSiteList(Buffer.from(text), { columns: { site: 'Nobody' } });
    expect(unknown.faults[0]!.detail).toBe('columns: the list has no column named "Nobody".');
  });

  it('are those of the CSV of a quote, whose results are left out', async () => {
    const own = { site: "'=HQ", postcode: 'EC2A 2BS', wanted_bandwidth: '100', wanted_term: '36' };
    const cells = { ...own, wanted_service: 'Internet', product: 'INT-1G', notes: 'a' };
    const row = quoteColumns.map((name) => cells[name as keyof typeof cells] ?? '');
    const text = `${quoteColumns.join()}\n${row.join()}\n`;
    const found = await list(text);
    expect(found.faults).toEqual([]);
    expect(found.rows[0]!.site).toEqual({
      site: '=HQ',
      postcode: 'EC2A 2BS',
      notes: 'a',
      wanted: { bandwidth: 100, term: 36, service: 'Internet' },
    });
    expect(found.ignored).toContain('lead_time_days');
  });

  it.each([
    ['site:Library name, postcode:A, B', { site: 'Library name', postcode: 'A, B' }],
    ['Postcode: C', { postcode: 'C' }],
    ['postcod:C', expect.stringContaining('Did you mean "postcode"?')],
    ['C', expect.stringContaining('site:Library name')],
    ['site:A,site:B', 'Site is chosen twice. Choose one column for it.'],
  ])('are chosen by %j', (text, chosen) => {
    expect(readChosenColumns(text)).toEqual(chosen);
  });
});

test('a list says which questions it leaves open', async () => {
  const text = 'postcode,bandwidth,uprn\nE1 1AA,1000,1.00023E+11\nE1 1AA,TBC,N/A\n';
  const found = await list(text);
  expect(found).toMatchObject({ needsUnit: true, needsService: true });
  expect(found.rows.map(({ faults }) => faults.map(({ detail }) => detail))).toEqual([
    [expect.stringMatching(/^1,000 Gbit\/s, or did you mean 1,000 Mbit\/s\?/), ROUNDED],
    [],
  ]);
  expect(found.rows[1]!.site).toEqual({ postcode: 'E1 1AA' });
  const answered = await readSiteList(Buffer.from(text), { unit: 'm', service: 'Internet' });
  expect(answered).toMatchObject({ needsUnit: false, needsService: false });
  expect(answered.rows[0]!.site).toMatchObject({ wanted: { bandwidth: 1 } });
  const again = await list(listText(found));
  expect(again.rows).toEqual(found.rows);
});

it.each([
  ['1', 1],
  ['1G', 1],
  ['100M', 0.1],
  ['100 Mbps', 0.1],
  ['10,000 Mbit/s', 10],
  ['2.5 Gbit/s', 2.5],
  ['2,5 Gb', 2.5],
  ['1,000M', 1],
  ['29', 29],
  ['1 Gig', 1],
  ['1GbE', 1],
  ['10 GE', 10],
  ['100meg', 0.1],
  ['1 gigabit/sec', 1],
  ['1Gbit/sec', 1],
  ['100/100', 0.1],
  ['100M/100M', 0.1],
  ['1/1 Gbps', 1],
  ['100/20', '100/20'],
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

test.each(['30', '100', '1,000', '1000.0'])('asks for the unit of %j', (text) => {
  expect(readBandwidth(text)).toBeInstanceOf(UnitQuestion);
  expect(readBandwidth(text, 'm')).toBe(Number(text.replace(',', '')) / 1_000);
});

test('faults of a row name its columns', () => {
  expect(
    inColumns('wanted.bandwidth: This is required. wanted.term: Enter months: 1 to 120.'),
  ).toBe('Bandwidth: This is required. Term: Enter months: 1 to 120.');
  expect(inColumns('The postcode: no. details.floor: Use text.')).toBe(
    'The postcode: no. details.floor: Use text.',
  );
});
