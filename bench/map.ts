import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { CoverageBuilder, withPolygons } from '../src/catalogue/content/coverage-index.js';
import { PolygonReader } from '../src/catalogue/content/files/polygon-reader.js';
import { PremisesBuilder } from '../src/catalogue/content/premises-index.js';
import { toGrid, UNITS, unpackNumbers } from '../src/catalogue/polygons/outline.js';
import { type Positions, PositionsBuilder } from '../src/near-net/positions.js';
import { parsePostcode, Postcode } from '../src/platform/kernel/postcode.js';
import { FaultList } from '../src/platform/tables/csv-table.js';
import { type BenchOptions, type Report, repeatableRandom, round } from './options.js';

const POSTCODES = 1_750_000;
const PREMISES = 1_000_000;
const POLYGONS = 10_000;
const VERTICES = 100;
const ZONES = 50;
/** Real positions, `postcode,easting,northing` gzipped; by default made up ones. */
const FILE = process.env['POSTCODE_POSITIONS'];

interface Star {
  readonly ring: readonly (readonly [x: number, y: number])[];
  readonly priority: number;
  readonly zone: string;
}

/** The import of a national map: reading, checking, and finding the places in each polygon; compared with brute force. */
export function run(options: BenchOptions): Promise<Report> {
  const random = repeatableRandom(11);
  const share = options.quick ? 10 : 1;
  const positions = FILE ? readPositions(FILE) : madeUp(POSTCODES / share, random);
  const stars = Array.from({ length: POLYGONS / share }, (_, i) => star(positions, i, random));
  const text = Buffer.from(geoJson(stars));
  const builder = new PremisesBuilder();
  for (let i = 0; i < PREMISES / share; i++) {
    const row = Math.floor((i * positions.keys.length * share) / PREMISES);
    const { easting, northing } = positions.at(row);
    const position = {
      easting: easting + Math.floor(random() * 100) - 50,
      northing: northing + Math.floor(random() * 100) - 50,
    };
    addPremises(builder, positions.keys[row]!, i + 1, position);
  }
  const premises = builder.build([0]);
  const coverage = new CoverageBuilder().build(() => undefined);
  options.say(`${stars.length} polygons, ${Math.round(text.length / 1e6)} MB`);

  const faults = new FaultList();
  const reader = new PolygonReader(faults, () => positions);
  const start = cpuSeconds();
  for (let at = 0; at < text.length; at += 65_536) reader.push(text.subarray(at, at + 65_536));
  const read = cpuSeconds();
  reader.end(new Set(stars.map(({ zone }) => zone)));
  const checked = cpuSeconds();
  const polygons = reader.place({ coverage, premises });
  const placed = cpuSeconds();
  const found = withPolygons({ coverage, premises, polygons });
  const joined = cpuSeconds();
  if (faults.count > 0) throw new Error(JSON.stringify(faults.sorted([]).shown[0]));

  options.say('brute force');
  const byNumber = new Map(polygons.map((row) => [Number(row.label), row]));
  const units = bruteForce(stars, positions.keys, positions.eastings, positions.northings);
  const listed = [...premises.listed()];
  const byUprn = bruteForce(
    stars,
    listed.map(({ uprn }) => uprn),
    listed.map(({ position }) => position!.easting),
    listed.map(({ position }) => position!.northing),
  );
  let differences = 0;
  for (const [i, row] of byNumber) {
    differences += differing(unpackNumbers(row.units), units[i]!);
    differences += differing(unpackNumbers(row.premises), byUprn[i]!);
  }
  const projecting = cpuSeconds();
  for (let i = 0; i < stars.length * VERTICES; i++)
    toGrid(-5 + (i % 1_000) / 200, 51 + (i % 977) / 200);
  const projected = cpuSeconds() - projecting;
  const seconds = joined - start + projected;
  return Promise.resolve({
    title: `A map of ${stars.length.toLocaleString('en-GB')} polygons over ${positions.keys.length.toLocaleString('en-GB')} postcodes and ${premises.count.toLocaleString('en-GB')} premises`,
    rows: [
      {
        'file, MB': round(text.length / 1e6, 1),
        'read, s': round(read - start, 2),
        'check, s': round(checked - read, 2),
        'project, s': round(projected, 2),
        'find places, s': round(placed - checked, 2),
        'join, s': round(joined - placed, 2),
        'postcodes covered': found.coverage.size.units.toLocaleString('en-GB'),
      },
    ],
    targets: [
      {
        target: 'the import of the map: at most 5 s',
        measured: `${round(seconds, 2)} s`,
        met: seconds <= 5,
      },
      {
        target: 'places that differ from brute force: 0',
        measured: String(differences),
        met: differences === 0,
      },
    ],
    notes: [
      'CPU time of one thread. Outlines are on the National Grid, so that brute force is exact; the projection of as many vertices in degrees is measured apart, and counted.',
      FILE ? 'Real positions.' : 'Made-up positions, spread evenly over a square.',
    ],
  });
}

function addPremises(
  builder: PremisesBuilder,
  packed: number,
  uprn: number,
  position: { readonly easting: number; readonly northing: number },
): void {
  builder.add({ packed, uprn, zoneNumber: 0, position });
}

/** Around a postcode, by angle, so that it does not cross itself: with a radius of 100 to 800 m. */
function star(positions: Positions, i: number, random: () => number): Star {
  const { easting, northing } = positions.at(Math.floor(random() * positions.keys.length));
  const radius = 200 + random() * 600;
  const metres = (value: number) => Math.round(value * UNITS) / UNITS;
  const ring = Array.from({ length: VERTICES }, (_, at) => {
    const angle = (2 * Math.PI * at) / VERTICES;
    const far = radius * (0.5 + random() * 0.5);
    const x = metres(easting + far * Math.cos(angle));
    return [x, metres(northing + far * Math.sin(angle))] as const;
  });
  return { ring: [...ring, ring[0]!], priority: i, zone: `Z${i % ZONES}` };
}

function geoJson(stars: readonly Star[]): string {
  const features = stars.map(({ ring, zone, priority }, i) => ({
    type: 'Feature',
    properties: { label: String(i), zone, priority },
    geometry: { type: 'Polygon', coordinates: [ring] },
  }));
  const crs = { type: 'name', properties: { name: 'EPSG:27700' } };
  return JSON.stringify({ type: 'FeatureCollection', crs, features });
}

/** The keys that each polygon decides: every polygon is compared with every place beside it. */
function bruteForce(
  stars: readonly Star[],
  keys: ArrayLike<number>,
  eastings: ArrayLike<number>,
  northings: ArrayLike<number>,
): number[][] {
  const order = Uint32Array.from(keys, (_, i) => i).sort((a, b) => northings[a]! - northings[b]!);
  const winner = new Int32Array(keys.length).fill(-1);
  // A higher priority comes later.
  for (const [i, { ring }] of stars.entries()) {
    const south = Math.min(...ring.map(([, y]) => y));
    const north = Math.max(...ring.map(([, y]) => y));
    let low = 0;
    for (let high = order.length; low < high;) {
      const middle = (low + high) >>> 1;
      if (northings[order[middle]!]! < south) low = middle + 1;
      else high = middle;
    }
    for (; low < order.length && northings[order[low]!]! <= north; low++) {
      const row = order[low]!;
      if (Math.abs(eastings[row]! - ring[0]![0]) > 3_000) continue;
      if (isIn(ring, eastings[row]!, northings[row]!)) winner[row] = i;
    }
  }
  const found = stars.map((): number[] => []);
  for (const [row, i] of winner.entries()) if (i >= 0) found[i]!.push(keys[row]!);
  return found.map((list) => list.sort((a, b) => a - b));
}

/** In whole centimetres from the point, whose products are exact. */
function isIn(ring: Star['ring'], x: number, y: number): boolean {
  let isInside = false;
  for (let i = 1; i < ring.length; i++) {
    const [ax, ay] = [
      Math.round((ring[i - 1]![0] - x) * UNITS),
      Math.round((ring[i - 1]![1] - y) * UNITS),
    ];
    const [bx, by] = [Math.round((ring[i]![0] - x) * UNITS), Math.round((ring[i]![1] - y) * UNITS)];
    if (ay > 0 === by > 0) continue;
    const side = ax * by - bx * ay;
    if (by > ay ? side > 0 : side < 0) isInside = !isInside;
  }
  return isInside;
}

function differing(one: Float64Array, other: readonly number[]): number {
  const [own, others] = [new Set(one), new Set(other)];
  return (
    [...one].filter((key) => !others.has(key)).length + other.filter((key) => !own.has(key)).length
  );
}

function readPositions(file: string): Positions {
  const builder = new PositionsBuilder();
  for (const line of gunzipSync(readFileSync(file)).toString().split('\n')) {
    const [text = '', easting = '', northing = ''] = line.split(',');
    const postcode = parsePostcode(text);
    if (!(postcode instanceof Postcode) || easting === '' || Number(easting) === 0) continue;
    builder.add(postcode.packed, { easting: Number(easting), northing: Number(northing) });
  }
  return builder.build();
}

/** Neighbours in the list are neighbours on the grid, as postcodes are. */
function madeUp(count: number, random: () => number): Positions {
  const builder = new PositionsBuilder();
  const side = Math.ceil(Math.sqrt(count / 100));
  for (let i = 0; i < count; i++) {
    const cell = Math.floor(i / 100);
    const easting = 50_000 + ((cell % side) + random()) * (550_000 / side);
    const northing = 50_000 + (Math.floor(cell / side) + random()) * (550_000 / side);
    builder.add(i * 4, { easting: Math.floor(easting), northing: Math.floor(northing) });
  }
  return builder.build();
}

function cpuSeconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}
