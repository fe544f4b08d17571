import { Command, InvalidArgumentError } from 'commander';
import { readFileSync } from 'node:fs';
import { cpus, release, totalmem } from 'node:os';
import { gunzipSync } from 'node:zlib';
import { engineOf, type EngineName, type Report, type Scenario } from './options.js';
import { printReport } from './print.js';

/** Every scenario, by its name in `npm run bench <name>`. */
const scenarios: Readonly<
  Record<string, { what: string; load: () => Promise<{ run: Scenario }> }>
> = {
  check: {
    what: 'the postcode check beside bare servers that send the same bytes',
    load: () => import('./check.js'),
  },
  size: {
    what: 'the check with 1,000 and with 1.75 million covered units',
    load: () => import('./size.js'),
  },
  growth: {
    what: 'what a check, an order, lists, a start and a publication cost with ten times as much of each thing',
    load: () => import('./growth.js'),
  },
  orders: {
    what: "orders a second beside the engine's bare durable insert",
    load: () => import('./orders.js'),
  },
  instances: {
    what: 'one, two and three instances on one PostgreSQL: what a check and an order cost each part',
    load: () => import('./instances.js'),
  },
  mixed: {
    what: 'checks with 5 % orders among them, and what the slowest wait',
    load: () => import('./mixed.js'),
  },
  messages: {
    what: 'how long a message of a client waits beside 200 orders a second',
    load: () => import('./messages.js'),
  },
  start: {
    what: 'time from start to ready, and idle memory, with the national catalogue',
    load: () => import('./start.js'),
  },
  catalogue: {
    what: 'import, load, swap, look-up and diff of the national catalogue, beside plain rows',
    load: () => import('./catalogue.js'),
  },
  premises: {
    what: 'memory, load, look-up and import of 1,000,000 listed premises, also with constraints',
    load: () => import('./premises.js'),
  },
  'near-net': {
    what: 'memory, load and look-up of a network of 1,750,000 points',
    load: () => import('./near-net.js'),
  },
  map: {
    what: 'the import of a map of 10,000 polygons over the national register, equal to brute force',
    load: () => import('./map.js'),
  },
  costs: {
    what: 'what dates, suppliers, a network and tracks add to a look-up, and the import of a cost book',
    load: () => import('./costs.js'),
  },
  quotes: {
    what: 'quotes of 500 and 2,000 sites, and checks beside them',
    load: () => import('./quotes.js'),
  },
  coverage: {
    what: 'downloads of the national coverage and of its changes: memory, bytes, and checks beside them',
    load: () => import('./coverage.js'),
  },
  watches: {
    what: '1,000,000 open watches against a change of the national catalogue',
    load: () => import('./watches.js'),
  },
  deliveries: {
    what: 'the import of 50,000 updates of deliveries',
    load: () => import('./deliveries.js'),
  },
  'operator-day': {
    what: 'checks and orders beside all other work of a day, and what holds the event loop',
    load: () => import('./operator-day.js'),
  },
  'follow-up': {
    what: 'the queue with 1,000,000 orders on each engine: lists, search, take next, export, reports',
    load: () => import('./follow-up.js'),
  },
  pages: {
    what: "the queue's pages over 1,000,000 orders: server time, bytes, first paint in Chromium",
    load: () => import('./pages.js'),
  },
};

const SAMPLE = 'test/fixtures/postcodes-sample.txt';

interface Flags {
  json: boolean;
  quick: boolean;
  rounds?: number;
  seconds?: number;
  postcodes: string;
  databaseUrl?: string;
  engine?: EngineName;
  orders?: number;
  keys: boolean;
  checks: boolean;
  profile?: string;
}

const program = new Command('npm run bench --')
  .description('Measures the service beside bare servers that do the same work.')
  .argument('[scenario...]', 'which; all of them by default')
  .option('--json', 'print JSON instead of tables', false)
  .option('--quick', 'short rounds, to see that everything runs', false)
  .option('--rounds <n>', 'how often the contenders take turns', wholeNumber)
  .option(
    '--seconds <n>',
    'how long each is loaded in a round, and the day of operator-day',
    wholeNumber,
  )
  .option('--postcodes <file>', 'real postcodes, one a line, .gz or plain', SAMPLE)
  .option('--database-url <url>', 'a PostgreSQL server to use instead of a temporary one')
  .option(
    '--engine <name>',
    'orders, mixed, messages, follow-up, operator-day: sqlite or postgres only',
    oneEngine,
  )
  .option(
    '--orders <n>',
    'follow-up, pages, operator-day: orders in the queue, from 250,000 on',
    manyOrders,
  )
  .option('--keys', 'orders: each has an Idempotency-Key, as clients should send', false)
  .option('--checks', 'orders: each cites a check', false)
  .option('--profile <folder>', "write the service's CPU profiles there")
  .addHelpText(
    'after',
    `\nScenarios:\n${Object.entries(scenarios)
      .map(([name, { what }]) => `  ${name.padEnd(14)}${what}`)
      .join('\n')}`,
  )
  .action(async (names: string[], flags: Flags) => {
    const unknown = names.filter((name) => !Object.hasOwn(scenarios, name));
    if (unknown.length > 0) {
      program.error(`Unknown: ${unknown.join(', ')}. Known: ${Object.keys(scenarios).join(', ')}.`);
    }
    const reports: Report[] = [];
    for (const name of names.length > 0 ? names : Object.keys(scenarios)) {
      const { run } = await scenarios[name]!.load();
      const report = await run({
        quick: flags.quick,
        rounds: flags.rounds ?? (flags.quick ? 1 : 3),
        seconds: flags.seconds ?? (flags.quick ? 1 : 2),
        postcodes: readPostcodes(flags.postcodes),
        databaseUrl: flags.databaseUrl,
        engine: flags.engine,
        orders: flags.orders,
        keys: flags.keys,
        checks: flags.checks,
        profile: flags.profile,
        say: (line) => process.stderr.write(`${name}: ${line}\n`),
      });
      for (const part of 'title' in report ? [report] : report) {
        reports.push(part);
        if (!flags.json) printReport(part);
      }
    }
    if (flags.json) console.log(JSON.stringify({ machine: machine(), reports }, null, 2));
    else console.log(`\n${machine()}`);
  });

function wholeNumber(text: string): number {
  if (/^[1-9]\d{0,3}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('Must be a whole number from 1 to 9999.');
}

function manyOrders(text: string): number {
  if (/^\d{6,8}$/.test(text) && Number(text) >= 250_000) return Number(text);
  throw new InvalidArgumentError('Must be a whole number from 250000 to 99999999.');
}

function oneEngine(text: string): EngineName | undefined {
  try {
    return engineOf(text);
  } catch (error) {
    throw new InvalidArgumentError((error as Error).message);
  }
}

function readPostcodes(file: string): string[] {
  const bytes = readFileSync(file);
  const text = (file.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('latin1');
  const lines = text.split('\n').map((line) => line.trim());
  return lines.filter((line) => line !== '' && !line.startsWith('#'));
}

function machine(): string {
  const [cpu] = cpus();
  const memory = Math.round(totalmem() / 2 ** 30);
  return `${cpus().length} cores ${cpu?.model ?? 'unknown'}, ${memory} GB, Linux ${release()}, Node ${process.version}, ${new Date().toISOString().slice(0, 10)}`;
}

await program.parseAsync();
