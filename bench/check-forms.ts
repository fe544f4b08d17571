import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AvailabilityResult } from '../src/availability/availability.dto.js';
import { Catalogue } from '../src/catalogue/content/catalogue.js';
import { FIRST_ZONE_NUMBER } from '../src/catalogue/content/coverage-codec.js';
import { effectiveOf } from '../src/catalogue/content/cost-books.js';
import { parseCatalogueFiles } from '../src/catalogue/content/files/csv-reader.js';
import { type Generator, Server } from './children.js';
import { type LoadRequest, refuseWrong } from './load-plan.js';
import { type BenchOptions, median, type Report, round } from './options.js';
import { addClient, fillService, pathOf, startService } from './service-fixture.js';

const CONNECTIONS = 32;
/** Checks until V8 has compiled what they need: the first 10,000 cost twice as much as those after 40,000. */
const WARM = 60_000;
const PRODUCTS = 48;
const ZONES = 50;
const PRICE_LISTS = 20;
/** MB of the kept answers of that catalogue. */
const MOST_KEPT = 25;

/** How programs ask: Go, requests, axios and fetch send the second. */
const forms = { 'as curl asks': '', 'as programs ask': 'Accept-Encoding: gzip, deflate, br\r\n' };
type Form = keyof typeof forms;

interface FormCase extends Readonly<Record<Form, number>> {
  readonly path: string;
  readonly products: number;
  /** By a client with a derived price list. */
  readonly isListed?: boolean;
}

const sold = { products: PRODUCTS, 'as curl asks': 1.6, 'as programs ask': 1.7 };
/** The most that a check may cost, for one of the raw server's uncompressed answer. */
const cases: Readonly<Record<string, FormCase>> = {
  '48 products': { path: pathOf('EC2A 2BS'), ...sold },
  'no products': {
    path: pathOf('AB10 1AB'),
    products: 0,
    'as curl asks': 1.5,
    'as programs ask': 1.5,
  },
  '48 on another price list': { path: pathOf('EC2A 0BA'), isListed: true, ...sold },
  '48 with dates': { path: pathOf('EC2A 0BB'), ...sold },
  '48 near the network': { path: pathOf('EC2A 9BB'), ...sold },
  '48 at premises': {
    path: '/product-availability/premises/100023336956?postcode=EC2A%202BS',
    ...sold,
  },
};

/** Processor time of checks in the forms in which programs ask, in turns with a raw server that sends the same JSON uncompressed. */
export async function measureForms(
  options: BenchOptions,
  folder: string,
  generator: Generator,
  keep: (server: Server) => Server,
): Promise<Report> {
  const catalogue = join(folder, 'forms');
  mkdirSync(catalogue);
  for (const [name, text] of Object.entries(catalogueFiles(2, 2))) {
    const file = name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    writeFileSync(join(catalogue, `${file}.csv`), text);
  }
  const positions = join(folder, 'positions.csv');
  writeFileSync(
    positions,
    'postcode,easting,northing\nEC2A 2BS,533000,182000\nEC2A 9BB,533040,182000\n',
  );
  const settings = { SQLITE_FILE: join(folder, 'forms.sqlite'), NEAR_NET: 'all' };
  const fixture = await fillService(
    { folder: catalogue, units: 1, asked: [] },
    settings,
    positions,
  );
  const listed = await addClient(fixture.environment, 'Listed', '--price-list', 'list-0');
  const tokenOf = ({ isListed }: FormCase) => (isListed ? listed : fixture.token);
  const service = keep(await startService(fixture, 'the check'));
  const answers = join(folder, 'forms.json');
  writeFileSync(answers, JSON.stringify(await answersOf(tokenOf, service.port)));
  const raw = keep(
    await Server.start('raw node:http', './servers/raw.js', { BENCH_ANSWERS: answers }),
  );
  let warm = options.quick ? 1 : WARM;
  const rows = [];
  const targets = [];
  // Checks of one kind after another: a round of a second is long enough.
  const duration = Math.ceil(options.seconds / 2);
  for (const [name, asked] of Object.entries(cases)) {
    options.say(`in each form: ${name}`);
    const token = tokenOf(asked);
    const contenders = [
      { form: 'raw', server: raw, requests: requestsIn(folder, token, asked.path, '') },
      ...Object.entries(forms).map(([form, header]) => ({
        form,
        server: service,
        requests: requestsIn(folder, token, asked.path, header),
      })),
    ].map((one) => ({ ...one, cpu: [] as number[] }));
    const load = async ({ server, requests }: (typeof contenders)[0]) => {
      const before = server.cpuSeconds;
      const plan = { port: server.port, connections: CONNECTIONS, duration, requests };
      const result = await generator.load(plan);
      refuseWrong(server.name, result);
      const { count } = result.kinds.check!;
      return { count, cpu: ((server.cpuSeconds - before) * 1e6) / count };
    };
    for (const one of contenders) {
      for (let count = 0; count < warm;) count += (await load(one)).count;
    }
    warm = 1;
    for (let turn = 0; turn < options.rounds; turn += 1) {
      for (const one of turn % 2 ? contenders : contenders.toReversed()) {
        one.cpu.push((await load(one)).cpu);
      }
    }
    const [bare, ...checks] = contenders as [(typeof contenders)[0], ...typeof contenders];
    for (const { form, cpu } of checks) {
      const ratio = median(cpu.map((one, i) => one / bare.cpu[i]!));
      rows.push({
        ...{ check: `${name}, ${form}`, 'CPU µs': round(median(cpu), 1) },
        ...{ 'raw µs': round(median(bare.cpu), 1), '÷ raw': round(ratio, 2) },
      });
      targets.push({
        target: `${name}, ${form}: at most ${asked[form as Form]} times the raw server`,
        measured: String(round(ratio, 2)),
        met: ratio <= asked[form as Form],
      });
    }
  }
  const kept = keptMegabytes();
  targets.push({
    target: `compressed answers of ${ZONES} zones and ${PRICE_LISTS} price lists: at most ${MOST_KEPT} MB`,
    measured: `${round(kept, 1)} MB`,
    met: kept <= MOST_KEPT,
  });
  return {
    title: 'The check, as programs ask',
    rows,
    targets,
    notes: [
      'Processor time of the server for each answer; medians of rounds that take turns. The raw server sends the same JSON uncompressed.',
    ],
  };
}

/** The catalogue's files, with every product in every zone on every list. */
function catalogueFiles(zones: number, priceLists: number) {
  const csv = (head: string, rows: readonly string[]) => [head, ...rows, ''].join('\n');
  const codes = Array.from({ length: PRODUCTS }, (_, i) => `INT-${i + 1}G-12`);
  const zone = (i: number) => `ZONE-${i}`;
  // From and until; every second zone has a later price, too.
  const datesOf = (i: number) => (i % 2 === 1 ? [',2099-12-31', '2100-01-01,'] : [',']);
  return {
    products: csv(
      'code,name,bandwidth_provisioned_gbps,bandwidth_capacity_gbps,term_months',
      codes.map((code, i) => `${code},${i + 1}G Internet on a 100G bearer,${i + 1},100,12`),
    ),
    prices: csv(
      'product,zone,price_list,price,currency,lead_time_days,valid_from,valid_until',
      Array.from({ length: zones }, (_, i) =>
        codes.flatMap((code, j) =>
          datesOf(i).map(
            (dates) => `${code},${zone(i)},standard,${500 + i + 7 * j}.50,GBP,84,${dates}`,
          ),
        ),
      ).flat(),
    ),
    priceLists: csv(
      'price_list,based_on,percent,round_to',
      Array.from({ length: priceLists - 1 }, (_, i) => `list-${i},standard,-${i + 1},0.50`),
    ),
    coverage: csv(
      'place,zone',
      Array.from({ length: zones }, (_, i) => `EC2A ${Math.floor(i / 10)}B${'ABDEFGHJLN'[i % 10]}`)
        .concat('EC2A 2BS')
        .map((place, i) => `${place},${zone(i % zones)}`),
    ),
    networkPoints: csv('point,easting,northing,zone', ['CH-1,533000,182000,ZONE-0']),
    buildBands: csv('zone,to_metres,add_setup,add_lead_time_days,basis,products', [
      '*,500,950.00,14,subjectToSurvey,*',
    ]),
    premises: csv('uprn,postcode,name,zone', ['100023336956,EC2A 2BS,Finsbury Tower,ZONE-0']),
  };
}

function requestsIn(folder: string, token: string, path: string, header: string): string {
  const text = `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${token}\r\n${header}\r\n`;
  const request: LoadRequest = { kind: 'check', text, status: 200 };
  const file = join(folder, `form-${path.replaceAll(/\W/g, '-')}-${header.length}.json`);
  writeFileSync(file, JSON.stringify([request]));
  return file;
}

/** The bytes for the raw server. @throws {Error} if a compressed answer is not the uncompressed one */
async function answersOf(tokenOf: (asked: FormCase) => string, port: number) {
  const nodes = new Set(['date', 'connection', 'keep-alive', 'content-length', 'vary']);
  const answers: Record<string, string> = {};
  let headers: string[] = [];
  const ask = (asked: FormCase, encoding: string) =>
    fetch(`http://127.0.0.1:${port}${asked.path}`, {
      headers: { Authorization: `Bearer ${tokenOf(asked)}`, 'Accept-Encoding': encoding },
    });
  const comparable = (text: string) => text.replaceAll(/"(?:id|validUntil)":"[^"]+"/g, '');
  for (const asked of Object.values(cases)) {
    const { path } = asked;
    const plain = await ask(asked, 'identity');
    const text = (answers[path] = await plain.text());
    headers = [...plain.headers].filter(([name]) => !nodes.has(name)).flat();
    const packed = await (await ask(asked, 'gzip')).text();
    if (comparable(packed) !== comparable(text)) throw new Error(`${path} differs by gzip.`);
    const { length } = (JSON.parse(text) as AvailabilityResult).availableProducts;
    if (length !== asked.products) throw new Error(`${path} has ${length} products.`);
  }
  return { headers, answers };
}

/** Memory of all answers' products and of their compressed blocks, at every price list. */
function keptMegabytes(): number {
  const { content, faults } = parseCatalogueFiles(catalogueFiles(ZONES, PRICE_LISTS));
  if (!content) throw new Error(JSON.stringify(faults.shown[0]));
  const catalogue = new Catalogue(1, effectiveOf(content));
  let bytes = 0;
  for (const priceList of catalogue.priceLists) {
    for (const [i] of content.coverage.zones.entries()) {
      const { json } = catalogue.offersInZone(i + FIRST_ZONE_NUMBER, priceList, 0);
      const { blocks, crcOfBit } = json.deflated;
      bytes += json.text.length + blocks.length + crcOfBit.byteLength;
    }
  }
  return bytes / 1e6;
}
