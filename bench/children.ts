import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { fileURLToPath } from 'node:url';
import type { LoadPlan, LoadResult } from './load-plan.js';
import { processOf } from './postgres-use.js';

const pinned = cpus().length > 1 && spawnSync('taskset', ['-V']).status === 0;
const SERVER_CORE = '0';
const GENERATOR_CORE = '1';
export const ALL_CORES = `0-${cpus().length - 1}`;

function start(
  cores: string,
  script: string,
  environment: NodeJS.ProcessEnv,
  nodeFlags: readonly string[],
  ipc: boolean,
): ChildProcess {
  const file = fileURLToPath(new URL(script, import.meta.url));
  const [command, ...first] = pinned
    ? ['taskset', '-c', cores, process.execPath]
    : [process.execPath];
  return spawn(command, [...first, ...nodeFlags, file], {
    env: environment,
    stdio: ['ignore', 'pipe', 'inherit', ...(ipc ? (['ipc'] as const) : [])],
  });
}

/** Runs a script on the servers' core. @returns its output */
export async function runPinned(
  script: string,
  environment: Readonly<Record<string, string>>,
): Promise<string> {
  const child = start(SERVER_CORE, script, { ...process.env, ...environment }, [], false);
  let text = '';
  child.stdout!.on('data', (chunk: Buffer) => (text += chunk.toString()));
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) throw new Error(`${script} ended with ${String(code)}:\n${text}`);
  return text;
}

/** A server in a separate process, which prints "Listening on …:<port>". */
export class Server {
  private constructor(
    readonly name: string,
    private readonly child: ChildProcess,
    readonly port: number,
    /** Milliseconds from start to listening. */
    readonly startTime: number,
  ) {}

  /**
   * @param script relative to this folder, compiled
   * @param cores by default its own one
   */
  static async start(
    name: string,
    script: string,
    environment: Readonly<Record<string, string>> = {},
    nodeFlags: readonly string[] = [],
    cores = SERVER_CORE,
  ): Promise<Server> {
    const begin = performance.now();
    const child = start(
      cores,
      script,
      { ...process.env, PORT: '0', ...environment },
      nodeFlags,
      false,
    );
    const port = await new Promise<number>((resolve, reject) => {
      let text = '';
      child.once('exit', (code) =>
        reject(new Error(`${name} ended with ${String(code)}:\n${text}`)),
      );
      child.stdout!.on('data', (chunk: Buffer) => {
        text += chunk.toString();
        const [, found] = /Listening on \S*:(\d+)/.exec(text) ?? [];
        if (found === undefined) return;
        // Reads and discards its log from now on.
        child.stdout!.removeAllListeners('data').resume();
        child.once('exit', (code, signal) =>
          process.stderr.write(`${name} ended: ${String(signal ?? code)}\n`),
        );
        resolve(Number(found));
      });
    });
    return new Server(name, child, port, performance.now() - begin);
  }

  /** Seconds of CPU, of all its threads, since its start. */
  get cpuSeconds(): number {
    return processOf(this.child.pid!).seconds;
  }

  /** Resident, in MB. */
  get memory(): number {
    const status = readFileSync(`/proc/${this.child.pid}/status`, 'utf8');
    return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? NaN) / 1_024;
  }

  async stop(): Promise<void> {
    if (this.child.exitCode !== null) return;
    const ended = once(this.child, 'exit');
    this.child.kill('SIGTERM');
    const cut = setTimeout(() => this.child.kill('SIGKILL'), 25_000);
    await ended;
    clearTimeout(cut);
  }
}

/** The load generator, on the other core. */
export class Generator {
  private readonly child = start(GENERATOR_CORE, './load-generator.js', process.env, [], true);

  async load(plan: LoadPlan): Promise<LoadResult> {
    const answer = once(this.child, 'message');
    this.child.send(plan);
    const [result] = (await answer) as [LoadResult];
    return result;
  }

  /** Seconds of CPU since its start. */
  get cpuSeconds(): number {
    return processOf(this.child.pid!).seconds;
  }

  stop(): void {
    this.child.kill();
  }
}

/** Restricts this process, which reads the servers' logs, to these cores. */
function runOn(cores: string): void {
  if (pinned) spawnSync('taskset', ['-a', '-c', '-p', cores, String(process.pid)]);
}

/** Runs `use` off the servers' core, then stops the generator and all servers. */
export async function withChildren<T>(
  use: (generator: Generator, keep: (server: Server) => Server) => Promise<T>,
): Promise<T> {
  runOn(GENERATOR_CORE);
  const generator = new Generator();
  const servers: Server[] = [];
  try {
    return await use(generator, (server) => {
      servers.push(server);
      return server;
    });
  } finally {
    generator.stop();
    await Promise.all(servers.map((server) => server.stop()));
    runOn(ALL_CORES);
  }
}
