import { FIRST_ZONE_NUMBER } from '../catalogue/content/coverage-codec.js';
import { type CoverageIndex, UNITS_IN } from '../catalogue/content/coverage-index.js';
import type { SectorPlaces } from './sector-places.js';

/**
 * How many postcodes of each sector are in a zone that sells. Rows of single postcodes decide for those;
 * the sector's own row, or that of a larger place, decides for the rest of its postcodes.
 */
export function coveredPostcodes(
  coverage: CoverageIndex,
  sells: (zoneNumber: number) => boolean,
  { keys, postcodes }: Pick<SectorPlaces, 'keys' | 'postcodes'>,
): Uint16Array {
  const units = coverage.coverage.levels.unit;
  const selling = Array.from(
    { length: FIRST_ZONE_NUMBER + coverage.zones.length },
    (_, zone) => zone >= FIRST_ZONE_NUMBER && sells(zone),
  );
  let at = 0;
  return Uint16Array.from(keys, (key, i) => {
    const [first, end] = [key * UNITS_IN.sector, (key + 1) * UNITS_IN.sector];
    while (at < units.keys.length && units.keys[at]! < first) at += 1;
    let listed = 0;
    let served = 0;
    for (; at < units.keys.length && units.keys[at]! < end; at += 1) {
      listed += 1;
      if (selling[units.zoneNumbers[at]!]) served += 1;
    }
    const total = postcodes[i]!;
    // Coverage may list postcodes that are newer than these numbers.
    const others = Math.max(0, total - listed);
    const sold = selling[coverage.zoneNumberOfPlace('sector', key)] ? served + others : served;
    return Math.min(sold, total);
  });
}
