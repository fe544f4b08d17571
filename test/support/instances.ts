import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { later } from './closing.js';
import { type DatabaseSettings, environmentOf } from './databases.js';
import { Http } from './http.js';
import { inherited, nodeOptions } from './processes.js';

const main = fileURLToPath(new URL('../../src/main.js', import.meta.url));
const cli = fileURLToPath(new URL('../../src/cli/main.js', import.meta.url));

function start(file: string, args: readonly string[], env: Readonly<Record<string, string>>) {
  return spawn(process.execPath, [...nodeOptions, file, ...args], {
    env: { ...inherited, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

/** The service as a separate process, which ends with the test file. */
export async function startProcess(database: DatabaseSettings): Promise<Http> {
  const child = start(main, [], {
    ...environmentOf(database),
    NODE_ENV: 'production',
    PUBLIC_URL: 'http://localhost',
    SALES_CONTACT: 'sales@operator.example',
    HOST: '127.0.0.1',
    PORT: '0',
    ALLOW_INSECURE: 'no-rate-limits',
  });
  later(async () => {
    child.kill('SIGKILL');
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  });
  child.stderr.resume();
  for await (const line of createInterface({ input: child.stdout })) {
    const port = /Listening on [^ ]*:(\d+),/.exec(line)?.[1];
    if (!port) continue;
    child.stdout.resume();
    const http = new Http(Number(port));
    later(() => Promise.resolve(http.close()));
    return http;
  }
  throw new Error('The process ended before it listened.');
}

/** An operator's command, as a separate process. */
export function startCommand(database: DatabaseSettings, ...args: string[]): ChildProcess {
  const child = start(cli, args, { ...environmentOf(database), NODE_ENV: 'test' });
  child.stdout.resume();
  child.stderr.resume();
  return child;
}

/** The exit code; null after a signal. */
export async function endOf(child: ChildProcess): Promise<number | null> {
  if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
  const [code] = (await once(child, 'exit')) as [number | null];
  return code;
}
