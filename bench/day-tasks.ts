/** The work of a day that `operator-day.ts` measures beside checks and orders. */
import type { EngineName } from './options.js';

/** Sites of a quote, and rows of a file of delivery updates. */
export const SITES = 2_000;
export const UPDATES = 20_000;
const PDF = 'application/pdf';
export const ALL = 'all of it';

/** What tasks need of the database. */
export interface DayData {
  /** The body of a quote. */
  readonly sites: string;
  /** A file of delivery updates. */
  readonly updates: string;
  /** References of orders. */
  readonly orders: readonly string[];
  /** With the scope of the coverage. */
  readonly coverageToken: string;
  readonly folder: string;
  /** Paths of the quotes that were made. */
  readonly quotes: string[];
}

/** Something that staff, clients or the operator repeat. */
export interface Task {
  readonly name: string;
  /** Seconds from one to the next. */
  readonly every: number;
  readonly run: (day: Day, turn: number) => Promise<unknown>;
}

export interface Day {
  readonly call: Call;
  readonly data: DayData;
  /** Runs a command of the service. */
  readonly command: (...words: string[]) => Promise<unknown>;
  readonly engine: EngineName;
}

/** A body, and headers. */
export interface Sent {
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export type Call = (path: string, sent?: Sent) => Promise<{ readonly body: string }>;

const read = (name: string, every: number, ...paths: readonly string[]): Task => ({
  ...{ name, every },
  run: ({ call }, turn) => call(paths[turn % paths.length]!),
});

const work: readonly Task[] = [
  read('list', 2, '/staff/queue', '/staff/queue?view=open', '/follow-up/orders?view=all&limit=100'),
  read('search', 4, '/follow-up/orders?q=contact4711', '/staff/search?q=N1+1AA'),
];
const reports: readonly Task[] = [
  read('reports page', 3, '/staff/reports'),
  read('report', 2, '/follow-up/reports/overview', '/follow-up/reports/demand'),
  read('map', 3, '/staff/map', '/staff/map/N'),
];
const exportOpen = read('export of open orders', 20, '/follow-up/orders.csv?view=open');
const exportAll = read('export of all orders', 1, '/follow-up/orders.csv?view=all');
/** Of all phases: each publication changes something. */
let publications = 0;
const publication: Task = {
  name: 'publication',
  every: 10,
  async run({ call }) {
    publications += 1;
    const percent = 1 + (publications % 2);
    const volume = `price_list,products,from_lines,percent\nstandard,*,10,${percent}\n`;
    const then = { base: 'live', then: 'activate', accept: 'bench' };
    const { body } = await call('/catalogue/versions', multipart(then, { volume }));
    const { outcome } = JSON.parse(body) as { outcome: string };
    if (outcome !== 'active') throw new Error(`The version was not published: ${body}`);
  },
};

const quotePath = '/product-availability/quote';
const makeQuote: Task = {
  name: `quote of ${SITES} sites`,
  every: 4,
  async run({ call, data }) {
    const headers = { 'content-type': 'application/json' };
    const { body } = await call(quotePath, { body: data.sites, headers });
    const [, id] = /"quoteId":"([^"]+)"/.exec(body)!;
    data.quotes.push(`${quotePath}/${id}`);
  },
};
const readQuote = (name: string, every: number, accept: string, query = ''): Task => ({
  ...{ name: `quote as ${name}`, every },
  async run({ call, data }) {
    const path = data.quotes.at(-1);
    if (path !== undefined) await call(path + query, { headers: { accept } });
  },
});
const quotes: readonly Task[] = [
  makeQuote,
  readQuote('JSON', 1, 'application/json'),
  readQuote('CSV', 2, 'text/csv'),
  readQuote('PDF', 3, PDF),
  readQuote('proposal', 5, PDF, '/proposal?markupPercent=10'),
];
const coverage: Task = {
  name: 'coverage download',
  every: 15,
  run: ({ call, data: { coverageToken } }) => {
    const headers = { authorization: `Bearer ${coverageToken}`, 'accept-encoding': 'gzip' };
    return call('/product-availability/coverage', { headers });
  },
};
const deliveries: Task = {
  name: `delivery file of ${UPDATES} rows`,
  every: 5,
  run: ({ call, data: { updates } }, turn) =>
    call('/staff/delivery-updates', multipart({ updates, then: turn % 2 === 1 ? 'import' : '' })),
};
const erasure: Task = {
  name: 'erasure',
  every: 5,
  run: ({ command, data: { orders } }, turn) => command('orders', 'erase', orders[turn]!),
};
const backup: Task = {
  name: 'backup',
  every: 20,
  async run({ command, engine, data }) {
    // PostgreSQL has its own program for it.
    if (engine === 'sqlite')
      await command('db', 'backup', `${data.folder}/copy-${Date.now()}.sqlite`);
  },
};

/** The work beside the checks and orders; idle times are between them. Retention runs five minutes after the start. */
export const phases: readonly { readonly name: string; readonly tasks: readonly Task[] }[] = [
  { name: 'lists and searches', tasks: work },
  { name: 'reports and maps', tasks: reports },
  { name: 'exports', tasks: [exportAll] },
  { name: 'publications', tasks: [publication] },
  { name: 'quotes', tasks: quotes },
  { name: 'coverage and delivery files', tasks: [coverage, deliveries] },
  { name: 'erasure and backup', tasks: [erasure, backup] },
  {
    name: ALL,
    tasks: [
      ...[...work, ...reports, ...quotes, exportOpen, erasure],
      ...[publication, deliveries, coverage, backup].map((task) => ({ ...task, every: 30 })),
    ],
  },
];

/** What a browser says of a form on a page of the service. */
export const OWN_PAGE = { 'sec-fetch-site': 'same-origin' };

/** A form with fields and CSV files. */
function multipart(
  fields: Readonly<Record<string, string>>,
  files: Readonly<Record<string, string>> = {},
): Sent {
  const boundary = 'operator-day';
  const part = (about: string, text: string) =>
    `--${boundary}\r\nContent-Disposition: form-data; ${about}\r\n\r\n${text}\r\n`;
  const parts = [
    ...Object.entries(fields).map(([name, value]) => part(`name="${name}"`, value)),
    ...Object.entries(files).map(([name, text]) =>
      part(`name="${name}"; filename="${name}.csv"`, text),
    ),
  ];
  const headers = { 'content-type': `multipart/form-data; boundary=${boundary}` };
  return { body: `${parts.join('')}--${boundary}--\r\n`, headers };
}
