import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { readRegister, encodeRegister } from '../src/catalogue/register/postcode-register.js';
import { BuildNetwork } from '../src/near-net/network.js';
import { indexParts, PointColumns } from '../src/near-net/network-index.js';
import {
  decodePositions,
  encodePositions,
  type Position,
  PositionsBuilder,
} from '../src/near-net/positions.js';
import { type BenchOptions, type Report, repeatableRandom, round } from './options.js';

const POINTS = 1_750_000;
const LOOKUPS = 200_000;
/** Of 5,000 m of route. */
const REACH = 5_000;
const FACTOR = 1.3;
/** Real positions, `postcode,easting,northing` gzipped; by default made up ones. */
const FILE = process.env['POSTCODE_POSITIONS'];

/** Memory, load and look-up of the network, of which every postcode is a point or one in a hundred. */
export async function run(options: BenchOptions): Promise<Report> {
  const random = repeatableRandom(7);
  const places = FILE ? readPlaces(FILE) : madeUp(options.quick ? POINTS / 10 : POINTS, random);
  const measured = [1, 100].map((every) => {
    options.say(`one point of ${every}`);
    return { every, ...measure(places, every, random) };
  });
  const [all] = measured;
  const most = (what: string, value: number, unit: string, limit: number) => ({
    target: `${what}: at most ${limit} ${unit}`,
    measured: `${round(value, 2)} ${unit}`,
    met: value <= limit,
  });
  const imported = FILE ? await importSeconds(FILE) : null;
  return {
    title: `A network around ${places.length.toLocaleString('en-GB')} postcodes`,
    rows: measured.map(({ every, ...figures }) => ({
      'points of the network': Math.ceil(places.length / every).toLocaleString('en-GB'),
      'index, MB': round(figures.index, 1),
      'positions, MB': round(figures.positions, 1),
      'stored, MB': round(figures.stored, 1),
      'decode, s': round(figures.decode, 2),
      'build, s': round(figures.build, 2),
      'look-up, µs': round(figures.lookUp, 2),
    })),
    targets: [
      most('memory of the points', all!.index, 'MB', 25),
      ...(imported === null ? [] : [most('import of the register', imported, 's', 10)]),
      most('decode and build at the start', all!.decode + all!.build, 's', 5),
      most('look-up', Math.max(...measured.map(({ lookUp }) => lookUp)), 'µs', 5),
    ],
    notes: [
      'CPU time. Each look-up asks for another place, 0 to 300 m from a postcode, with a reach of 5,000 m of route.',
      FILE ? 'Real positions.' : 'Made-up positions, spread evenly over a square.',
    ],
  };
}

function measure(places: readonly Position[], every: number, random: () => number) {
  const builder = new PositionsBuilder();
  for (const [i, place] of places.entries()) builder.add(i * 10, place);
  const stored = encodePositions(builder.build());
  const decoding = cpuSeconds();
  const positions = decodePositions(stored);
  const building = cpuSeconds();
  const columns = new PointColumns();
  for (let i = 0; i < places.length; i += every) columns.add(places[i]!, 2 + (i % 7), i);
  const index = indexParts(columns);
  const network = new BuildNetwork({ index, positions, factor: FACTOR, reach: REACH });
  const built = cpuSeconds();
  const asked = Array.from({ length: LOOKUPS }, () => {
    const { easting, northing } = places[Math.floor(random() * places.length)]!;
    return { easting: easting + random() * 300, northing: northing + random() * 300 };
  });
  const sells = (zone: number) => zone !== 4;
  for (const one of asked.slice(0, 50_000)) network.nearest(one, sells);
  const start = cpuSeconds();
  for (const one of asked) network.nearest(one, sells);
  const lookUp = ((cpuSeconds() - start) / asked.length) * 1e6;
  const { keys, eastings, northings } = positions;
  const bytes = [keys, eastings, northings].reduce((sum, one) => sum + one.byteLength, 0);
  return {
    index: network.index.bytes / 1e6,
    positions: bytes / 1e6,
    stored: stored.length / 1e6,
    decode: building - decoding,
    build: built - building,
    lookUp,
  };
}

/** Seconds of CPU to read the file, check it and pack what it says. */
async function importSeconds(file: string): Promise<number> {
  const start = cpuSeconds();
  const { rows, positions } = await readRegister(file, () => undefined);
  if (!rows || !positions) throw new Error('The file has no postcodes with positions.');
  encodeRegister(rows);
  encodePositions(positions);
  return cpuSeconds() - start;
}

function readPlaces(file: string): Position[] {
  const lines = gunzipSync(readFileSync(file)).toString().split('\n');
  return lines.flatMap((line) => {
    const [, easting = '', northing = ''] = line.split(',');
    return /^\d+$/.test(easting) ? { easting: Number(easting), northing: Number(northing) } : [];
  });
}

function madeUp(count: number, random: () => number): Position[] {
  const side = () => 1 + Math.floor(random() * 600_000);
  return Array.from({ length: count }, () => ({ easting: side(), northing: side() }));
}

function cpuSeconds(): number {
  return process.cpuUsage().user / 1e6;
}
