import { describe, expect, it, test } from '@jest/globals';
import { contentOf, givenFiles, textsOf } from '../../../test/support/catalogue-files.given.js';
import { decodeContent, encodeContent } from './content-codec.js';
import { parseCatalogueFiles } from './files/csv-reader.js';

const zones = [
  'LONDON-ONNET,"London, lit",onNetWithoutBuild,,',
  'UK,,,2026-12-01,Duct works until November',
];
const priceLists = ['gold,,-12,0.50', 'best,gold,+2.5,'];

describe('optional files', () => {
  it('are read into rows, with defaults for empty cells', () => {
    const content = contentOf(givenFiles({ zones, priceLists }));
    expect([content.zones, content.priceLists]).toEqual([
      [
        {
          zone: 'LONDON-ONNET',
          label: 'London, lit',
          network: 'onNetWithoutBuild',
          readyDate: null,
          note: '',
          endDate: null,
          constraints: '',
        },
        {
          zone: 'UK',
          label: '',
          network: null,
          readyDate: '2026-12-01',
          note: 'Duct works until November',
          endDate: null,
          constraints: '',
        },
      ],
      [
        { priceList: 'best', basedOn: 'gold', percent: 2.5, roundTo: null },
        { priceList: 'gold', basedOn: 'standard', percent: -12, roundTo: 0.5 },
      ],
    ]);
  });

  it('may be missing, empty or without rows, with the same hash', async () => {
    const texts = givenFiles();
    const hashes = await Promise.all(
      [
        texts,
        { ...texts, zones: '', priceLists: '' },
        givenFiles({ zones: [], priceLists: [], buildBands: [], networkPoints: [], volume: [] }),
      ].map(async (files) => (await encodeContent(contentOf(files))).hash),
    );
    expect(new Set(hashes).size).toBe(1);
    expect(Object.keys(textsOf(contentOf(texts)))).toEqual(['products', 'prices', 'coverage']);
  });

  it('change the hash if they have rows, and are stored and exported', async () => {
    const content = contentOf(givenFiles({ zones, priceLists }));
    const stored = await encodeContent(content);
    expect(stored.hash).not.toBe((await encodeContent(contentOf(givenFiles()))).hash);
    const decoded = await decodeContent(stored);
    expect([decoded.zones, decoded.priceLists]).toEqual([content.zones, content.priceLists]);
    const again = contentOf(textsOf(decoded));
    expect((await encodeContent(again)).hash).toBe(stored.hash);
  });

  it('may have the columns in any order, and lack optional ones', () => {
    const texts = { ...givenFiles(), zones: 'ready_date,zone\n2026-12-01,UK\n' };
    expect(contentOf(texts).zones).toEqual([
      {
        zone: 'UK',
        label: '',
        network: null,
        readyDate: '2026-12-01',
        note: '',
        endDate: null,
        constraints: '',
      },
    ]);
  });
});

describe('faults in zones.csv', () => {
  test.each([
    ['-,,,,', 'zone', '-', /^A zone is/, 'Write one like LONDON-ONNET.'],
    [
      'UK,,onnet,,',
      'network',
      'onnet',
      /^A network is one of/,
      'Leave it empty if it is not known.',
    ],
    ['UK,,onNetWithBuild2,,', 'network', 'onNetWithBuild2', /^A network/, 'Write onNetWithBuild.'],
    ['UK,,,2026-02-31,', 'ready_date', '2026-02-31', /^A ready date/, 'Write e.g. 2026-12-01.'],
    [`UK,${'x'.repeat(121)},,,`, 'label', expect.anything(), /121 characters/, 'Shorten it by 1.'],
    [`UK,,,,${'x'.repeat(501)}`, 'note', expect.anything(), /501 characters/, 'Shorten it by 1.'],
  ])('%s', (line, column, value, reason, suggestion) => {
    const { faults } = parseCatalogueFiles(givenFiles({ zones: [line] }));
    expect(faults).toEqual({
      total: 1,
      shown: [
        {
          file: 'zones.csv',
          line: 2,
          column,
          value,
          reason: expect.stringMatching(reason),
          suggestion,
        },
      ],
    });
  });

  it('include a repeated zone and an unknown column', () => {
    const repeated = parseCatalogueFiles(givenFiles({ zones: ['UK,,,,', 'UK,,,,'] }));
    const unknown = parseCatalogueFiles({ ...givenFiles(), zones: 'zone,colour\nUK,red\n' });
    expect([repeated, unknown].map(({ faults }) => faults.shown[0])).toMatchObject([
      { file: 'zones.csv', line: 3, column: 'zone', reason: 'The zone is also on line 2.' },
      { file: 'zones.csv', line: 1, column: 'colour' },
    ]);
  });
});

describe('faults in price_lists.csv', () => {
  test.each([
    ['standard,gold,1,', 'price_list', /^The price list standard is not derived/],
    [',gold,1,', 'price_list', /^The price list standard is not derived/],
    ['x,,,', 'percent', /^A percentage is a number from -100 to 1000/],
    ['x,,-100.5,', 'percent', /^A percentage/],
    ['x,,-12 %,', 'percent', /^A percentage/],
    ['x,,1,0', 'round_to', /^A rounding step/],
    ['x,,1,-1', 'round_to', /^A rounding step/],
    ['x,stanard,1,', 'based_on', /^There is no price list with this name/],
    ['x,x,1,', 'based_on', /^The price list is based on itself: x → x\.$/],
    ['x,,1000,', 'percent', /^The price of INT-1G-12 in LONDON-ONNET exceeds 21474836.47 GBP/],
  ])('%s', (line, column, reason) => {
    const prices = ['INT-1G-12,LONDON-ONNET,standard,20000000,GBP,84'];
    const { faults } = parseCatalogueFiles(givenFiles({ prices, priceLists: [line] }));
    expect(faults).toMatchObject({
      total: 1,
      shown: [{ file: 'price_lists.csv', line: 2, column, reason: expect.stringMatching(reason) }],
    });
  });

  it('name every list of a cycle, and no list outside it', () => {
    const lines = ['a,b,1,', 'b,c,1,', 'c,b,1,', 'd,standard,1,'];
    const { faults } = parseCatalogueFiles(givenFiles({ priceLists: lines }));
    expect(faults.shown.map(({ line, reason }) => [line, reason])).toEqual([
      [3, 'The price list is based on itself: b → c → b.'],
      [4, 'The price list is based on itself: c → b → c.'],
    ]);
  });

  it('suggest the list that was meant', () => {
    const { faults } = parseCatalogueFiles(givenFiles({ priceLists: ['x,standrad,1,'] }));
    expect(faults.shown[0]?.suggestion).toBe('Did you mean "standard"?');
  });

  it('do not report the base of a list twice if the base has another fault', () => {
    const { faults } = parseCatalogueFiles(givenFiles({ priceLists: ['x,,one,', 'y,x,1,'] }));
    expect(faults.shown.map(({ line, column }) => [line, column])).toEqual([[2, 'percent']]);
  });
});
