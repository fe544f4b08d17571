import type { LoggerService } from '@nestjs/common';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { randomUUID } from 'node:crypto';
import { copyFile, rm } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { type DataSource, In, type QueryRunner } from 'typeorm';
import { createApp } from '../../src/app.js';
import { AuditEntry } from '../../src/platform/audit/audit-entry.entity.js';
import { ChecksService } from '../../src/availability/checks.service.js';
import { Config, readConfig } from '../../src/platform/config/config.js';
import { RevisionsService } from '../../src/platform/database/revisions.service.js';
import { Transactions } from '../../src/platform/database/transactions.js';
import { Problem } from '../../src/platform/problems/problem.js';
import { Refused } from '../../src/platform/problems/refused.js';
import { BackgroundWork } from '../../src/platform/kernel/background-work.js';
import { SessionsService } from '../../src/staff/sessions/sessions.service.js';
import type { Engine } from '../support/databases.js';
import { FakeClock } from '../support/fake-clock.js';
import { Http, type Reply, type RequestOptions } from '../support/http.js';
import { databaseAt, newDatabaseFolder, onServer } from '../support/postgres.js';
import { templates } from '../support/templates.js';
import { HOUR } from './model/time.js';
import type { Random } from './random.js';
import { Receiver } from './receiver.js';

/** A request of a caller. */
export interface Sent extends RequestOptions {
  readonly method: string;
  readonly path: string;
  /** Sent as JSON, or as the form of a page. */
  readonly body?: unknown;
  /** The member of staff who sends the form of a page. */
  readonly by?: string;
}

/** The body of the answer to the form of a page: whether it was taken, its status says. */
export const BY_PAGE = {};

/** What the operator does in the process of the service, as the command line and pages do. @returns what it brought */
export type Operation = (service: Services) => Promise<object | void>;

/** Where the parts of a process are found. */
export interface Services {
  get<T>(type: new (...parameters: never[]) => T): T;
}

export type Answer = Reply<unknown>;

interface Job {
  readonly name: string;
  readonly interval: number;
  readonly firstAfter?: number;
  readonly work: (stopping: AbortSignal) => unknown;
}

/** The private parts of the service that the simulation takes over. */
interface Background {
  readonly jobs: readonly Job[];
  readonly failures: Readonly<Record<string, number>>;
  schedule(): void;
}

interface Connections {
  dataSource: DataSource & { driver: { createQueryRunner(mode: string): QueryRunner } };
  database: { rows?: { insert(...words: unknown[]): Promise<unknown> } };
}

/** The database has gone, as for a process that was killed. */
class Crashed extends Error {
  readonly code = 'ECONNRESET';
}

/** The database does not answer, or its disk is full; the process lives on. */
class Outage extends Error {
  constructor(readonly code: 'ECONNRESET' | 'SQLITE_FULL' | '53100') {
    super('The database is away.');
  }
}

/** Every wait in the simulation is bounded, so that a history never hangs. Milliseconds. */
const LONGEST_ANSWER = 30_000;

/** Of one database: how many statements until a crash, and which ones fail. */
interface Trouble {
  left: number;
  /** Statements before those that fail, and how many of these are left. */
  outage: { after: number; left: number } | null;
}

/** One process of the service, whose time and background work the simulation decides. */
class Instance {
  hasCrashed = false;
  readonly jobs: readonly (Job & { due: number })[];
  private readonly http: Http;

  private constructor(
    private readonly app: NestExpressApplication,
    private readonly trouble: Trouble,
    private readonly random: Random,
    now: number,
  ) {
    const { jobs } = this.get(BackgroundWork) as unknown as Background;
    this.jobs = jobs.map((job) => ({ ...job, due: now + (job.firstAfter ?? job.interval) }));
    this.watchStatements();
    this.http = new Http((this.app.getHttpServer().address() as AddressInfo).port);
  }

  static async start(
    { config, clock, trouble, random }: Surroundings,
    warnings: string[],
  ): Promise<Instance> {
    const log = quiet(warnings);
    const app = await createApp(config, clock);
    app.useLogger(log);
    const background = app.get<BackgroundWork, Background>(BackgroundWork, { strict: false });
    background.schedule = () => undefined;
    await app.listen(0, config.host);
    return new Instance(app, trouble, random, clock.now().getTime());
  }

  get<T>(type: new (...parameters: never[]) => T): T {
    return this.app.get(type, { strict: false });
  }

  /** @returns the answer, or null if the process crashed before it */
  async send(sent: Sent): Promise<Answer | null> {
    if (sent.by !== undefined) return this.sendForm(sent);
    const { method, path, body, token, headers } = sent;
    const json = body !== undefined;
    const answer = this.http.send({
      method,
      path,
      ...(token !== undefined && { token }),
      ...(json && { body: JSON.stringify(body) }),
      headers: { ...(json && { 'Content-Type': 'application/json' }), ...headers },
    });
    const reply = await within(LONGEST_ANSWER, `${method} ${path}`, answer);
    return this.hasCrashed ? null : reply;
  }

  /** @returns an answer with what it brought, or with why it was refused; null if the process crashed before the end */
  async operate(work: Operation): Promise<Answer | null> {
    const answer = (status: number, body: object): Answer => ({
      status,
      body,
      headers: {},
      text: '',
    });
    try {
      return answer(200, (await within(LONGEST_ANSWER, 'The operator', work(this))) ?? {});
    } catch (error) {
      if (this.hasCrashed || error instanceof Outage) return null;
      if (error instanceof Problem) return answer(error.status, { code: error.code });
      if (error instanceof Refused) return answer(422, { code: 'refused' });
      throw error;
    }
  }

  /** A page, as a member reads it, or the form of one as it is sent, by someone who has just signed in. */
  async visit(path: string, staffMemberId: string, fields?: object): Promise<Answer> {
    const browser = { userAgent: 'Simulation/1.0', address: '127.0.0.1' };
    const session = { staffMemberId, stage: 'open', method: 'password' } as const;
    const [sessions, transactions] = [this.get(SessionsService), this.get(Transactions)];
    const cookie = await transactions.run((tx) => sessions.start(tx, session, browser));
    const headers = { Cookie: `staff=${cookie}`, 'Sec-Fetch-Mode': 'navigate' };
    const form = { 'Content-Type': 'application/x-www-form-urlencoded' };
    const get = (at: string) => this.http.send({ method: 'GET', path: at, headers });
    const post = () =>
      this.http.send({
        method: 'POST',
        path,
        headers: { ...headers, ...form, 'Sec-Fetch-Site': 'same-origin' },
        body: new URLSearchParams(fields as Record<string, string>).toString(),
      });
    const answer = await (fields ? post() : get(path));
    const { location } = answer.headers;
    const last = location && !fields ? await get(location) : answer;
    // A session that is left would end, with an audit entry, when its member gets another role.
    await transactions.run((tx) => sessions.forget(tx, cookie));
    return last;
  }

  /** A form that was taken leads on to a page that says so. */
  private async sendForm({ path, by, body }: Sent): Promise<Answer> {
    const { status, headers } = await this.visit(path, by!, body as object);
    const isTaken = status === 303 && !headers.location?.startsWith('/staff/sign-in');
    return { status: isTaken ? 200 : status, headers, body: BY_PAGE, text: '' };
  }

  /** Writes what the buffers keep and learns what others have changed, which otherwise happens within a second. */
  async settle(): Promise<void> {
    await this.get(ChecksService).flush();
    await this.get(RevisionsService).look();
  }

  async end(): Promise<void> {
    this.http.close();
    this.app.getHttpServer().closeAllConnections();
    await this.app.close();
  }

  /** Every statement passes `strike`, on each connection. */
  private watchStatements(): void {
    const { dataSource, database } = this.get(Transactions) as unknown as Connections;
    const { rows } = database;
    if (rows) {
      const insert = rows.insert.bind(rows);
      rows.insert = (...words) => this.strike(() => insert(...words));
    }
    const { driver } = dataSource;
    const create = driver.createQueryRunner.bind(driver);
    const watched = new WeakSet<QueryRunner>();
    driver.createQueryRunner = (mode) => {
      const runner = create(mode);
      if (watched.has(runner)) return runner;
      watched.add(runner);
      const query = runner.query.bind(runner) as (...words: unknown[]) => Promise<unknown>;
      runner.query = ((...words: unknown[]) => {
        // A connection that ends takes its transaction back.
        const isEnd = /^\s*ROLLBACK/i.test(String(words[0]));
        const isCommit = /^\s*COMMIT/i.test(String(words[0]));
        return isEnd ? query(...words) : this.strike(() => query(...words), isCommit);
      }) as never;
      return runner;
    };
  }

  private async strike(query: () => Promise<unknown>, isCommit = false): Promise<unknown> {
    if (this.hasCrashed) throw new Crashed('The process has ended.');
    const { trouble } = this;
    trouble.left -= 1;
    const { outage } = trouble;
    if (outage && (outage.after -= 1) < 0 && outage.left > 0) {
      outage.left -= 1;
      const isPostgres = this.get(Config).databaseUrl !== null;
      const isFull = this.random.chance(30);
      // If the connection is lost during a commit, no one knows whether that has happened.
      if (isPostgres && !isFull && isCommit && this.random.chance(50)) await query();
      throw new Outage(isPostgres ? (isFull ? '53100' : 'ECONNRESET') : 'SQLITE_FULL');
    }
    if (trouble.left !== 0) return query();
    this.hasCrashed = true;
    // The statement may have reached the disk: also a COMMIT.
    if (this.random.chance(50)) await query();
    throw new Crashed('The process has ended.');
  }
}

interface Surroundings {
  readonly config: Config;
  readonly clock: FakeClock;
  readonly trouble: Trouble;
  readonly random: Random;
}

/**
 * The real application in this process, whose time, background work and end the simulation decides: periodic
 * jobs run only in `wait`, and `crash` ends it at any statement. Several instances share a database: each
 * request goes to one of them.
 */
export class SimulatedService {
  private instances: Instance[] = [];
  readonly receiver = new Receiver();
  /** Warnings and errors of the service, for the report of a failure. */
  readonly warnings: string[] = [];
  starts = 0;

  private constructor(
    private readonly around: Surroundings,
    private readonly removeDatabase: () => Promise<void>,
  ) {}

  /** Starts it on a new database. @param settings environment variables that differ from those of the simulation */
  static async start(
    engine: Engine,
    settings: Readonly<Record<string, string>>,
    random: Random,
    instances = 1,
  ): Promise<SimulatedService> {
    const { database, remove } = await newDatabase(engine);
    const config = readConfig({
      NODE_ENV: 'test',
      HOST: '127.0.0.1',
      PORT: '0',
      LOG_LEVEL: 'silent',
      ALLOW_INSECURE: 'no-rate-limits',
      WEBHOOK_KEY: Buffer.alloc(32, 7).toString('base64'),
      WEBHOOK_NETWORKS: '127.0.0.0/8',
      ...settings,
      ...database,
    });
    const clock = new FakeClock(new Date('2027-02-01T09:00:00Z'));
    const trouble = { left: Infinity, outage: null };
    const service = new SimulatedService({ config, clock, trouble, random }, remove);
    await service.receiver.listen();
    for (let i = 0; i < instances; i += 1) service.instances.push(await service.begin());
    return service;
  }

  get<T>(type: new (...parameters: never[]) => T): T {
    return this.instances[0]!.get(type);
  }

  get now(): number {
    return this.around.clock.now().getTime();
  }

  /** A request to one of the instances, or what the operator does there. @returns null if it crashed before the answer */
  send(sent: Sent | Operation): Promise<Answer | null> {
    const instance = this.around.random.pick(this.instances);
    return typeof sent === 'function' ? instance.operate(sent) : instance.send(sent);
  }

  /** The audit trail of staff, clients, tokens and the catalogue: subject, action and actor. */
  audit(): Promise<string[]> {
    const subjectType = In(['staff', 'client', 'token', 'catalogue']);
    return this.get(Transactions).read(async (tx) => {
      const entries = await tx.findBy(AuditEntry, { subjectType });
      return entries.map(
        ({ subjectType, action, actorName }) => `${subjectType} ${action} ${actorName}`,
      );
    });
  }

  /** All that the database holds, in lower case. */
  async everything(): Promise<string> {
    await this.settle();
    const { dataSource } = this.get(Transactions) as unknown as Connections;
    return this.get(Transactions).read(async (tx) => {
      const rows: unknown[] = [];
      for (const { tableName } of dataSource.entityMetadatas) {
        rows.push(await tx.createQueryBuilder().select().from(tableName, 't').getRawMany());
      }
      return JSON.stringify(rows).toLowerCase();
    });
  }

  /** A page, as a member reads it. */
  visit(path: string, staffMemberId: string): Promise<Answer> {
    return this.instances[0]!.visit(path, staffMemberId);
  }

  /** The process ends at its `statements`th statement from now, before or after the database has run it. */
  crashAt(statements: number): void {
    this.around.trouble.left = statements;
  }

  /** From the `after`th statement on, `count` statements fail. @returns a function that ends it, and says whether any has */
  failAt(after: number, count: number): () => boolean {
    const { trouble } = this.around;
    const outage = { after, left: count };
    trouble.outage = outage;
    return () => {
      trouble.outage = null;
      return outage.left < count;
    };
  }

  /** Starts what has crashed again, or one instance if `always`. @returns whether it did */
  async startAgain(always = false): Promise<boolean> {
    this.around.trouble.left = Infinity;
    const one = always ? this.around.random.pick(this.instances) : null;
    const ended = this.instances.filter((instance) => instance.hasCrashed || instance === one);
    for (const instance of ended) {
      await instance.end();
      this.instances[this.instances.indexOf(instance)] = await this.begin();
    }
    return ended.length > 0;
  }

  /** Time passes. @param works whether each periodic job runs once at its end; otherwise none has been due yet */
  async wait(milliseconds: number, works: boolean): Promise<void> {
    this.around.clock.advance({ milliseconds });
    if (works) await this.runJobs();
  }

  /** Writes what the buffers of all instances keep, and tells them of each other's changes. */
  async settle(): Promise<void> {
    for (const instance of this.instances) await instance.settle();
  }

  /** Runs the periodic jobs once, in an order that the seed decides; those of each hour or day only when they are due. */
  private async runJobs(): Promise<void> {
    await this.settle();
    const due = this.instances.flatMap((instance) =>
      instance.jobs
        .filter((job) => job.interval < HOUR || job.due <= this.now)
        .map((job) => ({ instance, job })),
    );
    while (due.length > 0) {
      const [next] = due.splice(this.around.random.below(due.length), 1);
      const { instance, job } = next!;
      job.due = this.now + job.interval;
      const { stopping } = instance.get(BackgroundWork);
      try {
        await within(LONGEST_ANSWER, job.name, Promise.resolve(job.work(stopping)));
      } catch (error) {
        throw new Error(`The job "${job.name}" failed.`, { cause: error });
      }
    }
  }

  async close(): Promise<void> {
    for (const instance of this.instances) await instance.end();
    await this.receiver.close();
    await this.removeDatabase();
  }

  private begin(): Promise<Instance> {
    this.starts += 1;
    return Instance.start(this.around, this.warnings);
  }
}

function quiet(warnings: string[]): LoggerService {
  const keep = (...parts: unknown[]) => {
    if (warnings.push(parts.join(' ')) > 50) warnings.shift();
  };
  return { log: () => undefined, warn: keep, error: keep, fatal: keep };
}

async function within<T>(milliseconds: number, what: string, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    const refuse = () => reject(new Error(`${what} took over ${milliseconds} ms.`));
    timer = setTimeout(refuse, milliseconds);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}

interface NewDatabase {
  readonly database: { readonly SQLITE_FILE: string; readonly DATABASE_URL: string };
  readonly remove: () => Promise<void>;
}

/** A copy of the template with tables. */
async function newDatabase(engine: Engine): Promise<NewDatabase> {
  const template = process.env[templates[engine]];
  if (!template) throw new Error('There is no template: call `makeTemplates` first.');
  if (engine === 'sqlite') {
    const folder = await newDatabaseFolder('availability-simulation');
    const file = join(folder, 'simulation.sqlite');
    await copyFile(template, file);
    const remove = () => rm(folder, { recursive: true, force: true });
    return { database: { SQLITE_FILE: file, DATABASE_URL: '' }, remove };
  }
  const server = process.env.TEST_POSTGRES_URL!;
  const name = `simulation_${randomUUID().replaceAll('-', '')}`;
  await onServer(server, `CREATE DATABASE ${name} TEMPLATE ${template} STRATEGY FILE_COPY`);
  const remove = () => onServer(server, `DROP DATABASE ${name} WITH (FORCE)`);
  return { database: { SQLITE_FILE: '', DATABASE_URL: databaseAt(server, name) }, remove };
}
