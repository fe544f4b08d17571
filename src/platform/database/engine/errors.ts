import { Unavailable } from '../../problems/problem.js';

const outages = new Set([
  // Sockets
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  // Names
  'ENOTFOUND',
  'EAI_AGAIN',
  'EAI_FAIL',
  // SQLite result codes, https://www.sqlite.org/rescode.html
  'SQLITE_BUSY',
  'SQLITE_FULL',
  'SQLITE_IOERR',
  'SQLITE_CANTOPEN',
  'SQLITE_READONLY',
  // PostgreSQL SQLSTATE, https://www.postgresql.org/docs/current/errcodes-appendix.html
  '53100', // disk_full
  '53200', // out_of_memory
  '53300', // too_many_connections
  '55P03', // lock_not_available
  '57014', // query_canceled (statement_timeout)
  '57P01', // admin_shutdown
  '57P02', // crash_shutdown
  '57P03', // cannot_connect_now
  '25006', // read_only_sql_transaction
  '40001', // serialization_failure
  '40P01', // deadlock_detected
]);

/** Why the database was unavailable: the label of a metric. */
export const outageCauses = [
  'unreachable',
  'name',
  'timeout',
  'refused',
  'too-many-connections',
  'read-only',
  'locked',
  'disk-full',
  'other',
] as const;
export type OutageCause = (typeof outageCauses)[number];

const causesByCode: readonly (readonly [pattern: RegExp, cause: OutageCause])[] = [
  [/^(?:ECONN|EPIPE|EHOST|ENET|08|57P)/, 'unreachable'],
  [/^(?:ENOTFOUND|EAI_)/, 'name'],
  [/^(?:ETIMEDOUT|57014)/, 'timeout'],
  [/^28/, 'refused'],
  [/^53300/, 'too-many-connections'],
  [/^(?:25006|SQLITE_READONLY)/, 'read-only'],
  [/^(?:SQLITE_BUSY|55P03|4000|40P)/, 'locked'],
  [/^(?:SQLITE_FULL|53100)/, 'disk-full'],
];

/** Undefined if the database was not unavailable. */
export function outageCause(thrown: unknown): OutageCause | undefined {
  for (let error: unknown = thrown, depth = 0; error instanceof Error && depth < 4; depth += 1) {
    const { code, message } = error as { code?: unknown; message: string };
    if (typeof code === 'string' && !(error instanceof Unavailable)) {
      const [, cause] = causesByCode.find(([pattern]) => pattern.test(code)) ?? [];
      if (cause) return cause;
    } else if (/time-?out|in time/i.test(message)) return 'timeout';
    error = (error as { driverError?: unknown }).driverError ?? error.cause;
  }
  return isDatabaseOutage(thrown) || thrown instanceof Unavailable ? 'other' : undefined;
}

/** Errors of `pg` without a code, after a time-out or a lost connection. */
const outageMessage = /timeout|terminated|Connection ended|not queryable|before establishing/i;

/** Whether the database is unavailable, as opposed to a bug. */
export function isDatabaseOutage(thrown: unknown): boolean {
  for (let error: unknown = thrown, depth = 0; error instanceof Error && depth < 4; depth += 1) {
    const { code } = error as { code?: unknown };
    if (typeof code === 'string') {
      if (outages.has(code) || code.startsWith('08')) return true;
      if (code.startsWith('SQLITE_') && outages.has(code.split('_', 2).join('_'))) return true;
    } else if (outageMessage.test(error.message) && isDriverError(error)) return true;
    error = (error as { driverError?: unknown }).driverError ?? error.cause;
  }
  return false;
}

/** Whether the database is unavailable, or a deadline has passed. */
export function isUnavailable(thrown: unknown): boolean {
  return thrown instanceof Unavailable || isDatabaseOutage(thrown);
}

function isDriverError(error: Error): boolean {
  return error.stack?.includes('node_modules/pg') ?? false;
}

/** SQLite's result code or PostgreSQL's SQLSTATE. */
function codeOf(thrown: unknown): string {
  const error = thrown as { code?: unknown; driverError?: { code?: unknown } } | null;
  return String(error?.driverError?.code ?? error?.code);
}

/** Whether another process holds SQLite's write lock. */
export function isBusy(thrown: unknown): boolean {
  return codeOf(thrown).startsWith('SQLITE_BUSY');
}

/** Whether a unique index or primary key has the row's key already. */
export function isUniqueViolation(thrown: unknown): boolean {
  return /^(23505|SQLITE_CONSTRAINT_(UNIQUE|PRIMARYKEY))$/.test(codeOf(thrown));
}

/** Whether the database refused a statement, as opposed to an outage. */
export function isRefusedStatement(thrown: unknown): boolean {
  return thrown instanceof Error && 'driverError' in thrown && !isDatabaseOutage(thrown);
}

/** Whether a server refused to write: it is a standby, or was set read-only (PostgreSQL). */
export function isReadOnly(thrown: unknown): boolean {
  return codeOf(thrown) === '25006';
}

/** Whether a statement waited too long for a row lock (PostgreSQL). */
export function isLockTimeout(thrown: unknown): boolean {
  return codeOf(thrown) === '55P03';
}
