import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { later } from './closing.js';
import type { DatabaseSettings } from './databases.js';
import { startPostgres } from './postgres.js';

/** A separate PostgreSQL with durable writes, which can be stopped and frozen. */
export class PostgresMachine {
  private databases = 0;

  private constructor(
    readonly url: string,
    readonly directory: string,
    private postmaster: number,
    private readonly command: readonly string[],
    readonly owner: { readonly uid: number; readonly gid: number },
  ) {}

  static async start(): Promise<PostgresMachine> {
    const server = await startPostgres({ durable: true });
    const client = new pg.Client({ connectionString: server.url });
    await client.connect();
    const { rows } = await client.query<{ data_directory: string }>('SHOW data_directory');
    await client.end();
    const directory = rows[0]!.data_directory;
    const pid = Number(readFileSync(`${directory}/postmaster.pid`, 'utf8').split('\n')[0]);
    const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').slice(0, -1);
    const machine = new PostgresMachine(server.url, directory, pid, command, ownerOf(pid));
    later(async () => {
      await machine.thaw();
      await machine.stop();
      await server.stop();
    });
    return machine;
  }

  get pid(): number {
    return this.postmaster;
  }

  /** A new, empty database. */
  async newDatabase(options = ''): Promise<DatabaseSettings> {
    const name = `shop${(this.databases += 1)}`;
    await this.run(`CREATE DATABASE ${name} ${options}`);
    const databaseUrl = Object.assign(new URL(this.url), { pathname: `/${name}` }).href;
    return { sqliteFile: '', databaseUrl };
  }

  /** A tablespace in an empty folder that belongs to the server's user. */
  tablespace(name: string, folder: string): Promise<void> {
    return this.run(`CREATE TABLESPACE ${name} LOCATION '${folder}'`);
  }

  private async run(statement: string): Promise<void> {
    const client = new pg.Client({ connectionString: this.url });
    await client.connect();
    await client.query(statement);
    await client.end();
  }

  /** Freezes every process of the server. Sockets stay open, without answers. */
  freeze(): Promise<void> {
    this.signal('SIGSTOP');
    return Promise.resolve();
  }

  thaw(): Promise<void> {
    this.signal('SIGCONT');
    return Promise.resolve();
  }

  /** SIGINT is PostgreSQL's fast shutdown: it disconnects all clients. */
  async stop(): Promise<void> {
    if (!isAlive(this.postmaster)) return;
    send(this.postmaster, 'SIGINT');
    while (isAlive(this.postmaster)) await sleep(10);
  }

  /** Starts it again after `stop`. */
  async restart(environment: Readonly<Record<string, string>> = {}): Promise<void> {
    const [program, ...parameters] = this.command as [string, ...string[]];
    const child = spawn(program, parameters, {
      ...this.owner,
      cwd: this.directory,
      env: { PATH: process.env.PATH, LC_ALL: 'C', ...environment },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    this.postmaster = child.pid!;
    let said = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => (said += text));
    while (!said.includes('ready to accept connections')) {
      if (child.exitCode !== null) throw new Error(`PostgreSQL did not start again: ${said}`);
      await Promise.race([once(child.stderr, 'data'), once(child, 'exit')]);
    }
  }

  private signal(signal: 'SIGSTOP' | 'SIGCONT'): void {
    if (!isAlive(this.postmaster)) return;
    for (const pid of [this.postmaster, ...childrenOf(this.postmaster)]) send(pid, signal);
  }
}

/** Ignores a process that has ended since it was listed. */
function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** A zombie process counts as ended. */
function isAlive(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}

function ownerOf(pid: number): { uid: number; gid: number } {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const idIn = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)?.[1]);
  return { uid: idIn('Uid'), gid: idIn('Gid') };
}

function childrenOf(parent: number): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        return new RegExp(`^PPid:\\s+${parent}$`, 'm').test(
          readFileSync(`/proc/${pid}/status`, 'utf8'),
        );
      } catch {
        return false; // It has ended in the meantime.
      }
    });
}
