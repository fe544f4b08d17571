import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import type { LoadPlan, LoadRequest, LoadResult } from './load-plan.js';

/**
 * A load generator that needs less than half of the CPU of the leanest server, so that it is not the
 * bottleneck, and that compares every response with the expected one. (autocannon does neither: see
 * docs/develop/performance.md.) It runs as a child process, on its own core.
 */
process.on('message', (plan: LoadPlan) => {
  void load(plan).then((result) => process.send!(result));
});

/** Milliseconds between two turns that mean that the generator had no core. */
const AWAY = 2;
const ID_LENGTH = `{"id":"KR3FVJ7P2M`.length;
const INSTANT_LENGTH = '2026-11-21T09:45:00.000Z'.length;
const buffer = Buffer.alloc(65_536);
let cached: { file: string; requests: LoadRequest[] } | undefined;

function isBody(text: string, at: number, [before, after]: NonNullable<LoadRequest['answer']>) {
  return (
    text.length === at + before.length + INSTANT_LENGTH + after.length &&
    text.startsWith(before, at) &&
    text.endsWith(after)
  );
}

function requestsOf(file: string): LoadRequest[] {
  if (cached?.file !== file) {
    cached = { file, requests: JSON.parse(readFileSync(file, 'utf8')) as LoadRequest[] };
  }
  return cached.requests;
}

async function load(plan: LoadPlan): Promise<LoadResult> {
  const requests = requestsOf(plan.requests);
  const kinds = new Map(
    requests.map(({ kind }) => [kind, { count: 0, latencies: [] as number[] }]),
  );
  let next = Math.floor(Math.random() * requests.length);
  let wrong = 0;
  let example: string | undefined;
  let running = true;
  let due: number[] = [];
  const idle: Connection[] = [];
  const ports = [plan.port, ...(plan.morePorts ?? [])];
  let opened = 0;
  const turns = new Turns(plan.sleeps ?? false);

  class Connection {
    private readonly socket: Socket;
    private request: LoadRequest | undefined;
    private sentAt = 0;
    private received = '';
    private missing = 0;
    readonly closed: Promise<void>;

    constructor() {
      this.socket = connect({
        port: ports[(opened += 1) % ports.length]!,
        host: '127.0.0.1',
        noDelay: true,
        // Reads into one shared buffer, at half the cost of a stream of chunks.
        onread: {
          buffer,
          callback: (bytes) => {
            this.receive(buffer.toString('latin1', 0, bytes));
            return true;
          },
        },
      });
      this.closed = new Promise((resolve) => {
        this.socket.on('close', () => {
          if (this.request) this.refuse('the connection was closed');
          resolve();
        });
      });
      this.socket.on('error', () => undefined);
    }

    send(at: number): void {
      const { text, key } = (this.request = requests[next]!);
      next = next + 1 === requests.length ? 0 : next + 1;
      this.sentAt = at;
      this.socket.write(key === undefined ? text : text.replace(key, randomUUID()), 'latin1');
    }

    end(): void {
      if (!this.request) this.socket.end();
    }

    private receive(text: string): void {
      turns.busy = true;
      if (this.missing > 0) {
        this.received += text;
        this.missing -= text.length;
        if (this.missing > 0) return;
        text = this.received;
      }
      const end = text.indexOf('\r\n\r\n');
      const at = text.indexOf('ontent-Length: ');
      const length = at < 0 || at > end ? 0 : parseInt(text.slice(at + 15, at + 22), 10);
      const whole = end + 4 + length;
      if (end < 0 || text.length < whole) {
        this.received = text;
        this.missing = end < 0 ? 1 : whole - text.length;
        return;
      }
      this.missing = 0;
      this.answered(text, end + 4);
    }

    private answered(text: string, bodyAt: number): void {
      const request = this.request!;
      const now = performance.now();
      if (running) {
        const kind = kinds.get(request.kind)!;
        kind.count += 1;
        // Responses that arrived while the generator had no core have waited for an unknown time.
        if (turns.gapAt(now) === 0) kind.latencies.push(now - this.sentAt);
      }
      const { status, answer } = request;
      const right =
        text.startsWith(`HTTP/1.1 ${status}`) &&
        (answer === undefined || isBody(text, bodyAt + ID_LENGTH, answer));
      if (!right) this.refuse(text);
      this.request = undefined;
      if (!running) return this.end();
      if (plan.rate === undefined) return this.send(now);
      const waiting = due.shift();
      if (waiting === undefined) idle.push(this);
      else this.send(waiting);
    }

    private refuse(text: string): void {
      wrong += 1;
      example ??= `${this.request!.text.split('\r\n')[0]} -> ${text.slice(0, 600)}`;
    }
  }

  const begin = performance.now();
  const connections = Array.from({ length: plan.connections }, () => new Connection());
  const { rate } = plan;
  if (rate === undefined) for (const connection of connections) connection.send(begin);
  else idle.push(...connections);
  let sent = 0;
  let away = 0;
  await turns.until(begin + plan.duration * 1_000, (now, gap) => {
    // Requests that were due meanwhile have waited for the generator, not for the server.
    away += gap;
    if (gap > 0) due = due.map((at) => at + gap);
    if (rate === undefined) return;
    // Times a request that waits for a connection from when it was due: otherwise a server that stalls
    // would look fast.
    for (; sent < ((now - begin - away) / 1_000) * rate; sent += 1) {
      turns.busy = true;
      const connection = idle.shift();
      if (connection) connection.send(now);
      else due.push(begin + away + (sent / rate) * 1_000);
    }
  });
  running = false;
  const duration = (performance.now() - begin) / 1_000;
  for (const connection of connections) connection.end();
  await Promise.all(connections.map(({ closed }) => closed));
  return {
    duration,
    generatorBusy: turns.busyTime / 1_000 / duration,
    generatorAway: away / 1_000 / duration,
    kinds: Object.fromEntries(
      [...kinds].map(([kind, { count, latencies }]) => [
        kind,
        { count, perSecond: count / duration, ...waiting(latencies) },
      ]),
    ),
    wrong,
    ...(example !== undefined && { example }),
  };
}

/** The turns of the event loop, and the time of those with work. */
class Turns {
  /** Whether this turn has work. */
  busy = false;
  /** Milliseconds. */
  busyTime = 0;

  private last = performance.now();

  /** @param sleeps whether it sleeps between turns; then it cannot detect when it had no core */
  constructor(private readonly sleeps: boolean) {}

  /** Milliseconds without a core since the last turn. */
  gapAt(now: number): number {
    const gap = now - this.last;
    return gap > AWAY && !this.sleeps ? gap : 0;
  }

  /** Runs until this time; calls `each` once in every turn, with the gap before it. */
  until(end: number, each: (now: number, gap: number) => void): Promise<void> {
    this.last = performance.now();
    return new Promise((resolve) => {
      const turn = () => {
        const now = performance.now();
        each(now, this.gapAt(now));
        if (this.busy) this.busyTime += now - this.last;
        this.busy = false;
        this.last = now;
        if (now >= end) resolve();
        else if (this.sleeps) setTimeout(turn, 1);
        else setImmediate(turn);
      };
      turn();
    });
  }
}

function waiting(latencies: number[]) {
  const sorted = Float64Array.from(latencies).sort();
  const at = (part: number) =>
    sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? NaN;
  return { p50: at(0.5), p99: at(0.99), p999: at(0.999), max: at(1) };
}
