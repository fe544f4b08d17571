import type { INestApplicationContext } from '@nestjs/common';
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { createApp } from '../src/app.js';
import { Config, readConfig } from '../src/platform/config/config.js';
import { Transactions } from '../src/platform/database/transactions.js';
import { cookieName } from '../src/staff/sessions/session-cookie.js';
import { SessionsService } from '../src/staff/sessions/sessions.service.js';
import { type CatalogueFixture, makeCatalogue } from './catalogue-fixture.js';
import { Server } from './children.js';
import type { LoadRequest } from './load-plan.js';

const run = promisify(execFile);
const cli = fileURLToPath(new URL('../src/cli/main.js', import.meta.url));

export type Environment = Readonly<Record<string, string>>;

/** A database with a made-up catalogue and one API client, and requests for it. */
export interface ServiceFixture {
  readonly folder: string;
  readonly catalogue: CatalogueFixture;
  readonly environment: Environment;
  readonly token: string;
}

/** As in production, with limits that are never reached. */
const everythingOn = {
  NODE_ENV: 'production',
  HOST: '127.0.0.1',
  PUBLIC_URL: 'http://localhost:3000',
  SALES_CONTACT: 'sales@example.net',
  LOOKUPS_PER_MINUTE: '10000000',
  ORDERS_PER_MINUTE: '10000000',
  IN_FLIGHT: '100000',
  OPEN_REQUESTS: '10000000',
  OPS_PORT: '0',
};

/** Runs `use` with a temporary folder. */
export async function withFolder<T>(use: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'availability-bench-'));
  try {
    return await use(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Fills a database with the service's commands. Without a URL it is SQLite in `folder`. */
export async function makeService(
  folder: string,
  units: number,
  postcodes: readonly string[],
  databaseUrl?: string,
  premises = 0,
): Promise<ServiceFixture> {
  const files = join(folder, `catalogue-${units}`);
  const catalogue = makeCatalogue(files, units, postcodes, premises);
  const database: Environment =
    databaseUrl === undefined
      ? { SQLITE_FILE: join(folder, `bench-${units}.sqlite`) }
      : { DATABASE_URL: databaseUrl };
  return { ...(await fillService(catalogue, database)), folder };
}

/** Imports the catalogue, and adds an API client. @param positions a file with those of postcodes */
export async function fillService(
  catalogue: CatalogueFixture,
  settings: Environment,
  positions?: string,
): Promise<ServiceFixture> {
  const environment = { ...everythingOn, ...settings };
  if (positions !== undefined) {
    await command(environment, 'db', 'migrate');
    await command(environment, 'postcodes', 'import', positions);
  }
  await command(environment, 'catalogue', 'import', catalogue.folder);
  const token = await addClient(environment, 'Bench');
  return { folder: catalogue.folder, catalogue, environment, token };
}

/** Adds an API client without limits. @param options of `clients add` @returns its token */
export async function addClient(
  environment: Environment,
  name: string,
  ...options: string[]
): Promise<string> {
  const contact = ['--contact', 'Bench', '--email', 'bench@example.com', '--phone', '+440000'];
  await command(environment, 'clients', 'add', name, ...contact, ...options);
  await command(environment, 'clients', 'limits', name, '--burst', '10000000');
  return issueToken(environment, name);
}

/** Runs a command of the service. @returns what it prints */
export async function command(environment: Environment, ...words: string[]): Promise<string> {
  const env = { ...process.env, ...environment };
  return (await run(process.execPath, [cli, ...words], { env })).stdout;
}

/** @param scopes by default those of a new token */
export async function issueToken(
  environment: Environment,
  client = 'Bench',
  scopes?: string,
): Promise<string> {
  const options = scopes === undefined ? [] : ['--scopes', scopes];
  const issued = await command(environment, 'tokens', 'issue', '--client', client, ...options);
  const [token] = /pas_\w+/.exec(issued) ?? [];
  if (token === undefined) throw new Error(`No token was issued: ${issued}`);
  return token;
}

/** Fills the database by `follow-up-fill.ts`. @returns the id of the staff member who owns some of the orders */
export async function fillOrders(orders: number, environment: Environment): Promise<string> {
  const filler = fileURLToPath(new URL('follow-up-fill.js', import.meta.url));
  const { stdout } = await run(process.execPath, [filler, String(orders)], {
    env: { ...process.env, ...environment, LOG_LEVEL: 'error' },
  });
  return stdout.trim().split('\n').at(-1)!;
}

/** The page of an order compares its terms with those of the live catalogue: 12 products in one zone. */
export async function importFilledCatalogue(
  folder: string,
  environment: Environment,
): Promise<void> {
  const files = join(folder, 'catalogue');
  const gigabits = Array.from({ length: 12 }, (_, i) => i + 1);
  const csv = (name: string, lines: readonly string[]) =>
    writeFileSync(join(files, `${name}.csv`), `${lines.join('\n')}\n`);
  mkdirSync(files);
  csv('products', [
    'code,name,bandwidth_provisioned_gbps,bandwidth_capacity_gbps,term_months',
    ...gigabits.map((gbps) => `INT-${gbps}G-12,${gbps}G Internet,${gbps},100,12`),
  ]);
  csv('prices', [
    'product,zone,price_list,price,currency,lead_time_days',
    ...gigabits.map((gbps) => `INT-${gbps}G-12,ONNET,standard,${545 + 10 * gbps},GBP,70`),
  ]);
  csv('coverage', ['place,zone', 'N,ONNET']);
  await command(environment, 'catalogue', 'import', files);
}

/** Runs `use` with the service in this process, without its server. */
export async function withApp<T>(
  environment: Environment,
  use: (app: INestApplicationContext) => Promise<T>,
): Promise<T> {
  const app = await createApp(readConfig(environment));
  app.useLogger(false);
  try {
    await app.init();
    return await use(app);
  } finally {
    await app.close();
  }
}

/** Signs a staff member in. @returns the session cookie, as the browser sends it */
export async function openSession(
  app: INestApplicationContext,
  staffMemberId: string,
): Promise<string> {
  const sessions = app.get(SessionsService, { strict: false });
  const value = await app
    .get(Transactions, { strict: false })
    .run((tx) =>
      sessions.start(
        tx,
        { staffMemberId, stage: 'open', method: 'password' },
        { userAgent: 'bench', address: '127.0.0.1' },
      ),
    );
  return `${cookieName(app.get(Config).publicUrl)}=${value}`;
}

export function startService(
  fixture: ServiceFixture,
  name = 'the check',
  nodeFlags: readonly string[] = [],
  cores?: string,
): Promise<Server> {
  return Server.start(name, '../src/main.js', fixture.environment, nodeFlags, cores);
}

const head = (fixture: ServiceFixture, line: string, more = '') =>
  `${line} HTTP/1.1\r\nHost: localhost\r\nAccept: application/json\r\n${more}Authorization: Bearer ${fixture.token}\r\n`;

export function checkRequests(fixture: ServiceFixture): LoadRequest[] {
  return fixture.catalogue.asked.map(({ postcode, answer }) => ({
    kind: 'check',
    text: `${head(fixture, `GET ${pathOf(postcode)}`)}\r\n`,
    status: 200,
    answer,
  }));
}

/** Where the load generator writes the `Idempotency-Key` of an order. */
const KEY = '{key}';

/** @param checks the id of the check that an order cites, by postcode */
export function orderRequests(
  fixture: ServiceFixture,
  keys = false,
  checks?: ReadonlyMap<string, string>,
): LoadRequest[] {
  return fixture.catalogue.asked
    .filter(({ products }) => products.length > 0)
    .map(({ postcode, products }) => {
      const checkId = checks?.get(postcode);
      const body = JSON.stringify({ postcode, productCode: products[0], checkId });
      const fields = `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n${keys ? `Idempotency-Key: ${KEY}\r\n` : ''}`;
      const line = 'POST /product-availability/order';
      const text = `${head(fixture, line, fields)}\r\n${body}`;
      return { kind: 'order', text, status: 201, ...(keys && { key: KEY }) };
    });
}

/** Places some orders. @returns their ids */
export async function placeOrders(
  { catalogue, token }: ServiceFixture,
  port: number,
  count: number,
): Promise<readonly string[]> {
  const ids: string[] = [];
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
  const sold = catalogue.asked.filter(({ products }) => products.length > 0);
  for (const { postcode, products } of sold.slice(0, count)) {
    const response = await fetch(`http://127.0.0.1:${port}/product-availability/order`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ postcode, productCode: products[0] }),
    });
    ids.push(((await response.json()) as { orderId: string }).orderId);
  }
  return ids;
}

export function messageRequests(fixture: ServiceFixture, ids: readonly string[]): LoadRequest[] {
  return ids.map((id) => {
    const body = JSON.stringify({ text: 'May we have the second floor? Grace Hopper, from 8:00.' });
    const fields = `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n`;
    const line = `POST /product-availability/order/${id}/message`;
    return { kind: 'message', text: `${head(fixture, line, fields)}\r\n${body}`, status: 201 };
  });
}

/** Makes a check for each postcode of the orders. @returns their ids by postcode */
export async function makeChecks(
  { catalogue, token }: ServiceFixture,
  port: number,
): Promise<ReadonlyMap<string, string>> {
  const ids = new Map<string, string>();
  const headers = { Authorization: `Bearer ${token}` };
  for (const { postcode, products } of catalogue.asked) {
    if (products.length === 0 || ids.has(postcode)) continue;
    const response = await fetch(`http://127.0.0.1:${port}${pathOf(postcode)}`, { headers });
    ids.set(postcode, ((await response.json()) as { id: string }).id);
  }
  return ids;
}

export function pathOf(postcode: string): string {
  return `/product-availability/postcode/${encodeURIComponent(postcode)}`;
}

export function writeRequests(
  fixture: ServiceFixture,
  name: string,
  requests: readonly LoadRequest[],
): string {
  const file = join(fixture.folder, `${name}.json`);
  writeFileSync(file, JSON.stringify(requests));
  return file;
}
