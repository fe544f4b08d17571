import { describe, expect, it, test } from '@jest/globals';
import fc from 'fast-check';
import {
  contentOf,
  givenFiles,
  HEADERS,
  textsOf,
} from '../../../test/support/catalogue-files.given.js';
import { parsePostcode, type Postcode } from '../../platform/kernel/postcode.js';
import { Catalogue } from './catalogue.js';
import { decodeContent, encodeContent } from './content-codec.js';
import { parseCatalogueFiles } from './files/csv-reader.js';
import { diffCatalogues, isNoChange } from './diff.js';
import { diffInWords } from './change-lists.js';
import { premisesChanges } from './premises-diff.js';

const POSTCODES = ['E1 6AN', 'E14 5AB', 'EC2A 2BR', 'EC2A 2BS', 'EC1A 1BB'];
const ZONES = ['-', 'LIT', 'NEAR-NET', 'UK'];
const UPRNS = [1, 42, 2 ** 32 - 1, 2 ** 32, 100_023_336_956, 999_999_999_999];

function postcode(text: string): Postcode {
  return parsePostcode(text) as Postcode;
}

function placesAround(text: string): string[] {
  const at = postcode(text);
  return [at.unit, at.sector, at.subdistrict, at.district, at.area].filter((name) => name !== null);
}

const places = [...new Set(POSTCODES.flatMap(placesAround))];
const coverageRows = fc.uniqueArray(
  fc.tuple(fc.constantFrom(...places), fc.constantFrom(...ZONES)),
  { selector: ([place]) => place },
);
const premisesRows = fc.uniqueArray(
  fc.record({
    uprn: fc.constantFrom(...UPRNS),
    postcode: fc.constantFrom(...POSTCODES),
    name: fc.constantFrom('', 'Finsbury Tower', '"Unit 4, The ""Old"" Mill"'),
    zone: fc.constantFrom(...ZONES, ''),
    position: fc.constantFrom('', '532600,182300', '532601,182300'),
  }),
  { selector: ({ uprn }) => uprn },
);
type PremisesRows = typeof premisesRows extends fc.Arbitrary<infer Rows> ? Rows : never;

function files(coverage: readonly (readonly [string, string])[], premises: PremisesRows) {
  return givenFiles({
    coverage: coverage.map((row) => row.join(',')),
    premises: premises.map(({ uprn, postcode: unit, name, zone, position }) =>
      // Without a position, they have a zone.
      [uprn, unit, name, zone || position ? zone : 'UK', position].join(','),
    ),
  });
}

describe('listed premises', () => {
  it('take precedence over unit, sector, subdistrict, district and area', () => {
    fc.assert(
      fc.property(coverageRows, premisesRows, (coverage, premises) => {
        const content = contentOf(files(coverage, premises));
        const catalogue = new Catalogue(1, content);
        const zoneOf = new Map<string, string>(coverage);
        for (const text of POSTCODES) {
          const around = placesAround(text).find((place) => zoneOf.has(place));
          const ofPostcode = around === undefined ? null : zoneOf.get(around)!;
          const { packed } = postcode(text);
          const zoneAt = (uprn: number | null) =>
            content.coverage.zoneName(catalogue.zoneNumberAt({ packed, uprn }));
          expect(zoneAt(null)).toBe(ofPostcode);
          for (const uprn of UPRNS) {
            const own = premises.find((row) => row.uprn === uprn && row.postcode === text);
            const ownZone = own && (own.zone || (own.position === '' ? 'UK' : ofPostcode));
            expect(zoneAt(uprn)).toBe(own ? ownZone : ofPostcode);
          }
        }
      }),
    );
  });

  it('are the same after export and import, and after storage', async () => {
    await fc.assert(
      fc.asyncProperty(coverageRows, premisesRows, async (coverage, premises) => {
        const content = contentOf(files(coverage, premises));
        const stored = await encodeContent(content);
        expect((await encodeContent(contentOf(textsOf(content)))).hash).toBe(stored.hash);
        const decoded = await decodeContent(stored);
        expect(textsOf(decoded)).toEqual(textsOf(content));
        expect(isNoChange(diffCatalogues(content, decoded, null))).toBe(true);
      }),
    );
  });

  it('leave the hash of a catalogue without them as it was', async () => {
    const without = contentOf(givenFiles());
    const empty = contentOf(givenFiles({ premises: [] }));
    expect((await encodeContent(empty)).hash).toBe((await encodeContent(without)).hash);
    expect(textsOf(empty)).not.toHaveProperty('premises');
  });

  it('are exported in order, with plain UPRNs', () => {
    const content = contentOf(
      givenFiles({
        premises: [
          '100023336956,ec2a2bs,Finsbury Tower,LIT',
          '0042,EC2A 2BS,,-',
          '7,E1 6AN,"Unit 4, Mill",UK',
        ],
      }),
    );
    expect(textsOf(content).premises).toBe(
      `${HEADERS.premises}\n7,E1 6AN,"Unit 4, Mill",UK\n42,EC2A 2BS,,-\n100023336956,EC2A 2BS,Finsbury Tower,LIT\n`,
    );
  });

  const good = '42,EC2A 2BS,Tower,UK';
  test.each([
    [',EC2A 2BS,Tower,UK', 'uprn', 'The UPRN is empty.', 'Write one, e.g. 100023336956.'],
    ['0,EC2A 2BS,Tower,UK', 'uprn', 'A UPRN is 1 to 12 digits, not all zero.', 'Write one, e.g.'],
    ['1.00023E+11,EC2A 2BS,,UK', 'uprn', 'A UPRN is 1 to 12', 'A spreadsheet has rounded it'],
    ['0042,E1 6AN,Tower,UK', 'uprn', 'The UPRN is also on line 2.', 'Remove one of the two.'],
    ['43,EC2A 20S,Tower,UK', 'postcode', '', 'Did you mean "EC2A 2DS"?'],
    ['43,EC2A,Tower,UK', 'postcode', 'This is too short', 'Write e.g. EC2A 2BS.'],
    ['43,EC2A 2BS,Tower,uk', 'zone', 'A zone is', 'Did you mean "UK"?'],
    ['43,EC2A 2BS,Tower,', 'zone', 'The zone is empty.', 'Write one'],
    [`43,EC2A 2BS,${'x'.repeat(121)},UK`, 'name', 'The name has 121', 'Shorten it by 1.'],
    ['43,EC2A 2BS,,UK,532600,', 'northing', 'A northing is a whole number', 'Write e.g. 182300.'],
    ['43,EC2A 2BS,,,0,182300', 'easting', 'An easting is a whole number', 'Write e.g. 532600.'],
    [
      '43,BT1 1AA,,UK,532600,182300',
      'easting',
      'BT is not on',
      'Leave easting and northing empty.',
    ],
  ])('with a bad row: %s', (row, column, reason, suggestion) => {
    const { content, faults } = parseCatalogueFiles(givenFiles({ premises: [good, row] }));
    expect(content).toBeNull();
    expect(faults.shown).toEqual([
      expect.objectContaining({
        file: 'premises.csv',
        line: 3,
        column,
        reason: expect.stringContaining(reason),
        suggestion: expect.stringContaining(suggestion),
      }),
    ]);
  });

  it('are compared by what is sold there', () => {
    const before = contentOf(
      givenFiles({
        premises: [
          '1,EC2A 2BS,Tower,-',
          '2,EC2A 2BS,Mill,UK',
          '3,EC2A 2BS,Mill,LONDON-ONNET',
          '5,EC2A 2BS,Shed,UK',
          '6,EC2A 2BS,Same,UK',
          '8,EC2A 2BS,Yard,UK,532600,182300',
        ],
      }),
    );
    const after = contentOf(
      givenFiles({
        premises: [
          '1,EC2A 2BS,Tower,UK',
          '2,EC2A 2BS,Mill,-',
          '4,EC2A 2BS,Barn,LONDON-ONNET',
          '5,EC2A 2BS,Hut,UK',
          '6,EC2A 2BS,Same,UK',
          '7,AB10 1AB,New,UK',
          '8,EC2A 2BS,Yard,UK,532601,182300',
        ],
      }),
    );
    const diff = diffCatalogues(before, after, null);
    const changes = [...premisesChanges(diff.premises.changes)].map(
      ({ uprn, change, from, to }) => `${uprn} ${change} ${from} ${to}`,
    );
    expect(changes).toEqual([
      '7 gained null UK',
      '1 gained null UK',
      '2 lost UK null',
      '3 unlisted LONDON-ONNET LONDON-ONNET',
      '4 listed LONDON-ONNET LONDON-ONNET',
      '5 renamed UK UK',
      '8 relocated UK UK',
    ]);
    expect(diff.premises.covered).toBe(5);
    expect(diffInWords(diff)).toContain(
      'Listed premises: 2 gained, 1 lost, 1 listed, 1 unlisted, 1 relocated, 1 renamed.\n  premises 7 AB10 1AB: gained, UK\n',
    );
  });
});
