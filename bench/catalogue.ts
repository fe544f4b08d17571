// Also measures bare inserts, the alternative to the packed form.
/* eslint-disable no-restricted-imports */
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import Sqlite from 'better-sqlite3';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, readFileSync, statSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { gunzipSync } from 'node:zlib';
import pg from 'pg';
import { createApp } from '../src/app.js';
import { AppModule } from '../src/app.module.js';
import { operator } from '../src/platform/audit/audit.service.js';
import { CatalogueService } from '../src/catalogue/versions/catalogue.service.js';
import { ImportService } from '../src/catalogue/versions/import.service.js';
import { ReviewService } from '../src/catalogue/versions/review.service.js';
import { VersionsService } from '../src/catalogue/versions/versions.service.js';
import { ClientsService } from '../src/clients/clients.service.js';
import { TokensService } from '../src/clients/tokens.service.js';
import { parsePostcode, Postcode, unpackPostcode } from '../src/platform/kernel/postcode.js';
import { clientScopes } from '../src/platform/access/scopes.js';
import { type Config, readConfig } from '../src/platform/config/config.js';
import { startPostgres } from '../test/support/postgres.js';
import { timed } from './timed.js';

interface Options {
  readonly quick: boolean;
  readonly postcodes: readonly string[];
  readonly databaseUrl?: string | undefined;
  readonly say: (line: string) => void;
}

/** The live postcode units of Great Britain, October 2025. */
const NATIONAL = 1_745_849;
const ZONES = 40;
const LOOKUPS = 2_000_000;

const cli = fileURLToPath(new URL('../src/cli/main.js', import.meta.url));

/** Imports, loads, swaps, checks and compares a catalogue with a row for every unit of the country. */
export async function run({ quick, postcodes, databaseUrl, say }: Options) {
  const folder = await mkdtemp(join(tmpdir(), 'catalogue-bench-'));
  const postgres = databaseUrl ? null : await startPostgres({ durable: true });
  try {
    const units = unitsFrom(postcodes, quick ? NATIONAL / 10 : NATIONAL);
    say(`writing ${units.length.toLocaleString('en-GB')} rows`);
    const [first, second] = [join(folder, 'first'), join(folder, 'second')];
    await writeCatalogue(first, units, 0);
    await writeCatalogue(second, units, 0.05);
    const sqlite = { SQLITE_FILE: join(folder, 'bench.sqlite'), DATABASE_URL: '' };
    const onPostgres = {
      SQLITE_FILE: '',
      DATABASE_URL: await newDatabase(databaseUrl ?? postgres!.url),
    };

    say('importing');
    const bySqlite = await importBy(sqlite, first);
    const byPostgres = await importBy(onPostgres, first);
    say('inserting the same rows into a table');
    const rowsSqlite = insertIntoSqlite(join(folder, 'rows.sqlite'), units);
    const rowsPostgres = await insertIntoPostgres(onPostgres.DATABASE_URL, units);
    say('loading, looking up, comparing and swapping');
    const served = await measureServing(readConfig({ ...process.env, ...sqlite }), second, units);

    const seconds = (value: number) => `${value.toFixed(2)} s`;
    const target = (name: string, value: number, unit: string, most: number) => ({
      target: `${name}: at most ${most} ${unit}`,
      measured: `${value.toFixed(2)} ${unit}`,
      met: value <= most,
    });
    const ratio = byPostgres.seconds / bySqlite.seconds;
    return {
      title: `Catalogue of ${units.length.toLocaleString('en-GB')} units`,
      rows: [
        {
          what: 'import by the command line, SQLite',
          packed: seconds(bySqlite.seconds),
          'as rows': seconds(rowsSqlite.seconds),
        },
        {
          what: 'import by the command line, PostgreSQL',
          packed: seconds(byPostgres.seconds),
          'as rows': seconds(rowsPostgres.seconds),
        },
        {
          what: 'size on disk, SQLite',
          packed: `${bySqlite.megabytes.toFixed(1)} MB`,
          'as rows': `${rowsSqlite.megabytes.toFixed(1)} MB`,
        },
        { what: 'loading a version', packed: seconds(served.load), 'as rows': '' },
        {
          what: 'look-up',
          packed: `${(served.lookup * 1_000).toFixed(0)} ns`,
          'as rows': `${(rowsSqlite.lookup * 1_000).toFixed(0)} ns`,
        },
        { what: 'diff of two versions', packed: seconds(served.diff), 'as rows': '' },
      ],
      targets: [
        target('import on SQLite', bySqlite.seconds, 's', 6),
        target('resident at its peak', bySqlite.resident, 'MB', 400),
        target('import on PostgreSQL ÷ on SQLite', ratio, '', 1.5),
        target('loading a version', served.load, 's', 0.5),
        target('memory of the active index', served.memory, 'MB', 20),
        target('event loop held up by a load and swap under load', served.swap, 'ms', 20),
        target('look-up', served.lookup, 'µs', 1),
        target('diff of two versions', served.diff, 's', 3),
      ],
      notes: [
        'The import is the whole command: start of the process, reading, checking, comparing, storing and activating.',
        'As rows: the parsed rows into one table with a primary key, in one transaction, with prepared statements (SQLite) or arrays of 10,000 (PostgreSQL); nothing is read, checked or compared.',
        `Without a swap the same load holds the event loop up by ${served.idle.toFixed(1)} ms at most.`,
      ],
    };
  } finally {
    await postgres?.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

/** The given postcodes, with made-up ones in their districts if there are too few. */
function unitsFrom(postcodes: readonly string[], count: number): Postcode[] {
  const given = postcodes.flatMap((text) => {
    const postcode = parsePostcode(text);
    return postcode instanceof Postcode ? postcode : [];
  });
  if (given.length >= count) return given.slice(0, count);
  const outwards = [...new Set(given.map(({ packed }) => Math.floor(packed / 4_000)))];
  const each = Math.min(4_000, Math.ceil(count / outwards.length));
  return outwards
    .flatMap((outward) =>
      Array.from({ length: each }, (_, i) =>
        unpackPostcode(outward * 4_000 + Math.floor((i * 4_000) / each)),
      ),
    )
    .slice(0, count);
}

/** @param changed the share of units that are missing or in another zone */
async function writeCatalogue(folder: string, units: readonly Postcode[], changed: number) {
  await mkdir(folder);
  const products = Array.from({ length: 48 }, (_, i) => `P-${i},Product ${i},1,10,${i + 1}\n`);
  const prices = products.flatMap((_, i) =>
    Array.from({ length: ZONES }, (__, zone) => `P-${i},ZONE-${zone},standard,${500 - i},GBP,84\n`),
  );
  await writeFile(
    join(folder, 'products.csv'),
    `code,name,bandwidth_provisioned_gbps,bandwidth_capacity_gbps,term_months\n${products.join('')}`,
  );
  await writeFile(
    join(folder, 'prices.csv'),
    `product,zone,price_list,price,currency,lead_time_days\n${prices.join('')}`,
  );
  function* lines() {
    let chunk = 'place,zone\n';
    for (const [i, { unit }] of units.entries()) {
      const hash = mix(i);
      if (hash / 2 ** 32 < changed / 2) continue;
      const moves = hash / 2 ** 32 < changed;
      const zone = mix(hash) % ZONES;
      chunk += `${unit},ZONE-${moves ? (zone + 1) % ZONES : zone}\n`;
      if (chunk.length < 65_536) continue;
      yield chunk;
      chunk = '';
    }
    yield chunk;
  }
  await pipeline(Readable.from(lines()), createWriteStream(join(folder, 'coverage.csv')));
}

/** 32 pseudo-random bits (the finaliser of MurmurHash3), for zones that do not compress well. */
function mix(value: number): number {
  let hash = Math.imul(value ^ (value >>> 16), 0x85eb_ca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2_ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

async function newDatabase(server: string): Promise<string> {
  const client = new pg.Client({ connectionString: server });
  await client.connect();
  const name = `bench_${process.pid}_${Date.now()}`;
  await client.query(`CREATE DATABASE ${name}`);
  await client.end();
  return Object.assign(new URL(server), { pathname: `/${name}` }).href;
}

/** The command `catalogue import --activate`, on a migrated database. */
/** Imports the files by the command line. @returns seconds, and megabytes at its peak and on disk */
export async function importBy(database: Record<string, string>, folder: string) {
  const env = { ...process.env, ...database };
  const migrated = spawn(process.execPath, [cli, 'db', 'migrate'], { env, stdio: 'ignore' });
  await once(migrated, 'exit');
  const start = performance.now();
  const child = spawn(process.execPath, [cli, 'catalogue', 'import', folder, '--activate'], {
    env,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  let resident = 0;
  const timer = setInterval(() => {
    try {
      const status = readFileSync(`/proc/${child.pid}/status`, 'latin1');
      resident = Math.max(resident, Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1] ?? 0) / 1_024);
    } catch {
      // The process has ended, or this is not Linux.
    }
  }, 20);
  const [code] = (await once(child, 'exit')) as [number];
  clearInterval(timer);
  if (code !== 0) throw new Error(`The import ended with ${code}.`);
  const seconds = (performance.now() - start) / 1_000;
  const file = database.SQLITE_FILE;
  return { seconds, resident, megabytes: file ? statSync(file).size / 2 ** 20 : 0 };
}

function insertIntoSqlite(file: string, units: readonly Postcode[]) {
  const database = new Sqlite(file);
  database.pragma('journal_mode = WAL');
  database.pragma('synchronous = FULL');
  database.exec(
    'CREATE TABLE coverage (version integer, place text, zone text, PRIMARY KEY (version, place))',
  );
  const insert = database.prepare('INSERT INTO coverage VALUES (1, ?, ?)');
  const start = performance.now();
  database.transaction(() => {
    for (const [i, { unit }] of units.entries()) insert.run(unit, `ZONE-${i % ZONES}`);
  })();
  const seconds = (performance.now() - start) / 1_000;
  const find = database.prepare('SELECT zone FROM coverage WHERE version = 1 AND place = ?');
  const texts = Array.from({ length: 50_000 }, (_, i) => units[(i * 7_919) % units.length]!.unit);
  const asked = performance.now();
  for (const text of texts) find.get(text);
  const lookup = ((performance.now() - asked) / texts.length) * 1_000;
  database.close();
  return { seconds, lookup, megabytes: statSync(file).size / 2 ** 20 };
}

async function insertIntoPostgres(url: string, units: readonly Postcode[]) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(
    'CREATE TABLE bench_coverage (version integer, place text, zone text, PRIMARY KEY (version, place))',
  );
  const start = performance.now();
  await client.query('BEGIN');
  for (let at = 0; at < units.length; at += 10_000) {
    const page = units.slice(at, at + 10_000);
    await client.query(
      'INSERT INTO bench_coverage SELECT 1, * FROM unnest($1::text[], $2::text[])',
      [page.map(({ unit }) => unit), page.map((_, i) => `ZONE-${i % ZONES}`)],
    );
  }
  await client.query('COMMIT');
  const seconds = (performance.now() - start) / 1_000;
  await client.end();
  return { seconds };
}

async function measureServing(config: Config, second: string, units: readonly Postcode[]) {
  // Another instance creates version 2, so that this one must load it.
  const other = await NestFactory.createApplicationContext(AppModule.forRoot(config), {
    logger: false,
  });
  await other.get(ImportService).importFiles(second, { label: 'second', actor: operator });
  const start = performance.now();
  await other.get(ReviewService).diff(1, 2);
  const diff = (performance.now() - start) / 1_000;
  await other.close();

  const app = await createApp(
    Object.freeze({ ...config, port: 0, host: '127.0.0.1', rateLimits: false }),
  );
  app.useLogger(false);
  await app.listen(0, '127.0.0.1');
  try {
    const { coverage } = app.get(CatalogueService).current.content;
    const { keys, zoneNumbers } = coverage.coverage.levels.unit;
    const memory = (keys.byteLength + zoneNumbers.byteLength) / 2 ** 20;
    const lookup = measureLookup(coverage, units);
    const { idle, swap } = await measureSwap(app, units);
    return { diff, memory, lookup, idle, swap, load: await measureLoad(config) };
  } finally {
    await app.close();
  }
}

/** Loads a version into memory: rows, checksum, counts. */
async function measureLoad(config: Config): Promise<number> {
  const service = await NestFactory.createApplicationContext(AppModule.forRoot(config), {
    logger: false,
  });
  try {
    const start = performance.now();
    await service.get(CatalogueService).version(1);
    return (performance.now() - start) / 1_000;
  } finally {
    await service.close();
  }
}

/** Microseconds. */
function measureLookup(
  coverage: { zoneNumberAt(packed: number): number },
  units: readonly Postcode[],
): number {
  const packed = Uint32Array.from(
    { length: LOOKUPS },
    (_, i) => units[(i * 7_919) % units.length]!.packed,
  );
  let found = 0;
  for (const key of packed.subarray(0, 100_000)) found += coverage.zoneNumberAt(key);
  const start = performance.now();
  for (const key of packed) found += coverage.zoneNumberAt(key);
  const took = performance.now() - start;
  if (found === 0) throw new Error('Nothing was found.');
  return (took / LOOKUPS) * 1_000;
}

/** The longest delay of the event loop under load, in milliseconds, without and with a swap. */
async function measureSwap(app: NestExpressApplication, units: readonly Postcode[]) {
  const { port } = app.getHttpServer().address() as AddressInfo;
  const token = await tokenOf(app);
  const paths = Array.from({ length: 500 }, (_, i) => {
    const { unit } = units[(i * 7_919) % units.length]!;
    return `/product-availability/postcode/${encodeURIComponent(unit)}`;
  });
  const load = new Worker(LOADER, { eval: true, workerData: { port, token, paths } });
  await pause(1_500);
  const longest = async (work: () => Promise<unknown>) =>
    (await timed(() => Promise.all([pause(2_000), work()]))).longest;
  const idle = await longest(() => Promise.resolve());
  const swap = await longest(() =>
    app.get(VersionsService).activate(2, { accept: 'bench' }, operator),
  );
  const [{ failed }] = (await Promise.all([
    once(load, 'message').then(([message]) => message as { failed: number }),
    Promise.resolve(load.postMessage('stop')),
  ])) as [{ failed: number }, void];
  if (failed > 0) throw new Error(`${failed} requests failed.`);
  return { idle, swap };
}

async function tokenOf(app: NestExpressApplication): Promise<string> {
  const contact = { contactName: 'B', contactEmail: 'b@bench.example', contactPhone: '1' };
  const client = await app
    .get(ClientsService, { strict: false })
    .add({ name: 'Bench', priceList: 'standard', compatibility: '0.3', ...contact }, operator);
  const issued = await app
    .get(TokensService, { strict: false })
    .issue(
      { holder: { clientId: client.id }, kind: 'live', label: '', scopes: clientScopes, days: 1 },
      operator,
    );
  return issued.token;
}

/** Eight connections with sequential requests, in a separate thread. */
const LOADER = `
const { parentPort, workerData } = require('node:worker_threads');
const http = require('node:http');
const agent = new http.Agent({ keepAlive: true, maxSockets: 8 });
let running = true, failed = 0, left = 8;
parentPort.on('message', () => { running = false; });
function ask(i) {
  if (!running) {
    if (--left === 0) { parentPort.postMessage({ failed }); parentPort.close(); agent.destroy(); }
    return;
  }
  const path = workerData.paths[i % workerData.paths.length];
  http.get({ port: workerData.port, host: '127.0.0.1', agent, path, headers: { authorization: 'Bearer ' + workerData.token } },
    (response) => {
      if (response.statusCode !== 200) failed++;
      response.resume().on('end', () => setTimeout(ask, 2, i + 8));
    }).on('error', () => { failed++; ask(i + 8); });
}
for (let i = 0; i < 8; i++) ask(i);
`;

/** Run it alone: `node dist/bench/catalogue.js [--quick] [--postcodes file.gz]`. */
if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const at = process.argv.indexOf('--postcodes');
  const file = at > 0 ? process.argv[at + 1]! : 'test/fixtures/postcodes-sample.txt';
  const bytes = readFileSync(file);
  const text = (file.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('latin1');
  const report = await run({
    quick: process.argv.includes('--quick'),
    postcodes: text.split('\n').filter((line) => line !== '' && !line.startsWith('#')),
    databaseUrl: process.env.BENCH_POSTGRES_URL,
    say: (line) => process.stderr.write(`${line}\n`),
  });
  console.log(`${report.title}\n`);
  console.table(report.rows);
  console.table(report.targets);
  for (const note of report.notes) console.log(`- ${note}`);
}
