import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Catalogue } from '../src/catalogue/content/catalogue.js';
import { FIRST_ZONE_NUMBER } from '../src/catalogue/content/coverage-codec.js';
import { effectiveOf } from '../src/catalogue/content/cost-books.js';
import { parseCatalogueFiles } from '../src/catalogue/content/files/csv-reader.js';
import { type Generator, Server } from './children.js';
import { type LoadRequest, refuseWrong } from './load-plan.js';
import { type BenchOptions, median, type Report, round } from './options.js';
import { fillService, pathOf, type ServiceFixture, startService } from './service-fixture.js';

const CONNECTIONS = 32;
/** Answers until V8 has compiled what a check needs. On a busy machine, that takes longer than a round. */
const WARM = 30_000;
const PRODUCTS = 48;
const ZONES = 50;
const PRICE_LISTS = 20;
/** MB of the kept answers of that catalogue. */
const MOST_KEPT = 25;

/** How programs ask: Go, requests, axios and fetch send the second. */
const forms = { 'as curl asks': '', 'as programs ask': 'Accept-Encoding: gzip, deflate, br\r\n' };
type Form = keyof typeof forms;

/** The most that a check may cost, for one of the raw server's uncompressed answer. */
const cases: Readonly<Record<string, { path: string } & Readonly<Record<Form, number>>>> = {
  '48 products': { path: pathOf('EC2A 2BS'), 'as curl asks': 1.6, 'as programs ask': 1.7 },
  'no products': { path: pathOf('AB10 1AB'), 'as curl asks': 1.5, 'as programs ask': 1.5 },
  '48 products at premises': {
    path: '/product-availability/premises/100023336956?postcode=EC2A%202BS',
    'as curl asks': 1.6,
    'as programs ask': 1.7,
  },
};

/** Processor time of checks in the forms in which programs ask, in turns with a raw server that sends the same JSON uncompressed. */
export async function measureForms(
  options: BenchOptions,
  folder: string,
  generator: Generator,
  keep: (server: Server) => Server,
): Promise<Report> {
  const files = catalogueFiles(1, 1);
  const catalogue = join(folder, 'forms');
  mkdirSync(catalogue);
  for (const [name, text] of Object.entries(files)) {
    writeFileSync(join(catalogue, `${name.replace('priceLists', 'price_lists')}.csv`), text);
  }
  const fixture = await fillService(
    { folder: catalogue, units: 1, asked: [] },
    {
      SQLITE_FILE: join(folder, 'forms.sqlite'),
    },
  );
  const service = keep(await startService(fixture, 'the check'));
  const answers = join(folder, 'forms.json');
  writeFileSync(answers, JSON.stringify(await answersOf(fixture, service.port)));
  const raw = keep(
    await Server.start('raw node:http', './servers/raw.js', { BENCH_ANSWERS: answers }),
  );
  const rows = [];
  const targets = [];
  for (const [name, { path, ...most }] of Object.entries(cases)) {
    options.say(`in each form: ${name}`);
    const contenders = [
      { form: 'raw', server: raw, requests: requestsIn(folder, fixture, path, '') },
      ...Object.entries(forms).map(([form, header]) => ({
        ...{ form, server: service },
        requests: requestsIn(folder, fixture, path, header),
      })),
    ].map((one) => ({ ...one, cpu: [] as number[] }));
    const load = async ({ server, requests }: (typeof contenders)[0]) => {
      const before = server.cpuSeconds;
      const duration = options.seconds;
      const plan = { port: server.port, connections: CONNECTIONS, duration, requests };
      const result = await generator.load(plan);
      refuseWrong(server.name, result);
      const { count } = result.kinds.check!;
      return { count, cpu: ((server.cpuSeconds - before) * 1e6) / count };
    };
    for (const one of contenders) {
      for (let warm = 0; warm < (options.quick ? 1 : WARM);) warm += (await load(one)).count;
    }
    for (let turn = 0; turn < options.rounds; turn += 1) {
      for (const one of turn % 2 ? contenders : contenders.toReversed()) {
        one.cpu.push((await load(one)).cpu);
      }
    }
    const [bare, ...asked] = contenders as [(typeof contenders)[0], ...typeof contenders];
    for (const { form, cpu } of asked) {
      const ratio = median(cpu.map((one, i) => one / bare.cpu[i]!));
      rows.push({
        ...{ check: `${name}, ${form}`, 'CPU µs': round(median(cpu), 1) },
        ...{ 'raw µs': round(median(bare.cpu), 1), '÷ raw': round(ratio, 2) },
      });
      targets.push({
        target: `${name}, ${form}: at most ${most[form as Form]} times the raw server`,
        measured: String(round(ratio, 2)),
        met: ratio <= most[form as Form],
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
  return {
    products: csv(
      'code,name,bandwidth_provisioned_gbps,bandwidth_capacity_gbps,term_months',
      codes.map((code, i) => `${code},${i + 1}G Internet on a 100G bearer,${i + 1},100,12`),
    ),
    prices: csv(
      'product,zone,price_list,price,currency,lead_time_days',
      Array.from({ length: zones }, (_, i) =>
        codes.map((code, j) => `${code},${zone(i)},standard,${500 + i + 7 * j}.50,GBP,84`),
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
    premises: csv('uprn,postcode,name,zone', ['100023336956,EC2A 2BS,Finsbury Tower,ZONE-0']),
  };
}

function requestsIn(
  folder: string,
  { token }: ServiceFixture,
  path: string,
  header: string,
): string {
  const text = `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${token}\r\n${header}\r\n`;
  const request: LoadRequest = { kind: 'check', text, status: 200 };
  const file = join(folder, `form-${path.length}-${header.length}.json`);
  writeFileSync(file, JSON.stringify([request]));
  return file;
}

/** The bytes for the raw server. @throws {Error} if a compressed answer is not the uncompressed one */
async function answersOf({ token }: ServiceFixture, port: number) {
  const nodes = new Set(['date', 'connection', 'keep-alive', 'content-length', 'vary']);
  const answers: Record<string, string> = {};
  let headers: string[] = [];
  const ask = (path: string, encoding: string) =>
    fetch(`http://127.0.0.1:${port}${path}`, {
      headers: { Authorization: `Bearer ${token}`, 'Accept-Encoding': encoding },
    });
  const comparable = (text: string) => text.replaceAll(/"(?:id|validUntil)":"[^"]+"/g, '');
  for (const { path } of Object.values(cases)) {
    const plain = await ask(path, 'identity');
    const text = (answers[path] = await plain.text());
    headers = [...plain.headers].filter(([name]) => !nodes.has(name)).flat();
    const packed = await (await ask(path, 'gzip')).text();
    if (comparable(packed) !== comparable(text)) throw new Error(`${path} differs by gzip.`);
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
