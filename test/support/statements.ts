import { AsyncLocalStorage } from 'node:async_hooks';
import type { Transactions } from '../../src/platform/database/transactions.js';
import type { Tx } from '../../src/platform/database/engine/tx.js';

/** The transactions that some work has begun and not ended. */
const begun = new AsyncLocalStorage<{ open: number }>();

/** Fails if the work has ended before a transaction that it began. */
export async function withItsTransactions<T>(work: () => Promise<T>): Promise<T> {
  const own = { open: 0 };
  const result = await begun.run(own, work);
  if (own.open > 0) throw new Error(`The work ends before ${own.open} of its transactions.`);
  return result;
}

/**
 * From now on, a transaction fails that starts a statement before the one before has ended, or ends before its last
 * statement: on PostgreSQL, a statement that fails then is not rolled back, or ends the process.
 */
export function refuseOverlaps(transactions: Transactions): void {
  for (const name of ['run', 'runBatch', 'runStatement'] as const) {
    const run = transactions[name].bind(transactions);
    transactions[name] = async <T>(work: (tx: Tx) => Promise<T>, until?: number): Promise<T> => {
      const own = begun.getStore() ?? { open: 0 };
      own.open += 1;
      try {
        return await run(async (tx) => {
          const open = new Set<string>();
          const result = await work(withOpen(tx, open));
          if (open.size > 0) throw new Error(`The work ends before ${[...open].join(' and ')}.`);
          return result;
        }, until);
      } finally {
        own.open -= 1;
      }
    };
  }
}

/** @param open receives the names of statements that have not ended */
function withOpen(tx: Tx, open: Set<string>): Tx {
  return new Proxy(tx, {
    get(target, name: keyof Tx) {
      const method = target[name] as unknown;
      // A test may watch it.
      if (typeof method !== 'function' || 'mock' in method) return method;
      return (...parameters: unknown[]) => {
        if (open.size > 0)
          throw new Error(`${name} starts before ${[...open].join(' and ')} ends.`);
        const outcome: unknown = Reflect.apply(method, target, parameters);
        if (!(outcome instanceof Promise)) return outcome;
        open.add(name);
        return outcome.finally(() => open.delete(name));
      };
    },
  });
}
