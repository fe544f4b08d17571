import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { freePort } from '../support/postgres.js';
import { isInstalled, runWithFile } from './processes.js';

/** The deployed file, with the addresses of the test. */
function configuration(url: URL, port: number, poolSize: number): string {
  const database = url.pathname.slice(1);
  return readFileSync('deploy/pgbouncer/pgbouncer.ini', 'utf8')
    .replace(
      /^availability = .*$/m,
      `${database} = host=${url.hostname} port=${url.port} user=${url.username} password=${url.password}`,
    )
    .replace(/^listen_addr = .*$/m, 'listen_addr = 127.0.0.1')
    .replace(/^listen_port = .*$/m, `listen_port = ${port}`)
    .replace(/^default_pool_size = .*$/m, `default_pool_size = ${poolSize}`)
    .replace(/^auth_type = .*$/m, 'auth_type = any')
    .replace(/^auth_file = .*$/m, '')
    .replace(/^unix_socket_dir = .*$/m, 'unix_socket_dir =')
    .replace(/^(pidfile|logfile) = .*$/gm, '');
}

/** PgBouncer with the deployed file, which can be killed and frozen. */
export class PgBouncer {
  private child: ChildProcess | undefined;

  private constructor(
    private readonly server: URL,
    private readonly port: number,
    private readonly poolSize: number,
  ) {}

  static async before(databaseUrl: string, poolSize = 20): Promise<PgBouncer> {
    if (!isInstalled('pgbouncer')) {
      throw new Error('pgbouncer is needed: apt-get install pgbouncer');
    }
    const pooler = new PgBouncer(new URL(databaseUrl), await freePort(), poolSize);
    await pooler.start();
    return pooler;
  }

  /** Of the database, through it. */
  get url(): string {
    return Object.assign(new URL(this.server), { port: String(this.port) }).href;
  }

  async start(): Promise<void> {
    const { server, port, poolSize } = this;
    const file = configuration(server, port, poolSize);
    this.child = await runWithFile('pgbouncer', (name) => [name], file, port);
  }

  async kill(): Promise<void> {
    const exit = once(this.child!, 'exit');
    this.child!.kill('SIGKILL');
    await exit;
  }

  freeze(): void {
    this.child!.kill('SIGSTOP');
  }

  thaw(): void {
    this.child!.kill('SIGCONT');
  }
}
