import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Catalogue, type CatalogueContent } from '../src/catalogue/content/catalogue.js';
import { compileContent } from '../src/catalogue/content/content-codec.js';
import { effectiveOf } from '../src/catalogue/content/cost-books.js';
import { parseCatalogueFiles } from '../src/catalogue/content/files/csv-reader.js';
import { readCatalogue } from '../src/catalogue/worker/read-files.js';
import { BuildNetwork } from '../src/near-net/network.js';
import { indexParts, PointColumns } from '../src/near-net/network-index.js';
import { PositionsBuilder } from '../src/near-net/positions.js';
import { parsePostcode, type Postcode } from '../src/platform/kernel/postcode.js';
import { nextTurn } from '../src/platform/kernel/turns.js';
import { Tracks } from '../src/catalogue/track/track.js';
import { type BenchOptions, type Report, repeatableRandom, round } from './options.js';

const BOOK_ROWS = 500_000;
const LOOKUPS = 2_000_000;
/** CPU µs of a check on the fast path are more: of a bare server that sends the same bytes (`npm run bench check`). */
const CHECK = 40;

/** Dates, cost books, prices by distance and tracks: what each adds to a look-up, and what a book costs to import. */
export async function run({ quick, rounds, say }: BenchOptions): Promise<Report> {
  const lookups = quick ? LOOKUPS / 10 : LOOKUPS;
  const plain = catalogueOf({});
  const contenders = {
    without: plain,
    'with dates of rows': catalogueOf({ dated: true }),
    'with a supplier at each place': catalogueOf({ supplied: true }),
    'with a network': withNetwork(catalogueOf({})),
    'with track': plain,
  };
  const tracks = await tracksOf(plain);
  const names = Object.keys(contenders) as (keyof typeof contenders)[];
  const best = new Map(names.map((name) => [name, Infinity]));
  // In turns: a ratio of what ran at the same time holds on a busy machine.
  for (let i = 0; i < Math.max(5, rounds); i++) {
    for (const name of names) {
      const shown = name === 'with track' ? tracks : null;
      best.set(name, Math.min(best.get(name)!, lookUp(contenders[name], lookups, shown)));
      await nextTurn();
    }
  }
  const folder = await mkdtemp(join(tmpdir(), 'costs-bench-'));
  try {
    say('importing a cost book');
    const book = await importBook(folder, quick ? BOOK_ROWS / 10 : BOOK_ROWS);
    const most = (what: string, value: number, unit: string, limit: number) => ({
      target: `${what}: at most ${limit} ${unit}`,
      measured: `${round(value, 2)} ${unit}`,
      met: value <= limit,
    });
    const base = best.get('without')!;
    const added = (name: keyof typeof contenders) => ((best.get(name)! - base) / CHECK) * 100;
    return {
      title: 'Dates, cost books, prices by distance and tracks',
      rows: names.map((name) => ({
        'look-up': name,
        ns: round(best.get(name)! * 1_000, 0),
        '÷ without': round(best.get(name)! / base, 2),
        '% of a check more': round(Math.max(0, added(name)), 2),
      })),
      targets: [
        most('look-up with dates', best.get('with dates of rows')!, 'µs', 2),
        most('check with dates, more by', added('with dates of rows'), '%', 1),
        most('check with suppliers, more by', added('with a supplier at each place'), '%', 1),
        most('check of a covered place with a network, more by', added('with a network'), '%', 2),
        most('check with track, more by', added('with track'), '%', 1),
        most('import of a cost book', book.first, 's', 10),
        most('import on a live version with the book', book.again, 's', 10),
      ],
      notes: [
        'CPU time, the least of all rounds, which take turns.',
        `The share of a check is of ${CHECK} µs, which the bare server takes: a check takes more.`,
        `The book has ${book.rows.toLocaleString('en-GB')} rows; reading, checking, computing sell prices and compressing are counted.`,
      ],
    };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function catalogueOf({ dated = false, supplied = false }): Catalogue {
  const codes = Array.from({ length: 48 }, (_, i) => `P-${i}`);
  const products = codes.map((code, i) => `${code},Product ${i},1,10,${i + 1}`);
  const zones = Array.from({ length: 40 }, (_, i) => `ZONE-${i}`);
  const prices = zones.flatMap((zone) =>
    codes.flatMap((code, i) => [
      `${code},${zone},standard,${500 - i},GBP,84,,`,
      ...(dated
        ? [
            `${code},${zone},standard,${490 - i},GBP,84,2026-11-01,2026-12-31`,
            `${code},${zone},standard,${510 - i},GBP,84,2027-04-01,`,
          ]
        : []),
    ]),
  );
  const csv = (head: string, rows: readonly string[]) => [head, ...rows, ''].join('\n');
  const { content, faults } = parseCatalogueFiles(
    {
      products: csv(
        'code,name,bandwidth_provisioned_gbps,bandwidth_capacity_gbps,term_months',
        products,
      ),
      prices: csv(
        'product,zone,price_list,price,currency,lead_time_days,valid_from,valid_until',
        prices,
      ),
      coverage: csv(
        'place,zone',
        units().map((unit, i) => `${unit},ZONE-${i % 40}`),
      ),
      ...(supplied && { margins: csv('supplier,products,percent', ['*,*,25']) }),
    },
    supplied
      ? {
          pxc: {
            suppliers: csv('supplier,label,valid_until', ['pxc,PXC,2099-12-31']),
            costs: csv(
              'product,zone,cost,currency,lead_time_days',
              codes.map((code) => `${code},EC,100,GBP,40`),
            ),
            supplierPlaces: csv('place,zone', ['N,EC']),
          },
        }
      : {},
  );
  if (!content) throw new Error(JSON.stringify(faults.shown[0]));
  return new Catalogue(1, effectiveOf(content));
}

/** 20,000 units of N1 to N5. */
function units(): string[] {
  const letters = 'ABDEFGHJLNPQRSTUWXYZ';
  return Array.from({ length: 20_000 }, (_, i) => {
    const inward = i % 4_000;
    const [first, second] = [
      letters[Math.floor(inward / 10) % 20]!,
      letters[Math.floor(inward / 200)]!,
    ];
    return `N${1 + Math.floor(i / 4_000)} ${inward % 10}${first}${second}`;
  });
}

function withNetwork(catalogue: Catalogue): Catalogue {
  const builder = new PositionsBuilder();
  const columns = new PointColumns();
  for (const [i, unit] of units().entries()) {
    const { packed } = parsePostcode(unit) as Postcode;
    const position = { easting: 530_000 + (i % 150) * 20, northing: 180_000 + i };
    builder.add(packed, position);
    columns.add(position, 2, i);
  }
  const positions = builder.build();
  const index = indexParts(columns);
  catalogue.network = new BuildNetwork({ index, positions, factor: 1.3, reach: 5_000 });
  return catalogue;
}

/** Of each product in each zone. */
function tracksOf(catalogue: Catalogue): Promise<Tracks> {
  const zones = catalogue.content.coverage.zones;
  return Tracks.of(
    zones.map((zone) =>
      Array.from({ length: 30 }, (_, i) => ({
        ...{ zone, family: 'P', currency: 'GBP', clientId: `client ${i % 3}` },
        ...{ promisedDays: 84, tookDays: 60 + i, committedDays: null, charged: (i % 2) * 100 },
      })),
    ),
  );
}

/** Microseconds of CPU for what is sold at a covered place, as a check asks for it. */
function lookUp(catalogue: Catalogue, count: number, tracks: Tracks | null): number {
  const random = repeatableRandom(3);
  const packed = Uint32Array.from(units(), (unit) => (parsePostcode(unit) as Postcode).packed);
  const asked = Uint32Array.from(
    { length: 50_000 },
    () => packed[Math.floor(random() * packed.length)]!,
  );
  const at = Date.parse('2026-12-01T12:00:00Z');
  let found = 0;
  const start = cpuSeconds();
  for (let i = 0; i < count; i++) {
    const place = catalogue.withNear({ packed: asked[i % asked.length]!, uprn: null }, at);
    found += catalogue.offersAt(place, 'standard', at).withTracks(tracks).json.text.length;
  }
  const took = cpuSeconds() - start;
  if (found === 0) throw new Error('Nothing was found.');
  return (took / count) * 1e6;
}

/** Seconds of CPU: of the first import, and of one that only has another margin. */
async function importBook(folder: string, rows: number) {
  const places = Math.ceil(rows / 100);
  const files: Readonly<Record<string, string>> = {
    'products.csv': `code,name,bandwidth_provisioned_gbps,bandwidth_capacity_gbps,term_months\n${lines(100, (i) => `P-${i},Product ${i},1,10,12`)}`,
    'prices.csv':
      'product,zone,price_list,price,currency,lead_time_days\nP-0,OWN,standard,500,GBP,84\n',
    'coverage.csv': 'place,zone\nEC2A 2BS,OWN\n',
    'margins.csv': 'supplier,products,percent\n*,*,25\n',
    'suppliers/pxc/supplier.csv': 'supplier,label,valid_until\npxc,PXC,2099-12-31\n',
    'suppliers/pxc/costs.csv': `product,zone,cost,currency,lead_time_days\n${lines(rows, (i) => `P-${i % 100},Z${Math.floor(i / 100)},${100 + (i % 997)}.50,GBP,40`)}`,
    'suppliers/pxc/coverage.csv': `place,zone\n${units()
      .slice(0, places)
      .map((unit, i) => `${unit},Z${i}\n`)
      .join('')}`,
  };
  await mkdir(join(folder, 'suppliers/pxc'), { recursive: true });
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  const first = await measured(folder, null);
  const second = join(folder, 'margin');
  await mkdir(second);
  await writeFile(join(second, 'margins.csv'), 'supplier,products,percent\n*,*,26\n');
  const again = await measured(second, first.content);
  return { rows, first: first.seconds, again: again.seconds };
}

async function measured(path: string, base: CatalogueContent | null) {
  const start = cpuSeconds();
  const { content, faults } = await readCatalogue(path, { base });
  if (!content) throw new Error(JSON.stringify(faults.shown[0]));
  await compileContent(content);
  return { content, seconds: cpuSeconds() - start };
}

function lines(count: number, line: (i: number) => string): string {
  return Array.from({ length: count }, (_, i) => `${line(i)}\n`).join('');
}

function cpuSeconds(): number {
  return process.cpuUsage().user / 1e6;
}
