import { Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { ClientErrorsService } from '../clients/client-errors.service.js';
import { CatalogueService } from '../catalogue/versions/catalogue.service.js';
import type { TrackedResponse } from '../platform/http/tracked-response.js';
import { type Caller, isInSandbox } from '../platform/access/caller.js';
import { Clock } from '../platform/kernel/clock.js';
import type { Problem } from '../platform/problems/problem.js';
import { callersRequestId, traceIdOf } from '../platform/http/request-id.js';
import { Counters } from '../platform/kernel/counters.js';
import type { Log } from './log.js';

/** Upper bounds in seconds, from a check in memory to the longest possible request. */
export const BOUNDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15];

/** The durations of one kind of request. */
export class DurationHistogram {
  private readonly counts = new Float64Array(BOUNDS.length + 1);
  private sum = 0;

  observe(seconds: number): void {
    let bucket = 0;
    while (bucket < BOUNDS.length && seconds > BOUNDS[bucket]!) bucket += 1;
    this.counts[bucket]! += 1;
    this.sum += seconds;
  }

  /** With cumulative buckets, as in Prometheus. */
  read(): { readonly buckets: readonly (readonly [string, number])[]; sum: number; count: number } {
    let count = 0;
    const buckets = Array.from(this.counts, (own, i): [string, number] => {
      count += own;
      return [i < BOUNDS.length ? String(BOUNDS[i]) : '+Inf', count];
    });
    return { buckets, sum: this.sum, count };
  }
}

interface RequestKind {
  readonly method: string;
  readonly route: string;
  readonly status: number;
}

interface KindTimes {
  readonly kind: RequestKind;
  /** The kind as JSON members. */
  readonly json: string;
  readonly series: DurationHistogram;
}

/** Durations by method, route template and status. Allocates nothing per request. */
export class RequestTimes {
  private readonly byRoute = new Map<string, Map<string, Map<number, KindTimes>>>();
  private readonly kinds: KindTimes[] = [];

  /** @returns those of its kind */
  observe(method: string, route: string, status: number, seconds: number): KindTimes {
    let byMethod = this.byRoute.get(route);
    if (!byMethod) this.byRoute.set(route, (byMethod = new Map<string, Map<number, KindTimes>>()));
    let byStatus = byMethod.get(method);
    if (!byStatus) byMethod.set(method, (byStatus = new Map<number, KindTimes>()));
    let times = byStatus.get(status);
    if (!times) {
      const kind = { method, route, status };
      times = { kind, json: JSON.stringify(kind).slice(1, -1), series: new DurationHistogram() };
      byStatus.set(status, times);
      this.kinds.push(times);
    }
    times.series.observe(seconds);
    return times;
  }

  all(): readonly KindTimes[] {
    return this.kinds;
  }
}

const ORDER = '/product-availability/order';
const known = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE']);

/** Counts every request when it ends, and logs it in a line. */
@Injectable()
export class RequestLogService {
  readonly times = new RequestTimes();
  readonly orders: Record<string, number> = {};
  readonly invalidPostcodes = { count: 0 };
  private log: Log | undefined;
  private lastTime = 0;
  private lastTimeText = '';
  private readonly callers = new WeakMap<Caller, string>();

  constructor(
    private readonly catalogue: CatalogueService,
    private readonly counters: Counters,
    private readonly clientErrors: ClientErrorsService,
    readonly clock: Clock,
  ) {}

  get lostLines(): number {
    return this.log?.lostLines ?? 0;
  }

  writeTo(log: Log): void {
    this.log = log.writesRequests ? log : undefined;
  }

  ended(answer: TrackedResponse): void {
    const request = answer.req as Request;
    const route = routeOf(request);
    const method = known.has(request.method) ? request.method : 'other';
    const status = answer.statusCode;
    const milliseconds = performance.now() - answer.began;
    const times = this.times.observe(method, route, status, milliseconds / 1_000);
    if (answer.problem) this.countProblem(answer.problem, request.user as Caller | undefined);
    if (route === ORDER && method === 'POST' && !isOfSandbox(request)) this.countOrder(answer);
    this.log?.writeLine(this.lineOf(request, answer, times, milliseconds));
  }

  /** Logs a message that Node's parser has refused. */
  refused(problem: Problem, id: string): void {
    const { json } = this.times.observe('other', 'unreadable', problem.status, 0);
    this.log?.writeLine(
      `{"level":"info","time":"${this.now()}","request":"${id}","trace":"${traceIdOf(id, undefined)}",${json},"ms":0,"problem":"${problem.code}","catalogue":${this.version}}\n`,
    );
  }

  /** Every value is generated here or validated: ASCII, without characters to escape. */
  private lineOf(
    request: Request,
    answer: TrackedResponse,
    { json }: KindTimes,
    milliseconds: number,
  ): string {
    const level = answer.statusCode < 500 ? 'info' : 'error';
    const trace = traceIdOf(request.id ?? '', request.headers.traceparent);
    let line = `{"level":"${level}","time":"${this.now()}","request":"${request.id}","trace":"${trace}",`;
    const inbound = callersRequestId(request);
    if (inbound !== undefined) line += `"inbound":"${inbound}",`;
    if (request.user) line += this.textOf(request.user as Caller);
    line += `${json},"ms":${hundredths(milliseconds)}`;
    if (answer.problem) line += `,"problem":"${answer.problem.code}"`;
    if (!answer.writableEnded) line += ',"aborted":true';
    return `${line},"catalogue":${this.version}}\n`;
  }

  /** The caller as JSON members of a line, cached. */
  private textOf(caller: Caller): string {
    let text = this.callers.get(caller);
    if (text === undefined) {
      const who = caller.kind === 'client' ? caller.clientId : caller.staffId;
      const by = caller.kind === 'staff' && caller.sessionId ? 'session' : 'token';
      text = `"${caller.kind}":"${who}","${by}":"${caller.tokenId}",`;
      this.callers.set(caller, text);
    }
    return text;
  }

  private get version(): number | null {
    return this.catalogue.loaded ? this.catalogue.current.version : null;
  }

  private countProblem({ code }: Problem, caller: Caller | undefined): void {
    if (caller?.kind === 'client') this.clientErrors.count(caller, code);
    if (code === 'missing-token' || code === 'insufficient-scope') this.counters.countRefused(code);
    if (code === 'invalid-postcode') this.invalidPostcodes.count += 1;
  }

  private countOrder(answer: TrackedResponse): void {
    const replayed = answer.hasHeader('Idempotent-Replayed') ? 'replayed' : 'accepted';
    const result = answer.statusCode < 400 ? replayed : (answer.problem?.code ?? 'rejected');
    this.orders[result] = (this.orders[result] ?? 0) + 1;
  }

  private now(): string {
    const now = this.clock.now();
    if (now.getTime() !== this.lastTime) {
      this.lastTime = now.getTime();
      this.lastTimeText = now.toISOString();
    }
    return this.lastTimeText;
  }
}

function isOfSandbox({ user }: Request): boolean {
  return user !== undefined && isInSandbox(user as Caller);
}

/** The texts of durations below 10 ms, which are nearly all. */
const short = Array.from({ length: 1_000 }, (_none, i) => (i / 100).toFixed(2));

/** With two decimals. */
function hundredths(milliseconds: number): string {
  return short[Math.round(milliseconds * 100)] ?? milliseconds.toFixed(2);
}

/** The template of the route, to bound the number of different labels. */
function routeOf(request: Request): string {
  const { route } = request as { route?: { path?: unknown } };
  return typeof route?.path === 'string' ? route.path : 'unmatched';
}
