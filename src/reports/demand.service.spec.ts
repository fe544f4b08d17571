import { expect, test } from '@jest/globals';
import { CoverageBuilder } from '../catalogue/content/coverage-index.js';
import { parsePlace, type PostcodePlace } from '../platform/kernel/postcode.js';
import { coveredPostcodes } from './demand.service.js';

const sectors = ['AB10 1', 'EC2A 1', 'EC2A 2'];
const places = {
  keys: Uint32Array.from(sectors, (name) => (parsePlace(name) as PostcodePlace).key),
  postcodes: Uint16Array.from([10, 20, 3]),
};

test.each<[string, Record<string, string>, number[]]>([
  ['no rows', {}, [0, 0, 0]],
  ['an area that sells', { EC: 'SELLS' }, [0, 20, 3]],
  ['an area whose zone has no price', { EC: 'DRY' }, [0, 0, 0]],
  ['an excluded sector in it', { EC: 'SELLS', 'EC2A 1': '-' }, [0, 0, 3]],
  ['single postcodes', { 'EC2A 1AA': 'SELLS', 'EC2A 1AB': 'DRY', 'EC2A 2AA': 'SELLS' }, [0, 1, 1]],
  ['excluded postcodes', { EC2A: 'SELLS', 'EC2A 1AA': '-', 'EC2A 1AB': 'DRY' }, [0, 18, 3]],
  [
    'more postcodes than are known',
    { 'EC2A 2AA': 'SELLS', 'EC2A 2AB': 'SELLS', 'EC2A 2AD': 'SELLS', 'EC2A 2AE': 'SELLS' },
    [0, 0, 3],
  ],
])('counts covered postcodes of each sector: %s', (_name, rows, counts) => {
  const builder = new CoverageBuilder();
  const sold = builder.addZone('SELLS');
  builder.addZone('DRY');
  for (const [i, [name, zone]] of Object.entries(rows).entries()) {
    const number = zone === '-' ? builder.knownZone('-')! : builder.addZone(zone);
    builder.add(parsePlace(name) as PostcodePlace, number, i);
  }
  const coverage = builder.build(() => undefined);
  const sells = (zone: number) => coverage.zoneName(zone) === 'SELLS';
  expect([sold > 1, [...coveredPostcodes(coverage, sells, places)]]).toEqual([true, counts]);
});
