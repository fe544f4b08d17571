import type { INestApplicationContext } from '@nestjs/common';
import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { once } from 'node:events';
import http from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { scopesOfRole } from '../src/platform/access/scopes.js';
import { operator } from '../src/platform/audit/audit.service.js';
import { TokensService } from '../src/clients/tokens.service.js';
import { StaffService } from '../src/staff/staff.service.js';
import { Transactions } from '../src/platform/database/transactions.js';
import { londonDay } from '../src/platform/kernel/working-hours.js';
import { memorySettings } from '../test/support/memory-settings.js';
import { startPostgres } from '../test/support/postgres.js';
import { NATIONAL } from './catalogue-fixture.js';
import { profileFlags } from './check.js';
import { ALL_CORES, type Generator, type Server, withChildren } from './children.js';
import {
  ALL,
  type DayData,
  OWN_PAGE,
  phases,
  type Sent,
  SITES,
  type Task,
  UPDATES,
} from './day-tasks.js';
import { holdFlags, holdsBetween, machineTime } from './holds.js';
import type { KindResult } from './load-plan.js';
import { mix } from './mixed.js';
import {
  type BenchOptions,
  type EngineName,
  median,
  type Report,
  round,
  type Target,
} from './options.js';
import {
  checkRequests,
  command,
  fillOrders,
  issueToken,
  makeService,
  openSession,
  orderRequests,
  type ServiceFixture,
  startService,
  withApp,
  withFolder,
  writeRequests,
} from './service-fixture.js';
import { fillWatches, unitsIn } from './watches.js';

/** Whose settings for memory the service has. */
const UNIT = 'deploy/systemd/product-availability.service';

const ORDERS = 300_000;
const PREMISES = 1_000_000;
const WATCHES = 200_000;
/** Requests of clients a second: 30 checks, and 4 orders. */
const RATE = 34;
const ONE_IN = 9;
const CONNECTIONS = 16;
/** Members of staff at work at the same time. */
const STAFF = 8;
/** Seconds of a phase, and of the idle time before each. */
const PHASE = 20;
const IDLE = 10;
const DAY = 90;
/** Milliseconds by which the p99 of checks may rise above that of idle times. */
const RISE = 10;
/** Milliseconds of the slowest check in a thousand, and of the longest hold of the event loop. */
const SLOWEST = 25;
const HOLD = 10;
/** MB. */
const MEMORY = 500;
/** Minutes from which on a day says whether the memory is flat. */
const FLAT = 15;
/** Per cent. */
const GROWTH = 5;
/** Characters. */
const LONGEST_TEXT = 100_000;

interface Member {
  readonly token: string;
  readonly cookie: string;
}

/** 30 checks and 4 orders a second beside what the staff do in a day, on national data. */
export async function run(options: BenchOptions): Promise<Report[]> {
  const reports: Report[] = [];
  for (const engine of ['sqlite', 'postgres'] as const) {
    if (options.engine !== undefined && options.engine !== engine) continue;
    reports.push(await withFolder((folder) => onEngine(engine, folder, options)));
  }
  return reports;
}

async function onEngine(
  engine: EngineName,
  folder: string,
  options: BenchOptions,
): Promise<Report> {
  const own =
    engine === 'postgres' && options.databaseUrl === undefined
      ? await startPostgres({ durable: true })
      : undefined;
  try {
    const url = engine === 'postgres' ? (options.databaseUrl ?? own!.url) : undefined;
    const { fixture, members, orders, data } = await prepare(folder, url, options);
    const holds = join(options.profile ?? folder, 'holds.jsonl');
    rmSync(holds, { force: true });
    const environment = {
      ...{ ...fixture.environment, ...memorySettings(UNIT) },
      HOLDS_FILE: holds,
    };
    const shipped = { ...fixture, environment };
    return await withChildren(async (generator, keep) => {
      // As where it is installed: its threads read catalogues and compress beside the answers. The load sleeps.
      const flags = [...holdFlags, ...profileFlags(options)];
      const server = keep(await startService(shipped, 'the service', flags, ALL_CORES));
      const setting = { engine, fixture, members, data, holds, server, generator, options };
      return measure(orders, setting);
    });
  } finally {
    await own?.stop();
  }
}

async function prepare(folder: string, url: string | undefined, options: BenchOptions) {
  const { say, quick } = options;
  const part = quick ? 20 : 1;
  const orders = options.orders ?? ORDERS / part;
  say('importing the national catalogue');
  const units = NATIONAL / part;
  const fixture = await makeService(folder, units, options.postcodes, url, PREMISES / part);
  const { environment } = fixture;
  say(`making ${orders} orders`);
  await fillOrders(orders, environment);
  // Orders would wait for the disk, which still writes those of before.
  execFileSync('sync');
  const prepared = await withApp(environment, async (app) => {
    await fillWatches(app, WATCHES / part, unitsIn(fixture.catalogue.folder));
    const updates = await updatesFile(app, UPDATES / part);
    const members = await Promise.all(Array.from({ length: STAFF }, (_, n) => addMember(app, n)));
    return { members, updates };
  });
  const { asked } = fixture.catalogue;
  const sites = Array.from({ length: SITES / part }, (_, i) => ({
    site: `Site ${i + 1}`,
    postcode: asked[i % asked.length]!.postcode,
  }));
  const data: DayData = {
    ...{ folder, updates: prepared.updates, quotes: [] },
    sites: JSON.stringify({ wanted: { bandwidth: 0.1 }, sites }),
    orders: prepared.updates
      .split('\n')
      .slice(1)
      .map((line) => line.split(',')[0]!),
    coverageToken: await issueToken(environment, 'Bench', 'coverage:read'),
  };
  return { fixture, members: prepared.members, orders, data };
}

async function addMember(app: INestApplicationContext, n: number): Promise<Member> {
  const about = { name: `Person ${n}`, email: `person${n}@example.com`, role: 'admin' } as const;
  const { id } = await app.get(StaffService).add(about, operator);
  const { token } = await app.get(TokensService).issue(
    {
      ...{ holder: { staffMemberId: id }, kind: 'live', label: 'bench', days: 1 },
      scopes: [...scopesOfRole('admin')],
    },
    operator,
  );
  return { token, cookie: await openSession(app, id) };
}

interface Setting {
  readonly engine: EngineName;
  readonly data: DayData;
  /** The file of `holds-hook.ts`. */
  readonly holds: string;
  readonly fixture: ServiceFixture;
  readonly members: readonly Member[];
  readonly server: Server;
  readonly generator: Generator;
  readonly options: BenchOptions;
}

/** Of a time under load, in milliseconds. */
interface Measured {
  readonly check: KindResult;
  readonly order: KindResult;
  /** Answers that were not the expected ones, such as 503. */
  readonly wrong: number;
  /** The longest hold of the event loop, in processor time of its thread. */
  readonly hold: number;
  readonly holds: number;
}

async function measure(orders: number, setting: Setting): Promise<Report> {
  const { engine, fixture, server, generator, options, holds } = setting;
  // As programs ask: the answers are compressed.
  const asked = checkRequests(fixture).map(({ kind, text, status }) => ({
    ...{ kind, status },
    text: text.replace('\r\n', '\r\nAccept-Encoding: gzip\r\n'),
  }));
  const requests = writeRequests(fixture, 'day', mix(asked, orderRequests(fixture), ONE_IN));
  const load = async (duration: number): Promise<Measured> => {
    const from = machineTime();
    const result = await generator.load({
      ...{ port: server.port, connections: CONNECTIONS, duration, requests },
      ...{ rate: RATE, sleeps: true },
    });
    if (result.wrong > 0) options.say(`${result.wrong} wrong answers, such as ${result.example}`);
    const found = holdsBetween(holds, from, machineTime()).map(({ cpu }) => cpu);
    return {
      ...{ check: result.kinds.check!, order: result.kinds.order!, wrong: result.wrong },
      hold: Math.max(0, ...found),
      holds: found.filter((cpu) => cpu > HOLD).length,
    };
  };
  const rows: Record<string, string | number>[] = [];
  const add = (beside: string, { check, order, wrong, hold, holds }: Measured, memory: number) =>
    rows.push({
      beside,
      'check p50 ms': round(check.p50, 1),
      'check p99 ms': round(check.p99, 1),
      'check p99.9 ms': round(check.p999, 1),
      'check max ms': round(check.max, 1),
      'order p99 ms': round(order.p99, 1),
      'wrong answers': wrong,
      'longest hold ms': round(hold, 1),
      [`holds over ${HOLD} ms`]: holds,
      'RSS MB, most': round(memory),
      load: round(loadavg()[0]!, 1),
    });
  options.say('warming up');
  await load(options.quick ? 1 : 10);
  const served: Record<string, string | number>[] = [];
  const idle: Measured[] = [];
  let all: Measured | undefined;
  let most = 0;
  let wrong = 0;
  let flat: Target | undefined;
  for (const { name, tasks } of phases) {
    idle.push(await load(options.quick ? 3 : IDLE));
    add('nothing', idle.at(-1)!, server.memory);
    options.say(name);
    const day = Math.max(DAY, options.seconds);
    const seconds = options.quick ? 5 : name === ALL ? day : PHASE;
    const staff = new StaffAtWork(setting, tasks);
    let highest = 0;
    const memory = setInterval(() => (highest = Math.max(highest, server.memory)), 250);
    const byMinute: number[] = [];
    const minutes = setInterval(() => {
      byMinute.push(server.memory);
      options.say(`${name}, minute ${byMinute.length}: RSS ${round(server.memory)} MB`);
    }, 60_000);
    const measured = await load(seconds);
    clearInterval(memory);
    clearInterval(minutes);
    if (byMinute.length >= FLAT) flat = flatness(byMinute);
    await staff.end();
    most = Math.max(most, highest);
    if (name === ALL) all = measured;
    wrong += measured.wrong;
    add(name, measured, highest);
    served.push(...staff.table(name));
  }
  const p99 = median(idle.map(({ check }) => check.p99));
  const atMost = (target: string, measured: number, limit: number): Target => ({
    ...{ target: `${target} at most ${round(limit, 1)} ms`, met: measured <= limit },
    measured: `${round(measured, 1)} ms`,
  });
  return {
    title: `A day of the operator, ${orders.toLocaleString('en-GB')} orders, ${engine}`,
    rows: [...rows, ...served],
    targets: [
      atMost(`${ALL}: p99 of a check, idle and ${RISE} ms:`, all!.check.p99, p99 + RISE),
      atMost(`${ALL}: p99.9 of a check`, all!.check.p999, SLOWEST),
      atMost(`${ALL}: longest hold of the event loop, processor time,`, all!.hold, HOLD),
      { target: 'no wrong answer', measured: String(wrong), met: wrong === 0 },
      { target: `at most ${MEMORY} MB`, measured: `${round(most)} MB`, met: most <= MEMORY },
      ...(flat === undefined ? [] : [flat]),
    ],
    notes: ['A hold is processor time of the main thread in which the event loop had no turn.'],
  };
}

/** A row for each of the first `rows` accepted orders, whose deliveries it takes back. None of them is late. */
async function updatesFile(app: INestApplicationContext, rows: number): Promise<string> {
  const found = await app.get(Transactions, { strict: false }).run(async (tx) => {
    const accepted = `FROM orders o JOIN deliveries d ON d.order_id = o.id LIMIT ${rows}`;
    await tx.query(
      `UPDATE deliveries SET milestones = '{"v1":{}}', live_on = NULL, risk_on = '2099-12-31'
        WHERE order_id IN (SELECT o.id ${accepted})`,
    );
    return tx.query<{ reference: string }[]>(`SELECT o.reference ${accepted}`);
  });
  const day = londonDay(new Date());
  const lines = found.map(({ reference }) => `${reference},surveyed,${day}`);
  return ['order,milestone,done', ...lines].join('\n');
}

/** Compares the last third of a long day with the second third: the first fills caches. */
function flatness(byMinute: readonly number[]): Target {
  const third = Math.floor(byMinute.length / 3);
  const before = median(byMinute.slice(third, 2 * third));
  const last = median(byMinute.slice(-third));
  return {
    target: `RSS flat: the last ${third} minutes at most ${GROWTH} % above the ${third} before`,
    measured: `${round(before)} and ${round(last)} MB`,
    met: last <= before * (1 + GROWTH / 100),
  };
}

/** Repeats tasks, each as another member of staff, until it is ended. */
class StaffAtWork {
  private readonly times = new Map<string, number[]>();
  private readonly refused = new Map<string, number>();
  private readonly running: Promise<void>[];
  private readonly failures: unknown[] = [];
  private hasEnded = false;
  private turn = 0;

  constructor(
    private readonly setting: Setting,
    tasks: readonly Task[],
  ) {
    // A failure is thrown at the end, when the service can be stopped.
    this.running = tasks.map((task) =>
      this.repeat(task).catch((error: unknown) => {
        this.failures.push(error);
      }),
    );
  }

  async end(): Promise<void> {
    this.hasEnded = true;
    await Promise.all(this.running);
    if (this.failures.length > 0) throw this.failures[0];
  }

  table(phase: string): Record<string, string | number>[] {
    return [...this.times].map(([name, times]) => ({
      beside: `${phase}: ${name}`,
      requests: times.length,
      'p50 s': times.length === 0 ? 0 : round(median(times) / 1_000, 2),
      'longest s': round(Math.max(0, ...times) / 1_000, 2),
      'not served': this.refused.get(name) ?? 0,
    }));
  }

  private async repeat({ name, every, run }: Task): Promise<void> {
    const times: number[] = [];
    this.times.set(name, times);
    for (let turn = 0; !this.hasEnded; turn += 1) {
      const { members } = this.setting;
      const member = members[(this.turn += 1) % members.length]!;
      const start = performance.now();
      try {
        const { data, engine, fixture } = this.setting;
        await run(
          {
            ...{ data, engine },
            call: (path, sent) => this.call(member, path, sent),
            command: (...words) => command(fixture.environment, ...words),
          },
          turn,
        );
        times.push(performance.now() - start);
      } catch (error) {
        if (!(error instanceof Refused)) throw error;
        this.refused.set(name, (this.refused.get(name) ?? 0) + 1);
      }
      const end = start + every * 1_000;
      while (!this.hasEnded && performance.now() < end) await pause(50);
    }
  }

  private async call({ token, cookie }: Member, path: string, { body, headers }: Sent = {}) {
    const { server, fixture } = this.setting;
    const isOfClient = path.startsWith('/product-availability');
    const bearer = { authorization: `Bearer ${isOfClient ? fixture.token : token}` };
    // Not `fetch`, which says that a script asks: that does not keep a session alive.
    const request = http.request({
      ...{ host: '127.0.0.1', port: server.port, path },
      method: body === undefined ? 'GET' : 'POST',
      headers: { ...(path.startsWith('/staff') ? { cookie, ...OWN_PAGE } : bearer), ...headers },
    });
    request.end(body);
    const [response] = (await once(request, 'response').catch(() => {
      throw new Refused();
    })) as [http.IncomingMessage];
    // An export is read as fast as it arrives, and not kept.
    let text = '';
    for await (const chunk of response) {
      if (text.length < LONGEST_TEXT) text += String(chunk);
    }
    const status = response.statusCode ?? 0;
    if (status === 429 || status === 503) throw new Refused();
    if (status >= 300) throw new Error(`${path} was answered by ${status}: ${text}`);
    return { body: text };
  }
}

/** By a limit, or the connection was closed. If the service has ended, the generator says so. */
class Refused extends Error {}
