import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import http from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { later, newFolder } from '../support/closing.js';
import { nodeOptions } from '../support/processes.js';

/** An instance of the service in a separate process, which can be stopped and started again. */
export class Instance {
  private process: ChildProcess | undefined;
  output = '';

  constructor(
    readonly port: number,
    private readonly environment: Readonly<Record<string, string>>,
    /** The folder of another version of the service. */
    private readonly folder = process.cwd(),
    /** More options of Node.js. */
    private readonly options: readonly string[] = [],
  ) {
    later(() => this.stop('SIGKILL'));
  }

  async start(): Promise<void> {
    const environment = {
      PATH: process.env.PATH,
      NODE_ENV: 'production',
      PUBLIC_URL: 'http://localhost',
      SALES_CONTACT: 'sales@example.net',
      HOST: '127.0.0.1',
      PORT: String(this.port),
      OPS_PORT: 'off',
      ALLOW_INSECURE: 'no-rate-limits',
      ...this.environment,
    };
    const child = spawn(process.execPath, [...nodeOptions, ...this.options, 'dist/src/main.js'], {
      cwd: this.folder,
      env: environment,
    });
    this.process = child;
    const hear = (text: Buffer) =>
      void (this.output = (this.output + text.toString()).slice(-20_000));
    child.stdout.on('data', hear);
    child.stderr.on('data', hear);
    for (let i = 0; i < 600; i += 1) {
      if (child.exitCode !== null) throw new Error(`It did not start: ${this.output}`);
      if (await isReady(this.port)) return;
      await wait(50);
    }
    throw new Error(`It is not ready: ${this.output}`);
  }

  /** The exit code. */
  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<number | null> {
    const child = this.process;
    this.process = undefined;
    if (!child || child.exitCode !== null) return null;
    const exit = once(child, 'exit');
    child.kill(signal);
    return ((await exit) as [number | null])[0];
  }
}

export function isReady(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    // An instance that has just been killed may have accepted the connection.
    const options = {
      host: '127.0.0.1',
      port,
      path: '/health/ready',
      agent: false,
      timeout: 2_000,
    };
    const request = http.get(options, (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    });
    request.on('timeout', () => request.destroy()).on('close', () => resolve(false));
    request.on('error', () => resolve(false));
  });
}

export function isInstalled(program: string): boolean {
  return spawnSync('which', [program]).status === 0;
}

/** Runs a Debian program with a configuration file until the test file ends, or until it is killed. */
export async function runWithFile(
  program: string,
  makeArguments: (file: string) => string[],
  configuration: string,
  port: number,
): Promise<ChildProcess> {
  const folder = await newFolder('operations');
  const file = join(folder, 'configuration');
  writeFileSync(file, configuration, { mode: 0o644 });
  const root = process.getuid?.() === 0;
  if (root) spawnSync('chown', ['-R', 'nobody', folder]);
  const nobody = root ? Number(spawnSync('id', ['-u', 'nobody']).stdout.toString()) : undefined;
  const child = spawn(program, makeArguments(file), {
    stdio: ['ignore', 'pipe', 'pipe'],
    ...(nobody !== undefined && { uid: nobody }),
  });
  let output = '';
  child.stdout.on('data', (text: Buffer) => void (output += text.toString()));
  child.stderr.on('data', (text: Buffer) => void (output += text.toString()));
  later(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const exit = once(child, 'exit');
    child.kill('SIGKILL');
    await exit;
  });
  for (let i = 0; i < 100; i += 1) {
    if (child.exitCode !== null) throw new Error(`${program} ended: ${output}`);
    if (await accepts(port)) return child;
    await wait(100);
  }
  throw new Error(`${program} does not listen: ${output}`);
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.on('connect', () => (socket.destroy(), resolve(true)));
    socket.on('error', () => resolve(false));
  });
}
