import type { INestApplicationContext } from '@nestjs/common';
import { execFileSync } from 'node:child_process';
import { loadavg } from 'node:os';
import { once } from 'node:events';
import http from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { scopesOfRole } from '../src/platform/access/scopes.js';
import { operator } from '../src/platform/audit/audit.service.js';
import { TokensService } from '../src/clients/tokens.service.js';
import { StaffService } from '../src/staff/staff.service.js';
import { formOf, formType } from '../test/support/catalogue-form.js';
import { memorySettings } from '../test/support/memory-settings.js';
import { startPostgres } from '../test/support/postgres.js';
import { NATIONAL } from './catalogue-fixture.js';
import { profileFlags } from './check.js';
import { refuseWrong } from './load-plan.js';
import { ALL_CORES, type Generator, type Server, withChildren } from './children.js';
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
  fillOrders,
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
/** Seconds of a phase. */
const PHASE = 30;
const DAY = 120;
/** Milliseconds. */
const LIMIT = 50;
const EXPORT_LIMIT = 30;
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

/** A request of the staff that is repeated. */
interface Task {
  readonly name: string;
  /** Seconds from one to the next. */
  readonly every: number;
  readonly run: (call: Call, turn: number) => Promise<unknown>;
}

type Call = (path: string, form?: string) => Promise<{ readonly body: string }>;

const read = (name: string, every: number, ...paths: readonly string[]): Task => ({
  ...{ name, every },
  run: (call, turn) => call(paths[turn % paths.length]!),
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
const publication: Task = {
  name: 'publication',
  every: 10,
  async run(call, turn) {
    const volume = `price_list,products,from_lines,percent\nstandard,*,10,${1 + (turn % 2)}\n`;
    const then = { base: 'live', then: 'activate', accept: 'bench' };
    const { body } = await call('/catalogue/versions', formOf({ volume }, then));
    const { outcome } = JSON.parse(body) as { outcome: string };
    if (outcome !== 'active') throw new Error(`The version was not published: ${body}`);
  },
};

const phases = [
  { name: 'checks and orders alone', tasks: [] },
  { name: 'lists and searches', tasks: work },
  { name: 'reports and maps', tasks: reports },
  { name: 'exports', tasks: [exportAll] },
  { name: 'publications', tasks: [publication] },
  {
    name: 'all of it',
    tasks: [...work, ...reports, exportOpen, { ...publication, every: 60 }],
  },
  { name: 'alone again', tasks: [] },
] as const satisfies readonly { name: string; tasks: readonly Task[] }[];

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
    const { fixture, members, orders } = await prepare(folder, url, options);
    const environment = { ...fixture.environment, ...memorySettings(UNIT) };
    const shipped = { ...fixture, environment };
    return await withChildren(async (generator, keep) => {
      // As where it is installed: its threads read catalogues and compress beside the answers. The load sleeps.
      const flags = profileFlags(options);
      const server = keep(await startService(shipped, 'the service', flags, ALL_CORES));
      return measure(engine, orders, { fixture, members, server, generator, options });
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
  const members = await withApp(environment, async (app) => {
    await fillWatches(app, WATCHES / part, unitsIn(fixture.catalogue.folder));
    return Promise.all(Array.from({ length: STAFF }, (_, n) => addMember(app, n)));
  });
  return { fixture, members, orders };
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
  readonly fixture: ServiceFixture;
  readonly members: readonly Member[];
  readonly server: Server;
  readonly generator: Generator;
  readonly options: BenchOptions;
}

async function measure(engine: EngineName, orders: number, setting: Setting): Promise<Report> {
  const { fixture, server, generator, options } = setting;
  const asked = checkRequests(fixture).map(({ kind, text, status }) => ({ kind, text, status }));
  const requests = writeRequests(fixture, 'day', mix(asked, orderRequests(fixture), ONE_IN));
  const load = async (duration: number) => {
    const result = await generator.load({
      ...{ port: server.port, connections: CONNECTIONS, duration, requests },
      ...{ rate: RATE, sleeps: true },
    });
    refuseWrong(server.name, result);
    return result.kinds;
  };
  options.say('warming up');
  await load(options.quick ? 1 : 10);
  const rows: Record<string, string | number>[] = [];
  const served: Record<string, string | number>[] = [];
  const p99s = new Map<string, number>();
  let most = 0;
  let flat: Target | undefined;
  for (const { name, tasks } of phases) {
    options.say(name);
    const day = Math.max(DAY, options.seconds);
    const seconds = options.quick ? 5 : name === 'all of it' ? day : PHASE;
    const staff = new StaffAtWork(setting, tasks);
    let highest = 0;
    const memory = setInterval(() => (highest = Math.max(highest, server.memory)), 250);
    const byMinute: number[] = [];
    const minutes = setInterval(() => {
      byMinute.push(server.memory);
      options.say(`${name}, minute ${byMinute.length}: RSS ${round(server.memory)} MB`);
    }, 60_000);
    const { check, order } = await load(seconds);
    clearInterval(memory);
    clearInterval(minutes);
    if (byMinute.length >= FLAT) flat = flatness(byMinute);
    await staff.end();
    most = Math.max(most, highest);
    p99s.set(name, check!.p99);
    rows.push({
      beside: name,
      'check p50 ms': round(check!.p50, 1),
      'check p99 ms': round(check!.p99, 1),
      'check max ms': round(check!.max, 1),
      'order p99 ms': round(order!.p99, 1),
      'RSS MB, most': round(highest),
      load: round(loadavg()[0]!, 1),
    });
    served.push(...staff.table(name));
  }
  const alone = p99s.get('checks and orders alone')!;
  const limit = (name: string, limit: number): Target => {
    const p99 = round(p99s.get(name)!, 1);
    return {
      target: `${name}: p99 of a check at most ${round(limit, 1)} ms`,
      measured: `${p99} ms`,
      met: p99 <= limit,
    };
  };
  return {
    title: `A day of the operator, ${orders.toLocaleString('en-GB')} orders, ${engine}`,
    rows: [...rows, ...served],
    targets: [
      limit('all of it', LIMIT),
      limit('exports', alone + EXPORT_LIMIT),
      { target: `at most ${MEMORY} MB`, measured: `${round(most)} MB`, met: most <= MEMORY },
      ...(flat === undefined ? [] : [flat]),
    ],
  };
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
  private hasEnded = false;
  private turn = 0;

  constructor(
    private readonly setting: Setting,
    tasks: readonly Task[],
  ) {
    this.running = tasks.map((task) => this.repeat(task));
  }

  async end(): Promise<void> {
    this.hasEnded = true;
    await Promise.all(this.running);
  }

  table(phase: string): Record<string, string | number>[] {
    return [...this.times].map(([name, times]) => ({
      beside: `${phase}: ${name}`,
      requests: times.length,
      'p50 s': round(median(times) / 1_000, 2),
      'longest s': round(Math.max(...times) / 1_000, 2),
      'status 429': this.refused.get(name) ?? 0,
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
        await run((path, form) => this.call(member, path, form), turn);
        times.push(performance.now() - start);
      } catch (error) {
        if (!(error instanceof Refused)) throw error;
        this.refused.set(name, (this.refused.get(name) ?? 0) + 1);
      }
      const end = start + every * 1_000;
      while (!this.hasEnded && performance.now() < end) await pause(50);
    }
  }

  private async call({ token, cookie }: Member, path: string, form?: string) {
    // Not `fetch`, which says that a script asks: that does not keep a session alive.
    const request = http.request({
      ...{ host: '127.0.0.1', port: this.setting.server.port, path },
      method: form === undefined ? 'GET' : 'POST',
      headers: path.startsWith('/staff')
        ? { cookie }
        : { authorization: `Bearer ${token}`, ...(form !== undefined && formType) },
    });
    request.end(form);
    const [response] = (await once(request, 'response').catch(async (error: unknown) => {
      // If the service has ended, that is said first.
      await pause(1_000);
      throw new Error(`${path} got no answer.`, { cause: error });
    })) as [http.IncomingMessage];
    // An export is read as fast as it arrives, and not kept.
    let text = '';
    for await (const chunk of response) {
      if (text.length < LONGEST_TEXT) text += String(chunk);
    }
    const status = response.statusCode ?? 0;
    if (status === 429) throw new Refused();
    if (status >= 300) throw new Error(`${path} was answered by ${status}: ${text}`);
    return { body: text };
  }
}

class Refused extends Error {}
