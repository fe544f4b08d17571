import { AsyncResource } from 'node:async_hooks';
import { QueryFailedError } from 'typeorm';
import { isDatabaseOutage } from '../errors.js';
import { tooLate } from '../engine/engine.js';
import type { Transactions } from '../transactions.js';
import type { Tx } from '../engine/tx.js';

/** Transactions at once: SQLite has one writer; on PostgreSQL one is composed while another waits. */
const LANES = { sqlite: 1, postgres: 2 } as const;
/** Items of one transaction. */
const MOST = 64;

interface Waiting<T, R> {
  readonly item: T;
  /** When it is given up, unless its transaction has begun. */
  readonly until: number;
  readonly resolve: (result: R) => void;
  readonly reject: (error: Error) => void;
}

/**
 * Stores what many bring, in as few transactions as it comes in: whoever comes while others are being
 * stored is stored with the next. A commit, and on PostgreSQL each answer of the server, costs several
 * times the rows themselves. Nobody waits for others to come.
 */
export class Together<T, R> {
  private readonly waiting: Waiting<T, R>[] = [];
  private lanes = 0;
  /** The lanes are nobody's: what one caller works in, such as its deadline, is not another's. */
  private readonly nobodys = new AsyncResource('Together');

  /**
   * @param work stores all of them or, when it rejects, none. It gives the result of each, in turn: an
   * error where one is to be refused and the others are not
   */
  constructor(
    private readonly transactions: Transactions,
    private readonly work: (tx: Tx, items: readonly T[]) => Promise<(R | Error)[]>,
  ) {}

  /**
   * Stores the item within the deadline of the running work. When the promise resolves, it is on disk;
   * when it rejects, it is as with `Transactions.run`.
   */
  store(item: T): Promise<R> {
    const until = this.transactions.until;
    return new Promise((resolve, reject) => {
      const one: Waiting<T, R> = {
        item,
        until,
        resolve: (result) => (clearTimeout(timer), resolve(result)),
        reject: (error) => (clearTimeout(timer), reject(error)),
      };
      const timer = setTimeout(() => this.giveUp(one, tooLate()), until - Date.now());
      this.waiting.push(one);
      if (this.lanes < LANES[this.transactions.engine]) {
        this.nobodys.runInAsyncScope(() => void this.storeAll());
      }
    });
  }

  private giveUp(one: Waiting<T, R>, error: Error): void {
    const place = this.waiting.indexOf(one);
    if (place < 0) return;
    this.waiting.splice(place, 1);
    one.reject(error);
  }

  private async storeAll(): Promise<void> {
    this.lanes += 1;
    for (let [oldest] = this.waiting; oldest; [oldest] = this.waiting) {
      await this.storeGroup(oldest, () => this.waiting.splice(0, MOST));
    }
    this.lanes -= 1;
  }

  /** @param take called when the transaction has begun: whoever has come by then is stored in it */
  private async storeGroup(
    oldest: Waiting<T, R>,
    take: () => readonly Waiting<T, R>[],
  ): Promise<void> {
    let group: readonly Waiting<T, R>[] = [];
    try {
      const results = await this.transactions.within(oldest.until - Date.now(), () =>
        this.transactions.run((tx) => {
          group = take();
          return this.work(
            tx,
            group.map(({ item }) => item),
          );
        }),
      );
      for (const [i, { resolve, reject }] of group.entries()) {
        const result = results[i]!;
        if (result instanceof Error) reject(result);
        else resolve(result);
      }
    } catch (thrown) {
      const error = thrown as Error;
      // There was no transaction; the next in line tries for itself.
      if (group.length === 0) this.giveUp(oldest, error);
      else if (group.length > 1 && isRefusal(error)) {
        for (const one of group) await this.storeGroup(one, () => [one]);
      } else for (const { reject } of group) reject(error);
    }
  }
}

/**
 * Whether the database would not have something, such as a key that is taken: the others are not to
 * suffer for it. After an outage nothing is tried again.
 */
function isRefusal(error: unknown): boolean {
  return error instanceof QueryFailedError && !isDatabaseOutage(error);
}
