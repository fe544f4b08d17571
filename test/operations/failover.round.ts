import { expect, test } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { chmodSync, copyFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import pg from 'pg';
import { later } from '../support/closing.js';
import { Http } from '../support/http.js';
import { Ledger } from '../support/ledger.js';
import { check, newShop, order } from '../support/orders.js';
import { freePort } from '../support/postgres.js';
import { missingPrograms, PatroniNode } from './patroni-node.js';
import { Instance, runWithFile } from './processes.js';

/** Of each fault. `FAULTS=freeze,kill` chooses some of them. */
const ROUNDS = Number(process.env.ROUNDS ?? 1);
/** `off` shows what the watchdog is for: an acknowledged order can be lost. */
const WATCHDOG = process.env.WATCHDOG !== 'off';
const PASSWORD = 'replace-me';
/** Milliseconds. */
const PAUSE = { order: 100, retry: 250, check: 25 };
const FROZEN = 35_000;

const say = (text: string) => process.stdout.write(`${text}\n`);

interface Member {
  readonly name: string;
  readonly role: string;
  readonly state: string;
}

class Cluster {
  readonly nodes: readonly PatroniNode[];

  constructor(folder: string) {
    this.nodes = [1, 2, 3].map((n) => new PatroniNode(n, join(folder, `n${n}`), WATCHDOG));
    for (const node of this.nodes) node.start();
  }

  node(name: string): PatroniNode {
    return this.nodes.find((node) => node.name === name)!;
  }

  async members(): Promise<readonly Member[]> {
    for (const { api } of this.nodes) {
      try {
        const response = await fetch(`${api}/cluster`, { signal: AbortSignal.timeout(1_000) });
        return ((await response.json()) as { members: Member[] }).members;
      } catch {
        // Another node knows.
      }
    }
    return [];
  }

  /** A leader, and two standbys of which one is synchronous. */
  async healthy(): Promise<readonly Member[]> {
    for (let i = 0; i < 240; i += 1) {
      const members = await this.members();
      const roles = members
        .filter(({ state }) => state === 'running' || state === 'streaming')
        .map(({ role }) => role);
      if (roles.length === 3 && roles.includes('leader') && roles.includes('sync_standby')) {
        return members;
      }
      await wait(500);
    }
    throw new Error(`The cluster is not healthy: ${JSON.stringify(await this.members())}`);
  }
}

/** Ten new orders and forty checks a second. An order is repeated with its key until it is stored. */
class Load {
  readonly acknowledged: { readonly key: string; readonly at: number }[] = [];
  readonly answers = new Map<string, number>();
  slowest = 0;
  private running = true;
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

  stop(): void {
    this.running = false;
  }

  private async place(key: string): Promise<void> {
    while ((await this.ask('order', (http) => order(http, this.token, key, key))) !== 201) {
      await wait(PAUSE.retry);
    }
    this.acknowledged.push({ key, at: performance.now() });
  }

  private async ask(what: string, send: (http: Http) => Promise<{ status: number }>) {
    const http = this.instances[Math.floor(Math.random() * this.instances.length)]!;
    const start = performance.now();
    const { status } = await send(http);
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

const faults: Readonly<
  Record<string, (cluster: Cluster, leader: PatroniNode, standby: PatroniNode) => Promise<void>>
> = {
  switchover: async (_cluster, leader, standby) => {
    const body = JSON.stringify({ leader: leader.name, candidate: standby.name });
    const response = await fetch(`${leader.api}/switchover`, { method: 'POST', body });
    if (!response.ok) throw new Error(`No switchover: ${await response.text()}`);
    await wait(8_000);
  },
  kill: async (_cluster, leader) => {
    leader.kill();
    await wait(30_000);
    leader.start();
  },
  freeze: async (_cluster, leader) => {
    const { resets } = leader;
    leader.freeze();
    await wait(FROZEN);
    if (leader.resets > resets) leader.start();
    else leader.thaw();
  },
  standby: async (_cluster, _leader, standby) => {
    standby.kill();
    await wait(15_000);
    standby.start();
  },
};

const missing = missingPrograms();

(missing === undefined ? test : test.skip)(
  `the database fails over, ${ROUNDS} times for each fault, ${WATCHDOG ? 'with' : 'without'} a watchdog`,
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'failover-'));
    later(() => Promise.resolve(rmSync(folder, { recursive: true, force: true })));
    chmodSync(folder, 0o755);
    certificate(folder);
    const cluster = new Cluster(folder);
    later(async () => {
      if (process.env.KEEP) copyFileSync(join(folder, 'n1/log'), '/tmp/failover-n1.log');
      await wait(0);
    });
    await cluster.healthy();
    say(
      `cluster: ${JSON.stringify((await cluster.members()).map(({ name, role }) => [name, role]))}`,
    );

    const port = await freePort();
    const configuration = readFileSync('deploy/patroni/haproxy.cfg', 'utf8')
      .replaceAll('10.0.1.', '127.77.1.')
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
    const environment = { DATABASE_URL: databaseUrl, RATE_LIMITS: 'off', LOG_LEVEL: 'warn' };
    const instances = [
      new Instance(await freePort(), environment),
      new Instance(await freePort(), environment),
    ];
    await Promise.all(instances.map((instance) => instance.start()));
    const clients = instances.map((instance) => new Http(instance.port));
    later(() => Promise.resolve(clients.forEach((http) => http.close())));

    const load = new Load(clients, token);
    const running = load.run();
    await wait(3_000);
    const chosen = (process.env.FAULTS ?? Object.keys(faults).join(',')).split(',');
    const gaps: Record<string, string[]> = {};
    for (const name of chosen) {
      for (let round = 0; round < ROUNDS; round += 1) {
        const members = await cluster.healthy();
        const of = (role: string) => cluster.node(members.find((one) => one.role === role)!.name);
        const start = performance.now();
        await faults[name]!(cluster, of('leader'), of('sync_standby'));
        await cluster.healthy();
        await wait(2_000);
        const times = load.acknowledged.map(({ at }) => at).sort((a, b) => a - b);
        const after = times.filter((at) => at >= start - 1_000);
        const gap = Math.max(...after.slice(1).map((at, i) => at - after[i]!));
        (gaps[name] ??= []).push((gap / 1_000).toFixed(1));
        say(`${name}: no order acknowledged for ${(gap / 1_000).toFixed(1)} s`);
      }
    }
    load.stop();
    await running;
    await cluster.healthy();
    const stored = await new Ledger(database).counts('failover-');
    const lost = load.acknowledged.filter(({ key }) => !stored.has(key)).map(({ key }) => key);
    const doubled = [...stored].filter(([, count]) => count > 1);
    say(
      JSON.stringify({
        watchdog: WATCHDOG,
        gaps,
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
  },
);
