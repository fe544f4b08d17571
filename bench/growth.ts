import { execFile } from 'node:child_process';
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type GrowthCosts, type GrowthFill, type GrowthPlan, measured } from './growth-plan.js';
import { type BenchOptions, type Report, round, type Target } from './options.js';
import {
  command,
  type Environment,
  fillOrders,
  issueToken,
  withFolder,
} from './service-fixture.js';

/** How much there is of each thing; each then grows tenfold alone. */
const SIZES = { products: 100, clients: 1_000, priceLists: 20, quotes: 1_000, orders: 25_000 };
type GrowingThing = keyof typeof SIZES;
const TIMES = 10;
/** Products of the other zone, which do not grow. */
const FEW = 10;
/** A cost may grow as much as the size, and a little for what the machine adds. */
const LINEAR = 1.05;
/** What counts as flat. */
const FLAT = 0.1;
/** Covered postcodes. */
const UNITS = 10_000;
const CHANGES = 3;

const environment: Environment = {
  ...{ NODE_ENV: 'production', PUBLIC_URL: 'http://localhost:3000', LOG_LEVEL: 'error' },
  ...{ SALES_CONTACT: 'sales@example.net', ALLOW_INSECURE: 'no-rate-limits' },
  OPEN_REQUESTS: '10000000',
};

/** What a check, an order, lists, a search, a start, memory and a publication cost, as each of the sizes grows. */
export async function run(options: BenchOptions): Promise<Report> {
  return withFolder(async (folder) => {
    const part = options.quick ? 10 : 1;
    const sizes = { ...SIZES, orders: SIZES.orders / part };
    const costsOf = async (name: string, of: typeof SIZES, base?: Grown) => {
      const grown = await grow(join(folder, name), of, options.postcodes, base);
      const found = await costs(grown, options.postcodes);
      options.say(`${name}: ${JSON.stringify(found)}`);
      return { grown, found };
    };
    const { grown: base, found: small } = await costsOf('small', sizes);
    const rows: Record<string, string | number>[] = [rowOf('all small', small)];
    const targets: Target[] = [];
    for (const thing of Object.keys(SIZES) as GrowingThing[]) {
      const of = { ...sizes, [thing]: sizes[thing] * TIMES };
      const { found: large } = await costsOf(thing, of, thing === 'orders' ? undefined : base);
      rows.push(rowOf(`${TIMES} times the ${thing}`, large));
      const exponents = Object.fromEntries(
        measured.map((what) => [what, Math.log(large[what] / small[what]) / Math.log(TIMES)]),
      ) as unknown as GrowthCosts;
      rows.push(rowOf(`exponents by ${thing}`, exponents));
      const steepest = measured.toSorted((a, b) => exponents[b] - exponents[a])[0]!;
      targets.push(
        exponentTarget(`${thing}: nothing above linear`, steepest, exponents, LINEAR),
        exponentTarget(`${thing}: a check is flat`, 'check', exponents, FLAT),
      );
    }
    return {
      title: `Growth: what ${TIMES} times as much costs, SQLite`,
      rows,
      targets,
      notes: [
        'Microseconds of processor time of a call; milliseconds of a start (without loading the code) and of a publication; MB of heap and buffers.',
        `Small: ${Object.entries(sizes)
          .map(([thing, size]) => `${size} ${thing}`)
          .join(', ')}. "own" is a check of a place with all products.`,
      ],
    };
  });
}

function exponentTarget(
  target: string,
  what: (typeof measured)[number],
  exponents: GrowthCosts,
  most: number,
): Target {
  const exponent = exponents[what];
  return {
    ...{ target: `${target}: exponent at most ${most}`, met: exponent <= most },
    measured: `${round(exponent, 2)} (${what})`,
  };
}

function rowOf(what: string, costs: GrowthCosts): Record<string, string | number> {
  return { what, ...Object.fromEntries(measured.map((name) => [name, round(costs[name], 2)])) };
}

/** A database with as much of each thing, as the service was when it stopped. */
interface Grown {
  readonly folder: string;
  readonly environment: Environment & { readonly SQLITE_FILE: string };
  readonly token: string;
  readonly sizes: typeof SIZES;
}

/** @param base is copied, and only what is missing is added: to fill it again would take longer than to measure */
async function grow(
  folder: string,
  sizes: typeof SIZES,
  postcodes: readonly string[],
  base?: Grown,
): Promise<Grown> {
  mkdirSync(folder, { recursive: true });
  const own = { ...environment, SQLITE_FILE: join(folder, 'bench.sqlite') };
  if (base) copyFileSync(base.environment.SQLITE_FILE, own.SQLITE_FILE);
  const hasCatalogue =
    base?.sizes.products === sizes.products && base.sizes.priceLists === sizes.priceLists;
  if (!hasCatalogue) {
    const files = join(folder, 'catalogue');
    writeCatalogue(files, sizes.products, sizes.priceLists, postcodes.slice(0, UNITS));
    await command(own, 'catalogue', 'import', files);
  }
  if (!base) {
    const contact = ['--contact', 'Bench', '--email', 'bench@example.com', '--phone', '+440000'];
    await command(own, 'clients', 'add', 'Bench', ...contact);
    await fillOrders(sizes.orders, own);
  }
  const token = base?.token ?? (await issueToken(own));
  const { clients, quotes } = base?.sizes ?? { clients: 1, quotes: 1 };
  const more = { clients: sizes.clients - clients, quotes: sizes.quotes - quotes };
  if (more.clients + more.quotes > 0) await inService(more, own);
  return { folder, environment: own, token, sizes };
}

/** Measures a copy: the orders that are placed and the versions that are published are not kept. */
async function costs(
  { folder, environment: own, token, sizes }: Grown,
  postcodes: readonly string[],
): Promise<GrowthCosts> {
  const copy = { ...own, SQLITE_FILE: join(folder, 'measured.sqlite') };
  copyFileSync(own.SQLITE_FILE, copy.SQLITE_FILE);
  const { products, priceLists } = sizes;
  const plan: GrowthPlan = {
    token,
    postcodes: { few: postcodes[0]!, many: postcodes[1]! },
    product: codeOf('FEW', 0),
    changes: Array.from({ length: CHANGES }, (_, n) => {
      const change = join(folder, `change-${n}`);
      writeCatalogue(change, products, priceLists, postcodes.slice(0, UNITS), n + 1);
      return change;
    }),
  };
  const text = await inService(plan, copy);
  return JSON.parse(text.trim().split('\n').at(-1)!) as GrowthCosts;
}

async function inService(plan: GrowthPlan | GrowthFill, own: Environment): Promise<string> {
  const script = fileURLToPath(new URL('./growth-measure.js', import.meta.url));
  const env = { ...process.env, ...own };
  const words = [script, JSON.stringify(plan)];
  return (await promisify(execFile)(process.execPath, words, { env })).stdout;
}

const codeOf = (kind: 'FEW' | 'MANY', n: number) => `${kind}-${n}-12`;

/** Two zones by turns: one has few products, the other all; each further price list has prices of the few. */
function writeCatalogue(
  folder: string,
  count: number,
  priceLists: number,
  postcodes: readonly string[],
  raise = 0,
): void {
  mkdirSync(folder, { recursive: true });
  const few = Array.from({ length: FEW }, (_, n) => codeOf('FEW', n));
  const many = Array.from({ length: count }, (_, n) => codeOf('MANY', n));
  const lists = ['standard', ...Array.from({ length: priceLists - 1 }, (_, n) => `list-${n}`)];
  const write = (name: string, header: string, rows: readonly string[]) =>
    writeFileSync(join(folder, name), `${header}\n${rows.join('\n')}\n`);
  write(
    'products.csv',
    'code,name,bandwidth_provisioned_gbps,bandwidth_capacity_gbps,term_months',
    [...few, ...many].map((code, n) => `${code},Internet ${n},${1 + (n % 10)},10,12`),
  );
  write('prices.csv', 'product,zone,price_list,price,currency,lead_time_days', [
    ...lists.flatMap((list) => few.map((code) => `${code},FEW,${list},${500 + raise}.00,GBP,30`)),
    ...many.map((code) => `${code},MANY,standard,600.00,GBP,30`),
  ]);
  const zoned = postcodes.map((postcode, n) => `${postcode},${n % 2 === 0 ? 'FEW' : 'MANY'}`);
  write('coverage.csv', 'place,zone', zoned);
}
