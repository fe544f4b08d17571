import http from 'node:http';
import { join } from 'node:path';
import { type BrowserContext, chromium } from 'playwright-core';
import { startChromium } from '../test/support/chromium.js';
import { Server } from './children.js';
import { type BenchOptions, median, type Report, round, type Target } from './options.js';
import {
  fillOrders,
  importFilledCatalogue,
  openSession,
  withApp,
  withFolder,
} from './service-fixture.js';

const ORDERS = 1_000_000;
/** Requests for the 99th percentile, and for the warm-up. */
const CALLS = 1_000;
const WARM_UP = 200;
/** Page views in the browser. */
const VIEWS = 9;
/** The CPU slowdown of the browser. */
const SLOWER = 4;

/** Notes in the timeline of the order whose page is measured. */
const NOTES = 12;

const lists = [
  { name: 'waiting', path: '/staff/queue' },
  { name: 'mine', path: '/staff/queue?view=mine' },
  { name: 'late', path: '/staff/queue?view=late' },
  { name: 'all open', path: '/staff/queue?view=open' },
] as const;

/** The queue's pages of 50 rows and the page of an order, over a million orders on SQLite: server, transfer, first paint. */
export async function run(options: BenchOptions): Promise<Report> {
  const orders = options.orders ?? (options.quick ? 250_000 : ORDERS);
  return withFolder(async (folder) => {
    const environment = {
      SQLITE_FILE: join(folder, 'bench.sqlite'),
      STALE_CLAIM_HOURS: '0',
      NODE_ENV: 'production',
      HOST: '127.0.0.1',
      OPS_PORT: 'off',
      LOG_LEVEL: 'error',
      PUBLIC_URL: 'http://localhost:3000',
      SALES_CONTACT: 'sales@example.net',
      ALLOW_INSECURE: 'no-rate-limits',
    };
    options.say(`making ${orders} orders`);
    const staffId = await fillOrders(orders, environment);
    await importFilledCatalogue(folder, environment);
    const cookie = await withApp(environment, (app) => openSession(app, staffId));
    const server = await Server.start('the pages', '../src/main.js', {
      ...environment,
      LOG_LEVEL: 'info',
    });
    try {
      return await measure(server, cookie, orders, options);
    } finally {
      await server.stop();
    }
  });
}

async function measure(
  server: Server,
  cookie: string,
  orders: number,
  { say }: BenchOptions,
): Promise<Report> {
  const rows: Record<string, string | number>[] = [];
  const targets: Target[] = [];
  const hold = (target: string, value: number, unit: string, most: number) =>
    targets.push({ target, measured: `${value} ${unit}`, met: value <= most });
  const browser = await openBrowser();
  try {
    const pages = [...lists, { name: 'an order', path: await busyOrder(server.port, cookie) }];
    for (const { name, path } of pages) {
      say(name);
      const { times, bytes } = await ask(server.port, path, cookie);
      const p50 = round(percentile(times, 0.5), 1);
      const p99 = round(percentile(times, 0.99), 1);
      const row = {
        page: name,
        'server p50 ms': p50,
        'server p99 ms': p99,
        'page kB': bytes / 1e3,
      };
      hold(`${name}: server time p99 at most 20 ms`, p99, 'ms', 20);
      if (!browser) {
        rows.push(row);
        continue;
      }
      const views = await view(browser.context, server.port, path, cookie);
      const transferred = round(views.repeatedBytes / 1e3, 1);
      const paint = round(views.paint);
      rows.push({
        ...row,
        'first view kB': round(views.firstBytes / 1e3, 1),
        'repeat view kB': transferred,
        [`first paint ms (CPU ÷ ${SLOWER})`]: paint,
      });
      const first = round(views.firstBytes / 1e3, 1);
      hold(`${name}: a first view transfers at most 60 kB`, first, 'kB', 60);
      hold(`${name}: a repeat view transfers at most 12 kB`, transferred, 'kB', 12);
      hold(`${name}: first paint within 0.9 s, processor slowed ${SLOWER} times`, paint, 'ms', 900);
    }
  } finally {
    await browser?.close();
  }
  return {
    title: `Pages of the staff over ${orders.toLocaleString('en-GB')} orders, SQLite`,
    rows,
    targets,
    notes: [
      `Server: ${CALLS} sequential requests, brotli, from the request to the last byte.`,
      browser
        ? `Browser: Chromium ${browser.version}, median of ${VIEWS} views; the repeat view is the second.`
        : 'No Chromium: transfer and first paint were not measured. CHROMIUM_PATH names one.',
    ],
  };
}

/** An order that the person called several times. @returns the path of its page */
async function busyOrder(port: number, cookie: string): Promise<string> {
  const base = `http://127.0.0.1:${port}`;
  const list = await fetch(`${base}/staff/queue?view=mine`, { headers: { cookie } });
  const [path] = /\/staff\/orders\/ORD-\w+/.exec(await list.text()) ?? [];
  if (path === undefined) throw new Error('The person has no orders.');
  for (let n = 1; n <= NOTES; n += 1) {
    const answer = await fetch(`${base}${path}/note`, {
      method: 'POST',
      headers: { cookie, 'Sec-Fetch-Site': 'same-origin' },
      body: new URLSearchParams({
        note: `Call ${n}: they compare our price with that of another operator, and ask when the survey can be. The porter knows where the riser is.`,
      }),
      redirect: 'manual',
    });
    if (answer.status !== 303) throw new Error(`The note was answered by ${answer.status}.`);
  }
  return path;
}

function percentile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(sorted.length * part) - 1)] ?? NaN;
}

/** The milliseconds of each request, and the bytes of the compressed page. */
async function ask(port: number, path: string, cookie: string) {
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
  const times: number[] = [];
  let bytes = 0;
  for (let n = -WARM_UP; n < CALLS; n += 1) {
    const began = performance.now();
    bytes = await get(agent, port, path, cookie);
    if (n >= 0) times.push(performance.now() - began);
  }
  agent.destroy();
  return { times, bytes };
}

function get(agent: http.Agent, port: number, path: string, cookie: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const headers = { Cookie: cookie, 'Accept-Encoding': 'br', 'Sec-Fetch-Mode': 'navigate' };
    http
      .get({ agent, host: '127.0.0.1', port, path, headers }, (response) => {
        let bytes = 0;
        response.on('data', (chunk: Buffer) => (bytes += chunk.length));
        response.on('end', () => {
          if (response.statusCode === 200) resolve(bytes);
          else reject(new Error(`${path} answers ${response.statusCode}.`));
        });
      })
      .on('error', reject);
  });
}

async function openBrowser() {
  const server = await startChromium();
  if (!server) return null;
  const browser = await chromium.connect(server.wsEndpoint());
  const context = await browser.newContext({ viewport: { width: 1_280, height: 900 } });
  return { context, version: browser.version(), close: () => server.close() };
}

/** Bytes on the wire of the first and of the second view, and the median time to the first paint. */
async function view(context: BrowserContext, port: number, path: string, cookie: string) {
  const [name = '', value = ''] = cookie.split('=');
  await context.addCookies([{ name, value, domain: '127.0.0.1', path: '/' }]);
  const page = await context.newPage();
  const session = await context.newCDPSession(page);
  await session.send('Network.enable');
  await session.send('Network.clearBrowserCache');
  await session.send('Emulation.setCPUThrottlingRate', { rate: SLOWER });
  let bytes = 0;
  session.on('Network.loadingFinished', ({ encodedDataLength }) => (bytes += encodedDataLength));
  const paints: number[] = [];
  const sizes: number[] = [];
  for (let n = 0; n < VIEWS; n += 1) {
    bytes = 0;
    await page.goto(`http://127.0.0.1:${port}${path}`, { waitUntil: 'load' });
    paints.push(await page.evaluate(firstPaint));
    sizes.push(bytes);
    // As for a returning person: from another page, in the same window.
    await page.goto('about:blank');
  }
  await page.close();
  return { firstBytes: sizes[0]!, repeatedBytes: sizes[1]!, paint: median(paints) };
}

/** Runs in the page. */
function firstPaint(): Promise<number> {
  return new Promise((resolve) => {
    const look = () => {
      const [entry] = performance.getEntriesByName('first-contentful-paint');
      if (entry) resolve(entry.startTime);
      else setTimeout(look, 20);
    };
    look();
  });
}
