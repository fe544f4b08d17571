/**
 * Writes the data of the map from its sources:
 *
 *   node scripts/make-map-data.mjs <gb-sector-centroids.csv> <uk-outline.json>
 *
 * The first has the columns `sector,easting,northing,postcodes`: the mean position of the postcodes of
 * each sector in OS Code-Point Open. The second has `rings` of `[easting, northing]`, from Natural Earth.
 * Both are in metres of the OS National Grid; the results in units of 100 m. docs/staff.md names the
 * licences.
 */
import { readFileSync, writeFileSync } from 'node:fs';

const SECTORS = 'src/reports/sectors.txt';
const OUTLINE = 'src/reports/map/outline.txt';

const [centroids, outline] = process.argv.slice(2);
if (outline === undefined) {
  console.error('Usage: node scripts/make-map-data.mjs <sector centroids> <outline>');
  process.exit(1);
}

const unit = (metres) => Math.round(Number(metres) / 100);

/** A line for each district: its name, then `digit:easting,northing,postcodes` for each sector. */
const districts = new Map();
for (const line of readFileSync(centroids, 'utf8').trim().split(/\r?\n/).slice(1)) {
  const [sector, easting, northing, postcodes] = line.split(',');
  const [district, digit] = sector.split(' ');
  const sectors = districts.get(district) ?? [];
  sectors.push(`${digit}:${unit(easting)},${unit(northing)},${postcodes}`);
  districts.set(district, sectors);
}
const lines = [...districts].map(([district, sectors]) => `${district} ${sectors.join(' ')}`);
writeFileSync(SECTORS, `${lines.join('\n')}\n`);

/** A line for each ring: its first point, then the step to each next one. */
const rings = JSON.parse(readFileSync(outline, 'utf8')).rings.map((ring) => {
  const points = ring.map((point) => point.map(unit));
  return points
    .map(([x, y], i) => (i === 0 ? [x, y] : [x - points[i - 1][0], y - points[i - 1][1]]).join(','))
    .join(' ');
});
writeFileSync(OUTLINE, `${rings.join('\n')}\n`);
console.log(`${lines.length} districts, ${rings.length} rings`);
