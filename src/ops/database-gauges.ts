import type { Transactions } from '../database/transactions.js';

/** Counts and ages of rows in the database, for the metrics. Ages are in seconds, 0 where nothing waits. */
export interface DatabaseGauges {
  readonly open: Readonly<Record<string, number>>;
  readonly oldestWaitingSeconds: number;
  readonly outbox: Readonly<Record<string, number>>;
  readonly oldestMessageSeconds: number;
  readonly catalogue: { readonly version: number; readonly ageSeconds: number } | null;
}

interface Row {
  readonly state: string;
  readonly count: number | string;
  readonly oldest: number | string;
}

const openStates = ['waiting', 'in_progress', 'scheduled'];
const undelivered = ['waiting', 'dead'];

export async function readDatabaseGauges(transactions: Transactions, now: Date): Promise<DatabaseGauges> {
  const seconds = (since: number | string) => Math.max(0, (now.getTime() - Number(since)) / 1_000);
  const [orders, outbox, versions] = await transactions.read(async (tx) => {
    const count = (table: string, since: string, states: readonly string[]) =>
      tx.query<Row[]>(
        `SELECT state, COUNT(*) AS count, MIN(${since}) AS oldest FROM ${table} WHERE state IN (${states.map((state) => `'${state}'`).join(', ')}) GROUP BY state`,
      );
    return [
      await count('orders', 'received_at', openStates),
      await count('outbox_messages', 'created_at', undelivered).catch(() => []),
      await tx.query<{ number: number; activated_at: number | string }[]>(
        `SELECT number, activated_at FROM catalogue_versions WHERE state = 'active'`,
      ),
    ];
  });
  const numbers = (states: readonly string[], rows: readonly Row[]) =>
    Object.fromEntries(
      states.map((state) => [state, Number(rows.find((row) => row.state === state)?.count ?? 0)]),
    );
  const oldest = (rows: readonly Row[]) => {
    const waiting = rows.find(({ state }) => state === 'waiting');
    return waiting ? seconds(waiting.oldest) : 0;
  };
  const [active] = versions;
  return {
    open: numbers(openStates, orders),
    oldestWaitingSeconds: oldest(orders),
    outbox: numbers(undelivered, outbox),
    oldestMessageSeconds: oldest(outbox),
    catalogue: active ? { version: active.number, ageSeconds: seconds(active.activated_at) } : null,
  };
}
