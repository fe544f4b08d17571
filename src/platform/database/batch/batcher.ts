import { millisecondsTo } from '../../kernel/time.js';
import { outsideContext } from '../../kernel/turns.js';
import { tooLate } from '../engine/engine.js';

/** Items of one batch. */
const MOST = 64;

/** One batch, while it runs. */
export interface Batch<T> {
  /**
   * Adds up to `most` waiting items to this batch. Call it when the work can start, to include items
   * that arrived while it waited for a connection.
   */
  readonly take: (most?: number) => readonly T[];
  /** Number of items that wait. */
  readonly waiting: number;
  /** The deadline of its oldest item, as `performance.now()`. */
  readonly until: number;
}

/**
 * Does the work of all items that it takes, or rejects and does none. Returns their results in the order of
 * taking; an `Error` refuses only that item.
 */
export type RunBatch<T, R> = (batch: Batch<T>) => Promise<readonly (R | Error)[]>;

export interface BatchSettings {
  /** Whether to retry the items of a failed batch one by one, to find the faulty one. */
  readonly isRetriedSingly?: (error: unknown) => boolean;
  /**
   * Whether the items that wait for the next batch would fail in the same way, and fail at once. Not asked
   * of a batch that ended at the deadline of its oldest item: the others have more time.
   */
  readonly failsWaiting?: (error: unknown) => boolean;
}

interface QueuedItem<T, R> {
  readonly item: T;
  readonly until: number;
  readonly resolve: (result: R) => void;
  readonly reject: (error: Error) => void;
}

/**
 * Lets concurrent items share a transaction or a query, because a commit or a query costs more than its
 * rows. Items that arrive while a batch runs go into the next one: two batches at once would be smaller,
 * and would wait for each other's locks. Adds no delay when idle.
 */
export class Batcher<T, R> {
  private readonly queue: QueuedItem<T, R>[] = [];
  private isRunning = false;

  constructor(
    private readonly run: RunBatch<T, R>,
    private readonly settings: BatchSettings = {},
  ) {}

  /**
   * Rejects if no batch has taken the item by `until`; then it never runs.
   * @param until as `performance.now()`
   */
  add(item: T, until: number): Promise<R> {
    if (until <= performance.now()) return Promise.reject(tooLate());
    return new Promise((resolve, reject) => {
      const queued: QueuedItem<T, R> = {
        item,
        until,
        resolve: (result) => (clearTimeout(timer), resolve(result)),
        reject: (error) => (clearTimeout(timer), reject(error)),
      };
      const timer = setTimeout(() => this.expire(queued), millisecondsTo(until));
      this.queue.push(queued);
      if (!this.isRunning) outsideContext(() => void this.runAll());
    });
  }

  private expire(queued: QueuedItem<T, R>): void {
    if (this.remove(queued)) queued.reject(tooLate());
  }

  private remove(queued: QueuedItem<T, R>): boolean {
    const place = this.queue.indexOf(queued);
    if (place >= 0) this.queue.splice(place, 1);
    return place >= 0;
  }

  private async runAll(): Promise<void> {
    this.isRunning = true;
    for (let [oldest] = this.queue; oldest; [oldest] = this.queue) {
      await this.runBatch(oldest, this.queue);
    }
    this.isRunning = false;
  }

  private async runBatch(oldest: QueuedItem<T, R>, from: QueuedItem<T, R>[]): Promise<void> {
    const taken: QueuedItem<T, R>[] = [];
    try {
      const results = await this.run({
        until: oldest.until,
        take: (most = MOST) => {
          const more = from.splice(0, Math.min(most, MOST - taken.length));
          taken.push(...more);
          return more.map(({ item }) => item);
        },
        get waiting() {
          return from.length;
        },
      });
      for (const [i, { resolve, reject }] of taken.entries()) {
        const result = results[i]!;
        if (result instanceof Error) reject(result);
        else resolve(result);
      }
    } catch (thrown) {
      const error = thrown as Error;
      // A timer may be early by a part of a millisecond.
      const hadTime = performance.now() < oldest.until - 1;
      if (hadTime && this.settings.failsWaiting?.(error)) {
        for (const { reject } of this.queue.splice(0)) reject(error);
      }
      // The work could not start. The other items are retried until their deadlines.
      if (taken.length === 0) {
        this.remove(oldest);
        oldest.reject(error);
      } else if (taken.length > 1 && this.settings.isRetriedSingly?.(error)) {
        for (const one of taken) await this.runBatch(one, [one]);
      } else for (const { reject } of taken) reject(error);
    }
  }
}
