import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import {
  constants,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { Socket } from 'node:net';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';
import { later } from '../support/closing.js';
import type { Machine } from './network.js';

/**
 * The programs of the nodes: of this computer, or of a Debian in this folder, in which /tmp, /proc, /dev and
 * /dev/shm are mounted.
 */
const ROOT = process.env.NODE_ROOT ?? '/';

const BINARIES = ['15', '16', '17'].map((version) => `/usr/lib/postgresql/${version}/bin`);
const postgresBinaries = () =>
  BINARIES.find((folder) => existsSync(join(ROOT, folder, 'postgres')));

/** What the round cannot run without; undefined if all is there. */
export function missingPrograms(): string | undefined {
  const isIn = (root: string) => (program: string) =>
    ['usr/bin', 'usr/sbin', 'bin', 'sbin'].some((folder) =>
      existsSync(join(root, folder, program)),
    );
  const missing = [
    ...['patroni', 'etcd'].filter((program) => !isIn(ROOT)(program)),
    ...['haproxy', 'openssl', 'ip', 'tc'].filter((program) => !isIn('/')(program)),
  ];
  if (postgresBinaries() === undefined) missing.push('postgresql');
  // Without it, Patroni has no semaphores: it asks no other node, and closes connections without an answer.
  if ((statSync(join(ROOT, 'dev/shm')).mode & 0o002) === 0) missing.push(`a tmpfs at /dev/shm`);
  if (missing.length > 0) return `missing: ${missing.join(', ')}`;
  return process.getuid?.() === 0 ? undefined : 'it must run as root, to become postgres';
}

const inRoot = (...words: string[]) =>
  execFileSync('chroot', [ROOT, ...words], { encoding: 'utf8' }).trim();

/** Of the nodes. */
export function versions(): string {
  const lines = [
    inRoot('patroni', '--version'),
    inRoot(`${postgresBinaries()!}/postgres`, '--version'),
    inRoot('etcd', '--version'),
  ];
  return lines.map((text) => text.split('\n')[0]).join('; ');
}

interface PatroniFile {
  name: string;
  restapi: { listen: string; connect_address: string };
  watchdog: Record<string, unknown>;
  bootstrap: { dcs: { ttl: number; postgresql: { parameters: Record<string, unknown> } } };
  postgresql: Record<string, unknown>;
}

/** The addresses of deploy/patroni, in the network of the test. */
const here = (text: string) => text.replaceAll('10.0.', '10.77.');

/**
 * A node of deploy/patroni: etcd, Patroni and PostgreSQL. `watchdog` plays the device: it kills everything
 * on the node when Patroni has not written in time, as a reset of the machine would.
 */
export class PatroniNode {
  private readonly children: ChildProcess[] = [];
  private readonly user = ['-u', '-g'].map((flag) => inRoot('id', flag, 'postgres')).join(':');
  /** When the watchdog resets the machine; infinite while it is not armed. */
  private timeout = Infinity;
  private lastWrite = 0;
  resets = 0;

  constructor(
    readonly name: string,
    readonly machine: Machine,
    private readonly folder: string,
    private readonly withWatchdog: boolean,
  ) {
    mkdirSync(folder, { mode: 0o700 });
    execFileSync('mkfifo', [join(folder, 'watchdog')]);
    this.writeFiles();
    execFileSync('chown', ['-R', this.user, folder]);
    this.playWatchdog();
    later(() => Promise.resolve(this.kill()));
  }

  get api(): string {
    return `http://${this.machine.address}:8008`;
  }

  /** The end of what its programs have written. */
  get log(): string {
    return readFileSync(join(this.folder, 'log'), 'utf8').split('\n').slice(-40).join('\n');
  }

  start(): void {
    this.timeout = Infinity;
    for (const words of [
      ['/usr/bin/etcd', '--config-file', join(this.folder, 'etcd.yml')],
      ['/usr/bin/patroni', join(this.folder, 'patroni.yml')],
    ]) {
      const log = openSync(join(this.folder, 'log'), 'a');
      const become = ['chroot', `--userspec=${this.user}`, ROOT];
      const [program, ...rest] = this.machine.command(...become, ...words);
      const child = spawn(program, rest, {
        env: { PATH: process.env.PATH, HOME: this.folder, LC_ALL: 'C.UTF-8' },
        stdio: ['ignore', log, log],
      });
      this.children.push(child);
    }
  }

  freeze(): void {
    this.signal('STOP');
  }

  thaw(): void {
    this.signal('CONT');
  }

  kill(): void {
    this.timeout = Infinity;
    this.signal('KILL');
    this.children.length = 0;
  }

  private signal(name: 'STOP' | 'CONT' | 'KILL'): void {
    const lines = execFileSync('ps', ['-eo', 'pid=,ppid='], { encoding: 'utf8' })
      .trim()
      .split('\n');
    const parents = lines.map((line) => line.trim().split(/\s+/).map(Number));
    const pids = new Set(this.children.map(({ pid }) => pid!));
    const pidFile = join(this.folder, 'data/postmaster.pid');
    if (existsSync(pidFile)) {
      const pid = Number.parseInt(readFileSync(pidFile, 'utf8'), 10);
      const command = `/proc/${pid}/cmdline`;
      if (existsSync(command) && readFileSync(command, 'utf8').includes(this.folder)) pids.add(pid);
    }
    for (let size = 0; size < pids.size;) {
      size = pids.size;
      for (const [pid, parent] of parents) if (pids.has(parent!)) pids.add(pid!);
    }
    for (const pid of pids) {
      try {
        process.kill(pid, `SIG${name}`);
      } catch {
        // It has ended.
      }
    }
  }

  private writeFiles(): void {
    const own = this.machine.address;
    const etcd = here(readFileSync('deploy/patroni/etcd.conf.yml', 'utf8'));
    writeFileSync(
      join(this.folder, 'etcd.yml'),
      etcd
        .replace(/^name: .*/m, `name: ${this.name}`)
        .replace(/^data-dir: .*/m, `data-dir: ${join(this.folder, 'etcd')}`)
        .replaceAll(
          /^((?:listen|initial-advertise|advertise)\S+) http:\/\/[\d.]+/gm,
          `$1 http://${own}`,
        ),
    );
    const patroni = parse(here(readFileSync('deploy/patroni/patroni.yml', 'utf8'))) as PatroniFile;
    patroni.name = this.name;
    patroni.restapi = { listen: `${own}:8008`, connect_address: `${own}:8008` };
    patroni.watchdog = this.withWatchdog
      ? { ...patroni.watchdog, driver: 'testing', device: join(this.folder, 'watchdog') }
      : { mode: 'off' };
    const { parameters } = patroni.bootstrap.dcs.postgresql;
    parameters.ssl_cert_file = join(this.folder, '../server.crt');
    parameters.ssl_key_file = join(this.folder, 'server.key');
    Object.assign(patroni.postgresql, {
      listen: `${own}:5432`,
      connect_address: `${own}:5432`,
      data_dir: join(this.folder, 'data'),
      bin_dir: postgresBinaries(),
      parameters: {
        unix_socket_directories: this.folder,
        ssl_cert_file: join(this.folder, '../server.crt'),
        ssl_key_file: join(this.folder, 'server.key'),
      },
    });
    delete parameters.ssl_cert_file;
    delete parameters.ssl_key_file;
    writeFileSync(join(this.folder, 'patroni.yml'), stringify(patroni), { mode: 0o600 });
    writeFileSync(
      join(this.folder, 'server.key'),
      readFileSync(join(this.folder, '../server.key')),
      {
        mode: 0o600,
      },
    );
  }

  /** Patroni's driver `testing` writes to a pipe what it would tell the device. */
  private playWatchdog(): void {
    const fd = openSync(join(this.folder, 'watchdog'), constants.O_RDWR | constants.O_NONBLOCK);
    const pipe = new Socket({ fd });
    pipe.on('data', (bytes: Buffer) => {
      const text = bytes.toString();
      this.lastWrite = performance.now();
      const [, seconds] = /Ctimeout=(\d+)/.exec(text) ?? [];
      if (seconds !== undefined) this.timeout = Number(seconds) * 1_000;
      if (text.endsWith('V')) this.timeout = Infinity;
    });
    const timer = setInterval(() => {
      if (performance.now() - this.lastWrite < this.timeout) return;
      this.resets += 1;
      this.kill();
    }, 200);
    later(() => {
      clearInterval(timer);
      pipe.destroy();
      return Promise.resolve();
    });
  }
}
