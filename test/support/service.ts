import { describe, it } from '@jest/globals';
import type { LoggerService } from '@nestjs/common';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createApp } from '../../src/app.js';
import { AuditService } from '../../src/platform/audit/audit.service.js';
import { ChecksService } from '../../src/availability/checks.service.js';
import { answerBrokenRequests } from '../../src/platform/http/problem.filter.js';
import type { Config } from '../../src/platform/config/config.js';
import { RevisionsService } from '../../src/platform/database/revisions.service.js';
import { Transactions } from '../../src/platform/database/transactions.js';
import { Log as OutputLog } from '../../src/ops/log.js';
import { searchForCost } from './answers.js';
import { RequestLogService } from '../../src/ops/request-log.service.js';
import { later } from './closing.js';
import {
  type DatabaseSettings,
  type Engine,
  engines,
  newDatabase,
  testConfig,
} from './databases.js';
import { FakeClock } from './fake-clock.js';
import { chosenEngines } from './engines.js';
import { useEntrance } from './entrances.js';
import { Given } from './given.js';
import { Http } from './http.js';
import { refuseOverlaps } from './statements.js';

/**
 * Runs a suite on SQLite and on PostgreSQL. For what touches the behaviour of a database: races, retries, search,
 * lists, reports, retention, the schema, claims, batches and faults.
 */
export function onBothEngines(name: string, suite: (engine: Engine) => void): void {
  describe.each(engines)(`${name}, on %s`, suite);
}

/**
 * Runs a suite on one engine, which the name of the test file and `SEED` choose, so that every run meets both.
 * For rules that are the same on both: such a suite passes its engine on, and does not read it. `ENGINES=both`
 * runs it on both.
 */
export function onOneEngine(name: string, suite: (engine: Engine) => void): void {
  describe.each(chosenEngines())(`${name}, on %s`, suite);
}

/** For a rule within a suite that runs on both engines: `it` on the engine that `onOneEngine` chooses. */
export function ruleOn(engine: Engine): TestOf {
  return chosenEngines().includes(engine) ? it : ignored;
}

type TestOf = (name: string, test: () => void | Promise<void>, timeout?: number) => void;
const ignored: TestOf = () => undefined;

interface ServiceOptions {
  /** By default a new one. */
  readonly database?: DatabaseSettings;
  /** Settings other than the defaults. */
  readonly config?: Partial<Config>;
  readonly clock?: FakeClock;
  /** Receives all log lines, including requests. */
  readonly output?: OutputLog;
}

/** The complete running service, and its use in tests. */
export class Service {
  readonly http: Http;
  readonly given: Given;
  private closing: Promise<void> | undefined;
  private readonly started: Config;

  constructor(
    readonly app: NestExpressApplication,
    readonly config: Config,
    readonly clock: FakeClock,
    /** If a test file starts several services, the last one receives all messages. */
    readonly log: Log,
  ) {
    this.started = { ...config };
    this.http = new Http((this.server.address() as AddressInfo).port);
    this.given = new Given(app, this.http);
  }

  get<T>(type: new (...parameters: never[]) => T): T {
    return this.app.get(type, { strict: false });
  }

  /** For settings that the service reads at each use: these change, and all others are as at its start. */
  set(about: Partial<Config>): void {
    Object.assign(this.config, this.started, about);
  }

  /** Writes the waiting records of checks. */
  flushChecks(): Promise<void> {
    return this.get(ChecksService).flush();
  }

  /** Writes the audit entries of failed sign-ins, which otherwise happens a moment later. */
  flushAudit(): Promise<void> {
    return this.get(AuditService).flush();
  }

  /** Loads changes of other processes, which otherwise takes up to a second. */
  learnChanges(): Promise<void> {
    return this.get(RevisionsService).look();
  }

  /** Stops it before the test file ends. */
  close(): Promise<void> {
    this.closing ??= this.stop();
    return this.closing;
  }

  private async stop(): Promise<void> {
    this.http.close();
    this.server.closeIdleConnections();
    await this.app.close();
  }

  private get server(): Server {
    return this.app.getHttpServer();
  }
}

/** Starts the service on a free port, and stops it when the test file ends. */
export async function startService(engine: Engine, options: ServiceOptions = {}): Promise<Service> {
  const { clock = new FakeClock(), database = await newDatabase(engine) } = options;
  const config = testConfig({ ...database, ...options.config });
  const app = await createApp(config, clock, options.output);
  const log = new Log();
  app.useLogger(options.output ?? log);
  try {
    await app.listen(config.port, config.host);
  } catch (error) {
    await app.close();
    throw error;
  }
  const journal = app.get(RequestLogService);
  answerBrokenRequests(app.getHttpServer(), config.publicUrl, (problem, id) =>
    journal.refused(problem, id),
  );
  refuseOverlaps(app.get(Transactions));
  const service = new Service(app, config, clock, log);
  useEntrance(app, service.http);
  later(() => service.close());
  return service;
}

/** Warnings and errors, one text per message. `LOG=on` also prints them. */
class Log implements LoggerService {
  readonly lines: string[] = [];

  warn(...parts: unknown[]): void {
    const line = parts.join(' ');
    searchForCost('a log line', line);
    this.lines.push(line);
    if (process.env.LOG === 'on') process.stderr.write(`${line}\n`);
  }

  error(...parts: unknown[]): void {
    this.warn(...parts);
  }

  fatal(...parts: unknown[]): void {
    this.warn(...parts);
  }

  log(...parts: unknown[]): void {
    searchForCost('a log line', parts.join(' '));
  }
}
