import { expect, test } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import pg from 'pg';
import { later } from '../support/closing.js';
import type { DatabaseSettings } from '../support/databases.js';
import { Http } from '../support/http.js';
import { Ledger } from '../support/ledger.js';
import { check, newShop, order } from '../support/orders.js';
import { freePort } from '../support/postgres.js';
import { type Direction, Network } from './network.js';
import { missingPrograms, PatroniNode, versions } from './patroni-node.js';
import { Instance, runWithFile } from './processes.js';

/** Of each fault. `FAULTS=freeze,kill` chooses some of them. */
const ROUNDS = Number(process.env.ROUNDS ?? 1);
/** `off` shows what the watchdog is for: an acknowledged order can be lost. */
const WATCHDOG = process.env.WATCHDOG !== 'off';
const PASSWORD = 'replace-me';
/** Milliseconds. */
const PAUSE = { order: 100, retry: 250, check: 25 };
const FROZEN = 35_000;
const CUT = 40_000;

const say = (text: string) => process.stdout.write(`${text}\n`);

interface Member {
  readonly name: string;
  readonly role: string;
  readonly state: string;
  readonly timeline?: number;
}

class Cluster {
  readonly nodes: readonly PatroniNode[];

  constructor(folder: string) {
    const network = new Network(join(folder, 'network'));
    const names = ['n1', 'n2', 'n3'];
    const machines = names.map((_, i) => network.add(i + 1));
    this.nodes = names.map(
      (name, i) => new PatroniNode(name, machines[i]!, join(folder, name), WATCHDOG),
    );
    for (const node of this.nodes) node.start();
  }

  node(name: string): PatroniNode {
    return this.nodes.find((node) => node.name === name)!;
  }

  /** A leader, and two standbys on its timeline of which one is synchronous: all three nodes say so. */
  async healthy(): Promise<readonly Member[]> {
    let views: (readonly Member[])[] = [];
    for (let i = 0; i < 240; i += 1) {
      views = await Promise.all(this.nodes.map(membersAsSeenBy));
      if (views.every(isHealthy) && new Set(views.map(leaderOf)).size === 1) return views[0]!;
      await wait(500);
    }
    throw new Error(`The cluster is not healthy: ${JSON.stringify(views)}`);
  }
}

async function membersAsSeenBy({ api }: PatroniNode): Promise<readonly Member[]> {
  try {
    const response = await fetch(`${api}/cluster`, { signal: AbortSignal.timeout(1_000) });
    return ((await response.json()) as { members: Member[] }).members;
  } catch {
    return [];
  }
}

const leaderOf = (members: readonly Member[]) =>
  members.find(({ role }) => role === 'leader')?.name;

function isHealthy(members: readonly Member[]): boolean {
  const running = members.filter(({ state }) => state === 'running' || state === 'streaming');
  const roles = running.map(({ role }) => role);
  return (
    roles.length === 3 &&
    roles.includes('leader') &&
    roles.includes('sync_standby') &&
    new Set(running.map(({ timeline }) => timeline)).size === 1
  );
}

/** Ten new orders and forty checks a second. An order is repeated with its key until it is stored. */
class Load {
  readonly acknowledged: { readonly key: string; readonly at: number }[] = [];
  readonly answers = new Map<string, number>();
  slowest = 0;
  private running = true;
  private aborted = false;
  private n = 0;

  constructor(
    private readonly instances: readonly Http[],
    private readonly token: string,
  ) {}

  async run(): Promise<void> {
    const waiting = new Set<Promise<void>>();
    const checks = (async () => {
      while (this.running) {
        waiting.add(this.ask('check', (http) => check(http, this.token)).then(() => undefined));
        await wait(PAUSE.check);
      }
    })();
    while (this.running) {
      waiting.add(this.place(`failover-${(this.n += 1)}`));
      await wait(PAUSE.order);
    }
    await checks;
    await Promise.all(waiting);
  }

  /** Orders that are not stored yet are still repeated. */
  stop(): void {
    this.running = false;
  }

  abort(): void {
    this.running = false;
    this.aborted = true;
  }

  private async place(key: string): Promise<void> {
    while ((await this.ask('order', (http) => order(http, this.token, key, key))) !== 201) {
      if (this.aborted) return;
      await wait(PAUSE.retry);
    }
    this.acknowledged.push({ key, at: performance.now() });
  }

  private async ask(what: string, send: (http: Http) => Promise<{ status: number }>) {
    const http = this.instances[Math.floor(Math.random() * this.instances.length)]!;
    const start = performance.now();
    // 0: the connection broke.
    const { status } = await send(http).catch(() => ({ status: 0 }));
    this.slowest = Math.max(this.slowest, performance.now() - start);
    const name = `${what} ${status}`;
    this.answers.set(name, (this.answers.get(name) ?? 0) + 1);
    return status;
  }
}

function certificate(folder: string): void {
  const file = (name: string) => join(folder, name);
  execFileSync(
    'openssl',
    ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', '/CN=postgres'].concat(
      [
        '-addext',
        'subjectAltName=IP:127.0.0.1',
        '-keyout',
        file('server.key'),
        '-out',
        file('server.crt'),
      ],
    ),
    { stdio: 'ignore' },
  );
  chmodSync(file('server.crt'), 0o644);
}

/** The primary's network loses packets. The watchdog can reset the node meanwhile. */
const cut = (direction: Direction) => async (leader: PatroniNode) => {
  const { resets } = leader;
  leader.machine.cut(direction);
  await wait(CUT);
  leader.machine.restore(direction);
  if (leader.resets > resets) leader.start();
};

const faults: Readonly<
  Record<string, (leader: PatroniNode, standby: PatroniNode) => Promise<void>>
> = {
  switchover: async (leader, standby) => {
    const body = JSON.stringify({ leader: leader.name, candidate: standby.name });
    const response = await fetch(`${leader.api}/switchover`, { method: 'POST', body });
    if (!response.ok) throw new Error(`No switchover: ${await response.text()}`);
    await wait(8_000);
  },
  kill: async (leader) => {
    leader.kill();
    await wait(30_000);
    leader.start();
  },
  freeze: async (leader) => {
    const { resets } = leader;
    leader.freeze();
    await wait(FROZEN);
    if (leader.resets > resets) leader.start();
    else leader.thaw();
  },
  standby: async (_leader, standby) => {
    standby.kill();
    await wait(15_000);
    standby.start();
  },
  cut: cut('both'),
  deaf: cut('to'),
  mute: cut('from'),
};

/** The acknowledged orders that are not stored, and those that are stored more than once. */
async function compare(database: DatabaseSettings, acknowledged: Load['acknowledged']) {
  const stored = await new Ledger(database).counts('failover-');
  return {
    lost: acknowledged.filter(({ key }) => !stored.has(key)),
    doubled: [...stored].filter(([, count]) => count > 1),
  };
}

async function failOver(cluster: Cluster, folder: string): Promise<void> {
  const first = await cluster.healthy();
  say(`${versions()}: ${JSON.stringify(first.map(({ name, role }) => [name, role]))}`);

  const port = await freePort();
  const configuration = readFileSync('deploy/patroni/haproxy.cfg', 'utf8')
    .replaceAll('10.0.', '10.77.')
    .replace('bind 127.0.0.1:5432', `bind 127.0.0.1:${port}`);
  await runWithFile('haproxy', (file) => ['-f', file, '-db'], configuration, port);
  await wait(3_000);
  const tls = `sslmode=verify-full&sslrootcert=${join(folder, 'server.crt')}`;
  const admin = new pg.Client({
    connectionString: `postgres://postgres:${PASSWORD}@127.0.0.1:${port}/postgres?${tls}`,
  });
  await admin.connect();
  await admin.query(`CREATE ROLE availability LOGIN PASSWORD '${PASSWORD}'`);
  await admin.query('CREATE DATABASE availability OWNER availability');
  await admin.end();
  const databaseUrl = `postgres://availability:${PASSWORD}@127.0.0.1:${port}/availability?${tls}`;
  const { token, database } = await newShop('postgres', { sqliteFile: '', databaseUrl });
  const environment = {
    DATABASE_URL: databaseUrl,
    ALLOW_INSECURE: 'no-rate-limits',
    LOG_LEVEL: 'warn',
  };
  const instances = [
    new Instance(await freePort(), environment),
    new Instance(await freePort(), environment),
  ];
  await Promise.all(instances.map((instance) => instance.start()));
  const clients = instances.map((instance) => new Http(instance.port));
  later(() => Promise.resolve(clients.forEach((http) => http.close())));

  const load = new Load(clients, token);
  const running = load.run();
  later(() => Promise.resolve(load.abort()));
  await wait(3_000);
  const chosen = (process.env.FAULTS ?? Object.keys(faults).join(',')).split(',');
  const rounds = Array.from({ length: ROUNDS }, () => chosen).flat();
  const told: string[] = [];
  for (const name of rounds) {
    const members = await cluster.healthy();
    const of = (role: string) => cluster.node(members.find((one) => one.role === role)!.name);
    const start = performance.now();
    const earlier = load.acknowledged.length;
    await faults[name]!(of('leader'), of('sync_standby'));
    await cluster.healthy();
    await wait(2_000);
    const times = load.acknowledged.map(({ at }) => at).sort((a, b) => a - b);
    const after = times.filter((at) => at >= start - 1_000);
    const gap = Math.max(...after.slice(1).map((at, i) => at - after[i]!)) / 1_000;
    const acknowledged = load.acknowledged.slice(earlier);
    const { lost, doubled } = await compare(database, acknowledged);
    told.push(
      `${name}: no order acknowledged for ${gap.toFixed(1)} s; of ${acknowledged.length}, ${lost.length} lost, ${doubled.length} doubled; load average ${loadavg()[0]!.toFixed(1)}`,
    );
    say(told.at(-1)!);
  }
  load.stop();
  await running;
  await cluster.healthy();
  const { lost, doubled } = await compare(database, load.acknowledged);
  say(
    JSON.stringify({
      watchdog: WATCHDOG,
      rounds: told,
      acknowledged: load.acknowledged.length,
      lost: lost.length,
      doubled: doubled.length,
      answers: Object.fromEntries(load.answers),
      slowestMs: Math.round(load.slowest),
      resets: cluster.nodes.map(({ resets }) => resets),
    }),
  );
  expect(doubled).toEqual([]);
  expect([...load.answers.keys()].filter((name) => name.startsWith('check '))).toEqual([
    'check 200',
  ]);
  if (WATCHDOG) expect(lost).toEqual([]);
}

const missing = missingPrograms();
// Who names a folder wants the round.
const isTried = missing === undefined || process.env.NODE_ROOT !== undefined;

(isTried ? test : test.skip)(
  `the database fails over, ${ROUNDS} times for each fault, ${WATCHDOG ? 'with' : 'without'} a watchdog`,
  async () => {
    if (missing !== undefined) throw new Error(missing);
    const folder = mkdtempSync(join(tmpdir(), 'failover-'));
    later(() => Promise.resolve(rmSync(folder, { recursive: true, force: true })));
    chmodSync(folder, 0o755);
    certificate(folder);
    const cluster = new Cluster(folder);
    try {
      await failOver(cluster, folder);
    } catch (error) {
      for (const { name, log } of cluster.nodes) say(`${name} wrote at last:\n${log}`);
      throw error;
    }
  },
  // A fault and the way back take at most two minutes.
  (5 + 2 * 7 * ROUNDS) * 60_000,
);
