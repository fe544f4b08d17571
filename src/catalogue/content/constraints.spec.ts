import { describe, expect, it, test } from '@jest/globals';
import fc from 'fast-check';
import { contentOf, givenFiles, textsOf } from '../../../test/support/catalogue-files.given.js';
import { parsePostcode, type Postcode } from '../../platform/kernel/postcode.js';
import { Catalogue } from './catalogue.js';
import type { CatalogueFile } from './catalogue-files.js';
import { changeLists } from './change-lists.js';
import {
  cellOfConstraints,
  constraintBits,
  constraintCell,
  constraintCodes,
} from './zone-fields.js';
import { decodeContent, encodeContent } from './content-codec.js';
import { diffCatalogues, isNoChange } from './diff.js';
import { parseCatalogueFiles } from './files/csv-reader.js';
import { lintCatalogue } from './lint.js';

type Rows = Partial<Record<CatalogueFile, readonly string[]>>;

const rows: Rows = {
  coverage: ['EC,UK', 'EC2A 2BS,LONDON-ONNET'],
  zones: ['LONDON-ONNET,,,,,,wayleaveOwner|surveyRequired'],
  premises: [
    '1,EC2A 2BS,Own,LONDON-ONNET,,,businessPark',
    '2,EC2A 2BS,Plain,LONDON-ONNET,,,-',
    '3,EC2A 2BS,As its zone,LONDON-ONNET',
    '4,EC2A 2BS,Refused,-,,,wayleaveRefused',
  ],
  constraintTexts: ['surveyRequired,We come and look first.'],
};
const { packed } = parsePostcode('EC2A 2BS') as Postcode;
const codesAt = (catalogue: Catalogue, uprn: number | null) =>
  catalogue.constraintsAt({ packed, uprn }).list.map(({ code }) => code);
const changesIn = (before: Rows, after: Rows) => {
  const diff = diffCatalogues(contentOf(givenFiles(before)), contentOf(givenFiles(after)), null);
  const lists = changeLists(diff).flatMap(({ slice, count }) => [...slice(0, count)]);
  return [
    isNoChange(diff),
    lists.map(({ what, subject, before: was, after: is }) => [what, subject, was, is]),
  ];
};

describe('constraints of a place', () => {
  it('are those of the premises, or else of the zone, with the words of the operator or ours', () => {
    const catalogue = new Catalogue(1, contentOf(givenFiles(rows)));
    expect([null, 1, 2, 3, 4, 99].map((uprn) => codesAt(catalogue, uprn))).toEqual([
      ['surveyRequired', 'wayleaveOwner'],
      ['businessPark'],
      [],
      ['surveyRequired', 'wayleaveOwner'],
      ['wayleaveRefused'],
      ['surveyRequired', 'wayleaveOwner'],
    ]);
    expect(JSON.parse(catalogue.constraintsAt({ packed }).json)).toEqual([
      { code: 'surveyRequired', text: 'We come and look first.' },
      {
        code: 'wayleaveOwner',
        text: 'The owner of the building must consent to the installation (a wayleave).',
      },
    ]);
    const elsewhere = parsePostcode('EC1A 1BB') as Postcode;
    expect(catalogue.constraintsAt({ packed: elsewhere.packed }).json).toBe('[]');
  });

  it('survive storing, export and import, and leave the hash of a catalogue without them', async () => {
    const content = contentOf(givenFiles(rows));
    const stored = await encodeContent(content);
    const loaded = await decodeContent(stored);
    expect(textsOf(loaded)).toEqual(textsOf(content));
    expect((await encodeContent(contentOf(textsOf(loaded)))).hash).toBe(stored.hash);
    const plain = {
      ...rows,
      zones: ['LONDON-ONNET,'],
      constraintTexts: [],
      premises: ['3,EC2A 2BS,,UK'],
    };
    const texts = textsOf(contentOf(givenFiles(plain)));
    expect([texts.premises, texts.zones, texts.constraintTexts]).toEqual([
      'uprn,postcode,name,zone\n3,EC2A 2BS,,UK\n',
      'zone\nLONDON-ONNET\n',
      undefined,
    ]);
    expect((await encodeContent(contentOf(givenFiles(plain)))).hash).toBe(
      'v3:92b4b6c758c82d785de12d80be561aa91c62c3d4b1d8cbb18ca2ae0a873da63e',
    );
  });

  it('are in a comparison: of zones, of premises, and their words', () => {
    expect(changesIn(rows, rows)).toEqual([true, []]);
    const after = {
      ...rows,
      zones: ['LONDON-ONNET,,,,,,surveyRequired'],
      premises: ['1,EC2A 2BS,Own,LONDON-ONNET,,,-', ...rows.premises!.slice(1)],
      constraintTexts: [],
    };
    expect(changesIn(rows, after)).toEqual([
      false,
      [
        ['premises', '1 EC2A 2BS', 'businessPark', '-'],
        [
          'zone',
          'LONDON-ONNET',
          'constraints surveyRequired|wayleaveOwner',
          'constraints surveyRequired',
        ],
        ['constraint_text', 'surveyRequired', 'text We come and look first.', ''],
      ],
    ]);
  });

  test.each([
    ['surveyRequired', 'surveyRequired'],
    ['wayleaveOwner | surveyRequired', 'surveyRequired|wayleaveOwner'],
    ['surveyRequired|surveyRequired', 'surveyRequired'],
    ['surveyReqired', 'Did you mean surveyRequired?'],
    ['SURVEYREQUIRED', 'Did you mean surveyRequired?'],
    ['wayleaveOwner|', 'Choose one of these.'],
    ['asbestos', 'Choose one of these.'],
  ])('read %j as %j', (text, read) => {
    const cell = constraintCell(text);
    expect(typeof cell === 'string' ? cell : cell.suggestion).toBe(read);
  });

  it('are refused with the line and the code that was meant', () => {
    const { faults } = parseCatalogueFiles(
      givenFiles({
        ...rows,
        zones: ['LONDON-ONNET,,,,,,wayleaveOwnr'],
        premises: ['1,EC2A 2BS,,LONDON-ONNET,,,surveyRequired|busnessPark'],
        constraintTexts: ['surveyRequired,', 'surveyRequired,Twice.'],
      }),
    );
    expect(
      faults.shown.map(({ file, line, column, suggestion }) => [file, line, column, suggestion]),
    ).toEqual([
      ['premises.csv', 2, 'constraints', 'Did you mean businessPark?'],
      ['zones.csv', 2, 'constraints', 'Did you mean wayleaveOwner?'],
      ['constraint_texts.csv', 2, 'text', 'Write a sentence, or remove the row to use ours.'],
      ['constraint_texts.csv', 3, 'code', 'Remove one of the two.'],
    ]);
  });

  it('are stored as numbers that give back the cell', () => {
    fc.assert(
      fc.property(fc.subarray([...constraintCodes]), (codes) => {
        const cell = codes.join('|') || '-';
        expect(cellOfConstraints(constraintBits(cell))).toBe(cell);
      }),
    );
    expect(cellOfConstraints(constraintBits(''))).toBe('');
  });

  test.each<[string, Rows, Record<string, string[]>]>([
    [
      'a firm price',
      {},
      {
        'firm-with-constraint': [
          'INT-1G-12 in LONDON-ONNET (standard): surveyRequired|wayleaveOwner',
          'premises 5 (EC2A 2BS) in LONDON-ONNET: wayleavePrivate',
        ],
      },
    ],
    [
      'a price that a survey may change',
      { prices: ['INT-1G-12,LONDON-ONNET,standard,550,GBP,84,,subjectToSurvey'] },
      {},
    ],
    [
      'any price where the wayleave is refused',
      {
        prices: ['INT-1G-12,LONDON-ONNET,standard,550,GBP,84,,indicative'],
        zones: ['LONDON-ONNET,,,,,,wayleaveRefused'],
        premises: [
          '5,EC2A 2BS,,LONDON-ONNET,,,-',
          '6,EC2A 2BS,,LONDON-ONNET,,,wayleaveRefused',
          '7,EC2A 2BS,,-,,,wayleaveRefused',
        ],
      },
      {
        'sold-where-refused': [
          'INT-1G-12 in LONDON-ONNET (standard): wayleaveRefused',
          'premises 6 (EC2A 2BS) in LONDON-ONNET: wayleaveRefused',
        ],
      },
    ],
  ])('warn about %s', (_, given, expected) => {
    const premises = [
      '5,EC2A 2BS,,LONDON-ONNET,,,wayleavePrivate',
      '6,EC2A 2BS,,LONDON-ONNET,,,businessPark',
    ];
    const prices = ['INT-1G-12,LONDON-ONNET,standard,550,GBP,84'];
    const warnings = lintCatalogue(
      contentOf(givenFiles({ ...rows, premises, prices, ...given })),
      null,
    );
    const found = warnings.filter(({ rule }) => /constraint|refused/.test(rule));
    expect(Object.fromEntries(found.map(({ rule, examples }) => [rule, examples]))).toEqual(
      expected,
    );
  });
});
