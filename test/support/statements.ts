import type { Transactions } from '../../src/platform/database/transactions.js';
import type { Tx } from '../../src/platform/database/engine/tx.js';

/**
 * From now on, a transaction fails that starts a statement before the one before has ended, or ends before its last
 * statement: on PostgreSQL, a statement that fails then is not rolled back, or ends the process.
 * @returns how many transactions run now
 */
export function refuseOverlaps(transactions: Transactions): () => number {
  let running = 0;
  for (const name of ['run', 'runBatch'] as const) {
    const run = transactions[name].bind(transactions);
    transactions[name] = async <T>(work: (tx: Tx) => Promise<T>, until?: number): Promise<T> => {
      running += 1;
      try {
        return await run(async (tx) => {
          const open = new Set<string>();
          const result = await work(withOpen(tx, open));
          if (open.size > 0) throw new Error(`The work ends before ${[...open].join(' and ')}.`);
          return result;
        }, until);
      } finally {
        running -= 1;
      }
    };
  }
  return () => running;
}

/** @param open receives the names of statements that have not ended */
function withOpen(tx: Tx, open: Set<string>): Tx {
  return new Proxy(tx, {
    get(target, name: keyof Tx) {
      const method = target[name] as unknown;
      if (typeof method !== 'function') return method;
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
