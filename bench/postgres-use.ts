import { readdirSync, readFileSync } from 'node:fs';
import type { Ledger } from '../test/support/ledger.js';

export interface PostgresUse {
  /** Seconds of processor time. */
  readonly cpu: number;
  readonly walBytes: number;
  readonly commits: number;
}

/** Of the whole server, whose processes must be on this machine. */
export async function postgresUse(database: Ledger): Promise<PostgresUse> {
  const [row] = await database.rows<{ wal: string; commits: string; pid: number }>(
    `SELECT pg_current_wal_lsn() - '0/0' AS wal,
      (SELECT pid FROM pg_stat_activity WHERE backend_type = 'checkpointer') AS pid,
      (SELECT sum(xact_commit) FROM pg_stat_database) AS commits`,
  );
  const server = processOf(row!.pid).parent;
  const running = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  const own = running
    .map((name) => processOf(Number(name)))
    .filter(({ pid, parent }) => pid === server || parent === server);
  const cpu = own.reduce(
    (sum, { pid, seconds, ended }) => sum + seconds + (pid === server ? ended : 0),
    0,
  );
  return { cpu, walBytes: Number(row!.wal), commits: Number(row!.commits) };
}

/** Seconds of processor time of a process, and of its children that have ended. */
export function processOf(pid: number) {
  let stat = '';
  try {
    stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch {
    // It has ended.
  }
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [user = 0, system = 0, endedUser = 0, endedSystem = 0] = fields.slice(11, 15).map(Number);
  return {
    pid,
    parent: Number(fields[1]),
    seconds: (user + system) / 100,
    ended: (endedUser + endedSystem) / 100,
  };
}
