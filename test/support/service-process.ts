import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { dirname, join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { searchForCost } from './answers.js';
import { later } from './closing.js';
import { type DatabaseSettings, environmentOf } from './databases.js';
import { Http } from './http.js';
import { inherited, nodeOptions } from './processes.js';

const built = resolve(dirname(fileURLToPath(import.meta.url)), '../..');

type Environment = Readonly<Record<string, string>>;

interface Options {
  readonly environment?: Environment;
  /** A command that runs the service, such as `strace -f`. */
  readonly under?: readonly string[];
  readonly uid?: number;
}

interface Ended {
  readonly code: number | null;
  readonly output: string;
}

/** The service as a separate process, as operators run it. */
export class ServiceProcess {
  output = '';
  readonly ended: Promise<Ended>;

  /** @param isSearched whether it may say no cost of a supplier, unlike commands of the operator */
  constructor(
    private readonly child: ChildProcess,
    isSearched: boolean,
  ) {
    for (const stream of [child.stdout!, child.stderr!]) {
      let last = '';
      stream.setEncoding('utf8').on('data', (text: string) => {
        this.output += text;
        // A cost may be in two parts.
        if (isSearched) searchForCost('a log line', last + text);
        last = text.slice(-20);
      });
    }
    this.ended = once(child, 'close').then(([code]) => ({
      code: code as number | null,
      output: this.output,
    }));
  }

  get pid(): number {
    return this.child.pid!;
  }

  get isRunning(): boolean {
    return this.child.exitCode === null && this.child.signalCode === null;
  }

  /** SIGKILL. */
  async kill(): Promise<void> {
    this.child.kill('SIGKILL');
    await this.ended;
  }

  async stop(): Promise<Ended> {
    this.child.kill('SIGTERM');
    return this.ended;
  }
}

function start(script: string, words: readonly string[], options: Options): ServiceProcess {
  const { environment = {}, under = [], uid } = options;
  const [program, ...parameters] = [
    ...under,
    process.execPath,
    ...nodeOptions,
    join(built, 'src', script),
    ...words,
  ] as [string, ...string[]];
  const child = spawn(program, parameters, {
    env: {
      ...inherited,
      NODE_ENV: 'production',
      HOST: '127.0.0.1',
      PORT: '0',
      DRAIN_SECONDS: '0',
      PUBLIC_URL: 'http://127.0.0.1',
      SALES_CONTACT: 'sales@example.net',
      ALLOW_INSECURE: 'no-rate-limits',
      ...environment,
    },
    ...(uid !== undefined && { uid, gid: uid }),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const started = new ServiceProcess(child, script === 'main.js');
  later(async () => {
    if (started.isRunning) await started.kill();
  });
  return started;
}

/** Runs an operator's command to its end. */
export function cli(
  database: DatabaseSettings,
  words: readonly string[],
  options: Options = {},
): Promise<Ended> {
  const environment = { ...environmentOf(database), ...options.environment };
  return start('cli/main.js', words, { ...options, environment }).ended;
}

/** Starts the service, which has to end before it listens. @returns its output */
export async function refusedStart(
  database: DatabaseSettings,
  options: Options = {},
): Promise<Ended> {
  const environment = { ...environmentOf(database), ...options.environment };
  const service = start('main.js', [], { ...options, environment });
  const outcome = await Promise.race([service.ended, listening(service)]);
  if (typeof outcome === 'object') return outcome;
  await service.kill();
  throw new Error('The service started.');
}

/** Starts the service as a process, and waits until it listens. */
export async function startProcess(
  database: DatabaseSettings,
  options: Options = {},
): Promise<{ service: ServiceProcess; http: Http }> {
  const environment = { ...environmentOf(database), ...options.environment };
  const service = start('main.js', [], { ...options, environment });
  const outcome = await Promise.race([service.ended, listening(service)]);
  if (typeof outcome === 'object') {
    throw new Error(`The service ended with ${outcome.code}: ${outcome.output}`);
  }
  const http = new Http(outcome);
  later(() => Promise.resolve(http.close()));
  return { service, http };
}

async function listening(service: ServiceProcess): Promise<number> {
  while (service.isRunning) {
    const [, port] = /Listening on 127\.0\.0\.1:(\d+)/.exec(service.output) ?? [];
    if (port !== undefined) return Number(port);
    await sleep(10);
  }
  return new Promise<never>(() => undefined); // `ended` tells
}
