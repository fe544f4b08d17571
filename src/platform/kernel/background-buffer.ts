import { nextTurn, shareNextRun } from './turns.js';

/** Milliseconds until a failed write is retried, at least. */
const RETRY = 1_000;

type BufferKey = string | number;

export interface BufferSettings<T> {
  /** An item replaces a waiting one with the same key. */
  readonly keyOf: (item: T) => BufferKey;
  /** Writes all items, or throws: then they are retried, unless it throws `RejectedItems`. */
  readonly write: (items: readonly T[]) => Promise<unknown>;
  /** Milliseconds that an item may wait for others. */
  readonly delay: number;
  /** Items per write. A full batch is written without delay. */
  readonly batchSize?: number;
  /** The most items that may wait. Further ones are dropped and counted. */
  readonly capacity?: number;
  /** @param isFirst whether the write before it succeeded */
  readonly onFailure?: (error: unknown, isFirst: boolean) => void;
}

/** The receiver refuses the items permanently: they are dropped and counted. */
export class RejectedItems extends Error {}

/**
 * Writes items in the background, in batches, and retries failed writes. Above its capacity it drops
 * items. Create it with `BackgroundWork.buffer`, which flushes it at shutdown.
 */
export class BackgroundBuffer<T> {
  /** Unwritten items; those of the running write come first. */
  private readonly waiting = new Map<BufferKey, T>();
  private writing = 0;
  private failing = false;
  private droppedItems = 0;
  private ended = false;
  private timer: NodeJS.Timeout | undefined;
  private readonly writeAll = shareNextRun(() => this.writeWaiting());

  constructor(private readonly settings: BufferSettings<T>) {}

  get size(): number {
    return this.waiting.size;
  }

  get dropped(): number {
    return this.droppedItems;
  }

  /** Undefined once it is written. */
  get(key: BufferKey): T | undefined {
    return this.waiting.get(key);
  }

  add(item: T): void {
    const { keyOf, delay, batchSize = Infinity, capacity = Infinity } = this.settings;
    const key = keyOf(item);
    if (this.waiting.size >= capacity && !this.waiting.has(key)) {
      this.droppedItems += 1;
      return;
    }
    this.waiting.set(key, item);
    if (this.waiting.size - this.writing >= batchSize && !this.failing) void this.flush();
    else this.flushAfter(delay);
  }

  /** Writes all waiting items. Never rejects: failed ones wait for the next attempt. */
  flush(): Promise<void> {
    clearTimeout(this.timer);
    this.timer = undefined;
    return this.writeAll();
  }

  /** Writes all waiting items a last time: what fails then is not retried, since the database closes. */
  end(): Promise<void> {
    this.ended = true;
    return this.flush();
  }

  private flushAfter(delay: number): void {
    if (!this.ended) this.timer ??= setTimeout(() => void this.flush(), delay).unref();
  }

  private async writeWaiting(): Promise<void> {
    const { batchSize = Infinity, delay, onFailure, write } = this.settings;
    this.writing = this.waiting.size;
    while (this.writing > 0) {
      const batch = this.waiting.values().take(Math.min(this.writing, batchSize)).toArray();
      try {
        await write(batch);
        this.remove(batch);
        this.failing = false;
      } catch (error) {
        this.writing = 0;
        if (error instanceof RejectedItems) {
          this.droppedItems += batch.length;
          this.remove(batch);
        }
        onFailure?.(error, !this.failing);
        this.failing = true;
        if (this.waiting.size === 0) return;
        this.flushAfter(Math.max(delay, RETRY));
        return;
      }
      this.writing -= batch.length;
      if (this.writing > 0) await nextTurn();
    }
  }

  /** An item that was replaced during the write stays. */
  private remove(batch: readonly T[]): void {
    for (const item of batch) {
      const key = this.settings.keyOf(item);
      if (this.waiting.get(key) === item) this.waiting.delete(key);
    }
  }
}
