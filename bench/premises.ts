import { join } from 'node:path';
import { packPremises, unpackPremises } from '../src/catalogue/content/premises-codec.js';
import { PremisesBuilder, PremisesIndex } from '../src/catalogue/content/premises-index.js';
import { parsePostcode, Postcode } from '../src/platform/kernel/postcode.js';
import { importBy } from './catalogue.js';
import { makeCatalogue } from './catalogue-fixture.js';
import { type BenchOptions, type Report, repeatableRandom, round } from './options.js';
import { withFolder } from './service-fixture.js';

const PREMISES = 1_000_000;
const LOOKUPS = 500_000;
/** Covered postcodes of the imported catalogue. */
const UNITS = 50_000;

/** Of one building: how many premises it has at most, and how far apart their UPRNs are. */
const lists: Readonly<Record<string, PremisesList>> = {
  'buildings of 1 to 20 units': { units: 20, apart: 40 },
  'single premises, unrelated UPRNs': { units: 1, apart: 1 },
  'buildings, a third with constraints': { units: 20, apart: 40, constraints: true },
};

const STREETS =
  'Finsbury Kingsland Tabernacle Albert Victoria Church Mill Station Park Bridge'.split(' ');
const KINDS = ['Street', 'Road', 'Lane', 'House', 'Court', 'Tower', 'Business Park', 'Mews'];

/** Memory, load and look-up of listed premises, and their import. */
export async function run(options: BenchOptions): Promise<Report[]> {
  const count = options.quick ? PREMISES / 10 : PREMISES;
  const measured = Object.entries(lists).map(([name, list]) => {
    options.say(name);
    return { name, ...measure(options.postcodes, count, list) };
  });
  const largest = (of: (one: (typeof measured)[number]) => number) => Math.max(...measured.map(of));
  const target = (what: string, value: number, unit: string, most: number) => ({
    target: `${what}: at most ${most} ${unit}`,
    measured: `${round(value, 2)} ${unit}`,
    met: value <= most,
  });
  const lookUps: Report = {
    title: `${count.toLocaleString('en-GB')} listed premises`,
    rows: measured.map(({ name, ...figures }) => ({
      list: name,
      'index, MB': round(figures.index, 2),
      'names, MB': round(figures.names, 2),
      'load, s': round(figures.load, 2),
      'zone, µs': round(figures.zone, 2),
      'constraints, µs': round(figures.constraints, 2),
      'not there, µs': round(figures.absent, 2),
      'with name, µs': round(figures.named, 1),
    })),
    targets: [
      target(
        'memory with names',
        largest(({ index, names }) => index + names),
        'MB',
        10,
      ),
      target(
        'look-up of a zone',
        largest(({ zone }) => zone),
        'µs',
        2,
      ),
    ],
    notes: ['CPU time. Not there: the UPRN is looked for at all postcodes.'],
  };
  return [lookUps, await imports(options, count)];
}

/** The import by the command line of a catalogue with as many premises, without and with constraints. */
function imports({ postcodes, say }: BenchOptions, count: number): Promise<Report> {
  return withFolder(async (folder) => {
    const rows: Record<string, string | number>[] = [];
    for (const [list, constrained] of [
      ['without constraints', false],
      ['a third with two constraints', true],
    ] as const) {
      say(`importing, ${list}`);
      const files = join(folder, list);
      makeCatalogue(files, UNITS, postcodes, count, constrained);
      const database = { SQLITE_FILE: join(folder, `${list}.sqlite`), DATABASE_URL: '' };
      const { seconds, resident, megabytes } = await importBy(database, files);
      rows.push({
        list,
        'import, s': round(seconds, 2),
        'memory at its peak, MB': round(resident),
        'database, MB': round(megabytes, 1),
      });
    }
    return { title: `Import of ${count.toLocaleString('en-GB')} listed premises, SQLite`, rows };
  });
}

interface PremisesList {
  readonly units: number;
  readonly apart: number;
  readonly constraints?: true;
}

function measure(texts: readonly string[], count: number, list: PremisesList) {
  const random = repeatableRandom(7);
  const whole = (below: number) => Math.floor(random() * below);
  const sectors = texts.flatMap((text) => {
    const postcode = parsePostcode(text);
    return postcode instanceof Postcode ? Math.floor(postcode.packed / 400) : [];
  });
  const builder = new PremisesBuilder();
  const asked: [packed: number, uprn: number][] = [];
  while (builder.count < count) {
    const packed = sectors[whole(sectors.length)]! * 400 + whole(400);
    const street = `${STREETS[whole(STREETS.length)]} ${KINDS[whole(KINDS.length)]}`;
    let uprn = whole(100_000_000_000) + 10_000_000;
    for (let unit = whole(list.units); unit >= 0 && builder.count < count; unit -= 1) {
      uprn += 1 + whole(list.apart);
      if (builder.lineOf(uprn) !== undefined) continue;
      const name = random() < 0.2 ? `Unit ${unit + 1}, ${street}` : `${1 + whole(200)} ${street}`;
      const bits = list.constraints && whole(3) === 0 ? { constraints: 1 << whole(8) } : {};
      builder.add({ packed, uprn, zoneNumber: 2 + whole(6), name, ...bits });
      asked.push([packed, uprn]);
    }
  }
  const stored = packPremises(builder.build(Array.from({ length: 8 }, (_, i) => i)).packed());
  const start = cpuSeconds();
  const index = loaded(PremisesIndex.from(unpackPremises(Buffer.from(stored))));
  const load = cpuSeconds() - start;
  const pick = Array.from({ length: LOOKUPS }, (_, i) => asked[(i * 7_919) % asked.length]!);
  const { index: indexBytes, names } = index.bytes;
  return {
    index: indexBytes / 1e6,
    names: names / 1e6,
    load,
    zone: microseconds(pick, ([packed, uprn]) => index.zoneNumberAt(packed, uprn)),
    constraints: microseconds(pick, ([packed, uprn]) => index.constraintsOf(packed, uprn)),
    absent: microseconds(pick, ([, uprn]) => index.postcodeOf(uprn + 500_000)),
    named: microseconds(pick.slice(0, 5_000), ([packed, uprn]) => index.find(packed, uprn)),
  };
}

function microseconds<T>(asked: readonly T[], lookUp: (one: T) => unknown): number {
  for (const one of asked.slice(0, 50_000)) lookUp(one);
  const start = cpuSeconds();
  for (const one of asked) lookUp(one);
  return ((cpuSeconds() - start) / asked.length) * 1e6;
}

function cpuSeconds(): number {
  return process.cpuUsage().user / 1e6;
}

function loaded<T>(steps: Generator<void, T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}
