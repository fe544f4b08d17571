import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { BuildNetwork } from '../../near-net/network.js';
import { PositionsBuilder } from '../../near-net/positions.js';
import { parsePostcode, type Postcode } from '../../platform/kernel/postcode.js';
import { contentOf, givenFiles } from '../../../test/support/catalogue-files.given.js';
import { Catalogue } from '../content/catalogue.js';
import { networkOf } from './build-network.js';

const FACTOR = 1.3;
const UNITS = ['A', 'B', 'D', 'E', 'F', 'G', 'H', 'J', 'L', 'N'].map((last) => `N1 9${last}A`);
const packedOf = (unit: string) => (parsePostcode(unit) as Postcode).packed;

interface Band {
  readonly to: number;
  readonly setup: number | null;
  readonly days: number;
}

const places = fc.record({
  /** `LIT` is the network; `SOON` will be; `OTHER` is on another operator's; `-` is excluded. */
  zones: fc.array(fc.constantFrom('LIT', 'SOON', 'OTHER', '-', null), {
    minLength: UNITS.length,
    maxLength: UNITS.length,
  }),
  /** Metres from a corner; null without a position. */
  positions: fc.array(
    fc.option(fc.tuple(fc.integer({ min: 0, max: 2_000 }), fc.integer({ min: 0, max: 400 })), {
      freq: 9,
    }),
    { minLength: UNITS.length, maxLength: UNITS.length },
  ),
  bands: fc
    .uniqueArray(
      fc.record({
        to: fc.integer({ min: 1, max: 60 }).map((steps) => steps * 50),
        setup: fc.option(fc.integer({ min: 0, max: 5_000 })),
        days: fc.integer({ min: 0, max: 90 }),
      }),
      { minLength: 1, maxLength: 4, selector: ({ to }) => to },
    )
    .map((bands): Band[] => bands.toSorted((a, b) => a.to - b.to)),
});

/** The band of a place, looked for among all units. */
function bandAt(
  n: number,
  { zones, positions, bands }: typeof places extends fc.Arbitrary<infer T> ? T : never,
): Band | undefined {
  const own = positions[n];
  if (!own) return undefined;
  const metres = positions.flatMap((one, i) =>
    one && zones[i] === 'LIT' ? Math.hypot(one[0] - own[0], one[1] - own[1]) : [],
  );
  const route = Math.ceil((Math.min(...metres) * FACTOR) / 50 - 1e-9) * 50;
  return bands.find(({ to }) => route <= to);
}

it('a covered place answers as without bands, and any other by the band of the nearest unit', () => {
  fc.assert(
    fc.property(places, (given) => {
      const { zones, positions, bands } = given;
      const files = {
        products: ['A,Line,1,10,12'],
        prices: ['LIT', 'SOON', 'OTHER'].map((zone) => `A,${zone},standard,100,GBP,10,250`),
        coverage: zones.flatMap((zone, i) => (zone === null ? [] : `${UNITS[i]},${zone}`)),
        zones: [
          'LIT,,onNetWithoutBuild,,',
          'SOON,,onNetWithoutBuild,2999-01-01,',
          'OTHER,,offNetWithoutBuild,,',
        ],
      };
      const before = new Catalogue(1, contentOf(givenFiles(files)));
      const content = contentOf(
        givenFiles({
          ...files,
          buildBands: bands.map(
            ({ to, setup, days }) => `*,${to},${setup ?? ''},${days},subjectToSurvey,*`,
          ),
        }),
      );
      const after = new Catalogue(1, content);
      const builder = new PositionsBuilder();
      for (const [i, position] of positions.entries()) {
        if (!position) continue;
        const [easting, northing] = [533_000 + position[0], 182_000 + position[1]];
        builder.add(packedOf(UNITS[i]!), { easting, northing });
      }
      after.network = new BuildNetwork(networkOf(content, builder.build(), FACTOR));
      for (const [i, unit] of UNITS.entries()) {
        const asked = { packed: packedOf(unit), uprn: null };
        const place = after.withNear(asked, 0);
        const answer = after.offersAt(place, 'standard', 0);
        if (zones[i] !== null) {
          const alone = before.offersAt(asked, 'standard', 0);
          expect([place, answer.json.text, answer.reasons]).toEqual([
            asked,
            alone.json.text,
            alone.reasons,
          ]);
          continue;
        }
        const band = bandAt(i, given);
        const expected = band && [band.setup === null ? null : 250 + band.setup, 10 + band.days];
        const found = answer.list.map(({ setupPrice, leadTimeDays }) => [setupPrice, leadTimeDays]);
        expect([unit, ...found]).toEqual([unit, ...(expected ? [expected] : [])]);
      }
    }),
    { numRuns: 300 },
  );
});

it('a place within a band has the reason of an uncovered one if nothing that is sold there can be built', () => {
  const files = {
    products: ['A,Line,1,10,12', 'B,Line,1,10,36'],
    prices: ['A,LIT,standard,100,GBP,10,250', 'B,OTHER,standard,100,GBP,10,250'],
    coverage: [`${UNITS[0]},LIT`],
    zones: ['LIT,,onNetWithoutBuild,,', 'OTHER,,offNetWithoutBuild,,'],
    buildBands: ['*,3000,100,20,subjectToSurvey,B'],
  };
  const content = contentOf(givenFiles(files));
  const builder = new PositionsBuilder();
  for (const [i, unit] of UNITS.slice(0, 2).entries()) {
    builder.add(packedOf(unit), { easting: 533_000 + 10 * i, northing: 182_000 });
  }
  const catalogue = new Catalogue(1, content);
  catalogue.network = new BuildNetwork(networkOf(content, builder.build(), FACTOR));
  const place = catalogue.withNear({ packed: packedOf(UNITS[1]!), uprn: null }, 0);
  const { list, reasons } = catalogue.offersAt(place, 'standard', 0);
  expect([list, reasons.map(({ code }) => code)]).toEqual([[], ['notCovered']]);
});
