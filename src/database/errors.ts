const outages = new Set([
  // Sockets
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOTFOUND',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
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

/** What `pg` throws without a code when a connection or an answer does not come in time. */
const outageMessage = /timeout|terminated|Connection ended|not queryable|before establishing/i;

/** Whether the error means that the database cannot be used now, rather than a mistake of ours. */
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

function isDriverError(error: Error): boolean {
  return error.stack?.includes('node_modules/pg') ?? false;
}

/** Whether another process holds SQLite's write lock. */
export function isBusy(thrown: unknown): boolean {
  const error = thrown as { code?: unknown; driverError?: { code?: unknown } } | null;
  const code = error?.driverError?.code ?? error?.code;
  return typeof code === 'string' && code.startsWith('SQLITE_BUSY');
}

/** Whether the database refused a row because a unique index holds its key already. */
export function isUniqueViolation(thrown: unknown): boolean {
  const error = thrown as { code?: unknown; driverError?: { code?: unknown } } | null;
  const code = error?.driverError?.code ?? error?.code;
  return (
    code === '23505' ||
    code === 'SQLITE_CONSTRAINT_UNIQUE' ||
    code === 'SQLITE_CONSTRAINT_PRIMARYKEY'
  );
}

/**
 * Whether the database refused a statement, such as a row whose key is taken. Its transaction can be
 * repeated in parts; after an outage nothing is tried again.
 */
export function isRefusedStatement(thrown: unknown): boolean {
  return thrown instanceof Error && 'driverError' in thrown && !isDatabaseOutage(thrown);
}

/** Whether a statement waited too long for a row that another transaction holds (PostgreSQL). */
export function isLockTimeout(thrown: unknown): boolean {
  return (thrown as { driverError?: { code?: unknown } } | null)?.driverError?.code === '55P03';
}
