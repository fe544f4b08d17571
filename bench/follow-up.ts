import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { parseArgs } from 'node:util';
import type { INestApplicationContext } from '@nestjs/common';
import { createApp } from '../src/app.js';
import { operator } from '../src/audit/audit.service.js';
import { ClientsService } from '../src/clients/clients.service.js';
import type { StaffCaller } from '../src/common/caller.js';
import { readConfig } from '../src/config.js';
import { Transactions } from '../src/database/transactions.js';
import { ExportService } from '../src/follow-up/export.service.js';
import type { FollowUpFilter, FollowUpQuery } from '../src/follow-up/follow-up.dto.js';
import { FollowUpService } from '../src/follow-up/follow-up.service.js';
import { TakeNextService } from '../src/follow-up/take-next.service.js';
import { Order } from '../src/orders/order.entity.js';
import { StaffService } from '../src/staff/staff.service.js';
import { startPostgres } from '../test/support/postgres.js';

export interface Options {
  readonly engine: 'sqlite' | 'postgres';
  /** Orders in all; one in fifty is open. */
  readonly orders: number;
  readonly log?: (line: string) => void;
}

export interface Row {
  readonly engine: string;
  readonly what: string;
  readonly value: number;
  readonly unit: 'ms (p50)' | 'ms (p99)' | 'a second' | 'MB' | 's';
  /** Where the project has promised a bound. */
  readonly target?: string;
}

/** Calls for each 99th percentile. */
const CALLS = 200;
const GROUP = 5_000;
const EXPORTED = 100_000;
const TAKEN = 2_000;
const WORKERS = 16;

/** The queue with many orders, at the service: lists, search, take next, export. */
export async function run({ engine, orders, log = () => undefined }: Options): Promise<Row[]> {
  const folder = await mkdtemp(join(tmpdir(), 'availability-bench-'));
  const server = engine === 'postgres' ? await startPostgres({ durable: true }) : undefined;
  const config = readConfig({
    SQLITE_FILE: join(folder, 'bench.sqlite'),
    DATABASE_URL: server?.url ?? '',
    DATABASE_POOL_SIZE: '20',
    STALE_CLAIM_HOURS: '0',
  });
  const app = await createApp(config);
  try {
    await app.init();
    return await measure(app, engine, orders, log);
  } finally {
    await app.close();
    await server?.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

async function measure(
  app: INestApplicationContext,
  engine: Options['engine'],
  orders: number,
  log: (line: string) => void,
): Promise<Row[]> {
  const rows: Row[] = [];
  const add = (what: string, value: number, unit: Row['unit'], target?: string) => {
    const row = {
      engine,
      what,
      value: Math.round(value * 100) / 100,
      unit,
      ...(target && { target }),
    };
    rows.push(row);
    log(`${engine}  ${what}: ${row.value} ${unit}${target ? ` (target: ${target})` : ''}`);
  };
  const latency = async (what: string, work: (n: number) => Promise<unknown>, calls = CALLS) => {
    const times: number[] = [];
    for (let n = 0; n < calls; n += 1) {
      const start = performance.now();
      await work(n);
      times.push(performance.now() - start);
    }
    times.sort((a, b) => a - b);
    add(what, times[Math.floor(times.length * 0.5)] ?? 0, 'ms (p50)');
    add(what, times[Math.ceil(times.length * 0.99) - 1] ?? 0, 'ms (p99)', 'at most 20');
  };

  const began = performance.now();
  const me = await fill(app, engine, orders, log);
  add(`${orders} orders made`, (performance.now() - began) / 1_000, 's');

  const followUp = app.get(FollowUpService);
  for (const view of ['waiting', 'mine', 'due', 'nearly-late', 'late', 'open', 'closed'] as const) {
    const query: FollowUpQuery = { view, limit: 50 };
    await latency(`view ${view}, first page`, () => followUp.list(query, me));
    let cursor: string | null = null;
    for (let n = 1; n < 100; n += 1) {
      const next: string | null = (
        await followUp.list({ ...query, ...(cursor !== null && { cursor }) }, me)
      ).nextCursor;
      if (next === null) break;
      cursor = next;
    }
    if (cursor !== null) {
      const deep = cursor;
      await latency(`view ${view}, page 100`, () => followUp.list({ ...query, cursor: deep }, me));
    }
  }
  const numbers = spread(orders);
  await latency('search by reference', (n) =>
    followUp.list({ view: 'all', limit: 50, q: referenceOf(numbers(n)) }, me),
  );
  await latency('search by postcode', (n) =>
    followUp.list({ view: 'all', limit: 50, q: postcodeOf(numbers(n)).toLowerCase() }, me),
  );
  await latency('search by contact', (n) =>
    followUp.list({ view: 'all', limit: 50, q: `contact${numbers(n) % 50_000}` }, me),
  );

  await exportRows(app, me, add);

  const takeNext = app.get(TakeNextService);
  await latency('take next, one caller', () => takeNext.take(me));
  const bare = await bareRate(app);
  add('bare conditional update, 16 callers', bare, 'a second');
  const claimed = new Set<string>();
  const rate = await rateOf(TAKEN, async () => {
    const { order } = await takeNext.take(me);
    if (!order) throw new Error('Nothing was given although orders wait.');
    if (claimed.has(order.orderId)) throw new Error('An order was taken twice.');
    claimed.add(order.orderId);
  });
  add('take next, 16 callers', rate, 'a second', `at least ${Math.round(bare / 2)}`);
  return rows;
}

/** An index of an order for each call, far apart. */
function spread(orders: number) {
  return (n: number) => ((n + 1) * 611_953) % orders;
}

const BASE_32 = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const INWARD = 'ABDEFGHJLNPQRSTUWXYZ';

function referenceOf(i: number): string {
  let text = '';
  for (let rest = i, n = 0; n < 6; n += 1, rest = Math.floor(rest / 32)) {
    text = BASE_32[rest % 32]! + text;
  }
  return `ORD-${text}`;
}

/** One of 76,000 postcodes. */
function postcodeOf(i: number): string {
  const place = Math.floor(i / 190);
  return `N${1 + (i % 19)} ${Math.floor(i / 19) % 10}${INWARD[place % 20]!}${INWARD[Math.floor(place / 20) % 20]!}`;
}

/**
 * Orders of the last two years, made by the database itself. Of fifty one is open: of the open ones
 * half wait, the others are claimed or scheduled by one of twenty people.
 */
async function fill(
  app: INestApplicationContext,
  engine: Options['engine'],
  orders: number,
  log: (line: string) => void,
): Promise<StaffCaller> {
  const client = await app.get(ClientsService).add(
    {
      name: 'Bench Reseller',
      contactName: 'A',
      contactEmail: 'a@example.com',
      contactPhone: '1',
      priceList: 'standard',
      legacyFieldNames: false,
    },
    operator,
  );
  const staff = await app
    .get(StaffService)
    .add({ name: 'Bench Person', email: 'bench@example.com', role: 'manager' }, operator);
  const now = Date.now();
  const step = Math.floor((730 * 86_400_000) / orders);
  const postgres = engine === 'postgres';
  const hex = (number: string) =>
    postgres ? `lpad(to_hex(${number}), 12, '0')` : `printf('%012x', ${number})`;
  const uuid = (prefix: string, number: string) =>
    postgres ? `('${prefix}' || ${hex(number)})::uuid` : `'${prefix}' || ${hex(number)}`;
  const orderId = uuid('00000000-0000-7000-8000-', 'i');
  const someone = uuid('00000000-0000-7000-9000-', '(i / 200) % 19');
  const mine = postgres ? `'${staff.id}'::uuid` : `'${staff.id}'`;
  const digit = (n: number) => `substr('${BASE_32}', 1 + (i / ${32 ** n}) % 32, 1)`;
  const text = (length: number, parts: string) =>
    postgres ? `(${parts})::varchar(${length})` : parts;
  const received = `(${now} - (${orders} - i) * cast(${step} as bigint))`;
  const isOpen = `(i % 50 = 0)`;
  const kind = `((i / 50) % 4)`; // 0, 1 wait; 2 is claimed; 3 is scheduled
  const held = `CASE WHEN (i / 200) % 20 = 19 THEN ${mine} ELSE ${someone} END`;
  const none = (type: string) => (postgres ? `NULL::${type}` : 'NULL');
  const columns: Record<string, string> = {
    id: orderId,
    reference: text(10, `'ORD-' || ${[5, 4, 3, 2, 1, 0].map(digit).join(' || ')}`),
    client_id: postgres ? `'${client.id}'::uuid` : `'${client.id}'`,
    client_reference: text(64, `'PO-' || i`),
    postcode: text(
      8,
      `'N' || (1 + i % 19) || ' ' || ((i / 19) % 10) || substr('${INWARD}', 1 + (i / 190) % 20, 1) || substr('${INWARD}', 1 + (i / 3800) % 20, 1)`,
    ),
    area: `'N'`,
    product_code: `'INT-1G-12'`,
    product_name: `'1G Internet'`,
    bandwidth_provisioned_mbps: '1000',
    bandwidth_capacity_mbps: '10000',
    term_months: '12',
    amount_minor: '55000',
    currency: `'GBP'`,
    lead_time_days: '84',
    zone: `'ONNET'`,
    price_list: `'standard'`,
    catalogue_version: '1',
    contact_name: text(120, `'Contact' || (i % 50000)`),
    received_at: received,
    first_contact_due_at: `${received} + 14400000`,
    first_contact_warn_at: `${received} + 10800000`,
    public_state_at: received,
    last_entry_at: received,
    version: '1',
    state: `CASE WHEN NOT ${isOpen} THEN 'won' WHEN ${kind} < 2 THEN 'waiting' WHEN ${kind} = 2 THEN 'in_progress' ELSE 'scheduled' END`,
    owner_id: `CASE WHEN ${isOpen} AND ${kind} < 2 THEN ${none('uuid')} ELSE ${held} END`,
    first_contact_at: `CASE WHEN NOT ${isOpen} OR ${kind} = 3 THEN ${received} + 7200000 ELSE ${none('bigint')} END`,
    next_action_at: `CASE WHEN ${isOpen} AND ${kind} = 3 THEN ${now} + (i % 2000 - 1000) * 60000 ELSE ${none('bigint')} END`,
    closed_at: `CASE WHEN ${isOpen} THEN ${none('bigint')} ELSE ${received} + 86400000 END`,
  };
  const transactions = app.get(Transactions);
  for (let first = 0; first < orders; first += GROUP) {
    const last = Math.min(first + GROUP, orders) - 1;
    const series = `WITH RECURSIVE n(i) AS (SELECT ${first} UNION ALL SELECT i + 1 FROM n WHERE i < ${last})`;
    await transactions.run(async (tx) => {
      await tx.query(
        `${series} INSERT INTO orders (${Object.keys(columns).join(', ')}) SELECT ${Object.values(columns).join(', ')} FROM n`,
      );
      await tx.query(
        `${series} INSERT INTO order_words (word, order_id) SELECT ${text(40, `'contact' || (i % 50000)`)}, ${orderId} FROM n`,
      );
      await tx.query(
        `${series} INSERT INTO order_words (word, order_id) SELECT ${text(40, `'po' || i`)}, ${orderId} FROM n`,
      );
    });
    if ((first / GROUP) % 40 === 0) log(`${engine}  ${first} of ${orders} orders made`);
  }
  if (postgres) await transactions.read((tx) => tx.query('ANALYZE orders'));
  return {
    kind: 'staff',
    staffId: staff.id,
    tokenId: staff.id,
    name: staff.name,
    role: 'manager',
    scopes: new Set(),
  };
}

async function exportRows(
  app: INestApplicationContext,
  me: StaffCaller,
  add: (what: string, value: number, unit: Row['unit'], target?: string) => void,
): Promise<void> {
  const from = new Date(Date.now() - (730 * 86_400_000) / 10);
  const filter: FollowUpFilter = { view: 'all', receivedFrom: from };
  globalThis.gc?.();
  const idle = process.memoryUsage().rss;
  let most = idle;
  let bytes = 0;
  let lines = 0;
  const out = new Writable({
    write(chunk: Buffer, _encoding, done) {
      bytes += chunk.length;
      for (const byte of chunk) if (byte === 10) lines += 1;
      most = Math.max(most, process.memoryUsage().rss);
      setImmediate(done);
    },
  });
  const began = performance.now();
  await (await app.get(ExportService).begin('csv', filter, me)).writeTo(out);
  const seconds = (performance.now() - began) / 1_000;
  add(`export of ${lines - 1} rows (${Math.round(bytes / 1e6)} MB)`, seconds, 's');
  const target = lines > EXPORTED / 2 ? 'at most 60' : undefined;
  add('export, memory above idle', (most - idle) / 1e6, 'MB', target);
}

/** What the engine does at best: the same conditional update, and nothing else, on other orders. */
async function bareRate(app: INestApplicationContext): Promise<number> {
  const transactions = app.get(Transactions);
  const orders = await transactions.read((tx) =>
    tx.find(Order, { where: { state: 'waiting' }, order: { receivedAt: 'DESC' }, take: TAKEN }),
  );
  let next = 0;
  return rateOf(orders.length, async () => {
    const { id, state, version, lastEntryAt } = orders[next++]!;
    await transactions.run((tx) =>
      tx.update(Order, { id, state, version }, { version: version + 1, lastEntryAt }),
    );
  });
}

/** Calls a second, by 16 workers. */
async function rateOf(calls: number, work: () => Promise<void>): Promise<number> {
  let left = calls;
  const worker = async () => {
    while (left > 0) {
      left -= 1;
      await work();
    }
  };
  const began = performance.now();
  await Promise.all(Array.from({ length: WORKERS }, worker));
  return calls / ((performance.now() - began) / 1_000);
}

if (process.argv[1]?.endsWith('bench/follow-up.js')) {
  const { values } = parseArgs({
    options: {
      engine: { type: 'string' },
      orders: { type: 'string', default: '1000000' },
    },
  });
  for (const engine of ['sqlite', 'postgres'] as const) {
    if (values.engine !== undefined && values.engine !== engine) continue;
    await run({ engine, orders: Number(values.orders), log: console.log });
  }
}
