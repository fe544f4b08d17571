import { setImmediate } from 'node:timers/promises';
import { AsyncLocalStorage } from 'node:async_hooks';

/**
 * Returns a function that runs `run`, one run at a time. Calls during a run share the next one, because
 * the running one may have missed their changes. A run has no caller's async context.
 */
export function shareNextRun<T>(run: () => Promise<T>): () => Promise<T> {
  let running: Promise<unknown> = Promise.resolve();
  let next: Promise<T> | undefined;
  return () => {
    next ??= running.then(() => {
      next = undefined;
      const started = outsideContext(run);
      running = started.catch(() => undefined);
      return started;
    });
    return next;
  };
}

/**
 * Returns a function that runs `run` at the first call, and gives its result to all. After a failure, the next call
 * runs it again.
 */
export function shareSuccess<T>(run: () => Promise<T>): () => Promise<T> {
  let shared: Promise<T> | undefined;
  return () => {
    const running = (shared ??= outsideContext(run));
    running.catch(() => {
      if (shared === running) shared = undefined;
    });
    return running;
  };
}

/**
 * Runs `work` outside any async context. Work that several callers share must not inherit the deadline,
 * transaction or trace of one of them.
 */
export const outsideContext: <T>(work: () => T) => T = AsyncLocalStorage.snapshot();

/** Gives the event loop a turn: resolves after it has looked for new requests. */
export function nextTurn(): Promise<void> {
  return setImmediate();
}

/**
 * Yields the items, with a turn of the event loop after each, so that a loop over many rows does not hold
 * up checks. An `await` alone gives no turn: promises of SQLite, and of a client that reads fast, are resolved
 * at once.
 * @param items each a few milliseconds of work, such as a page of rows
 */
export async function* inTurns<T>(items: Iterable<T> | AsyncIterable<T>): AsyncGenerator<T> {
  for await (const item of items) {
    yield item;
    await nextTurn();
  }
}

/** The items in groups of `size`, for `inTurns`, where one item takes microseconds. */
export function* groupsOf<T>(items: Iterable<T>, size: number): Generator<T[]> {
  let group: T[] = [];
  for (const item of items) {
    if (group.push(item) < size) continue;
    yield group;
    group = [];
  }
  if (group.length > 0) yield group;
}

/** As `Map.groupBy`, with a turn of the event loop after each part. */
export async function groupInTurns<T>(
  parts: Iterable<readonly T[]> | AsyncIterable<readonly T[]>,
  keyOf: (item: T) => string,
): Promise<Map<string, T[]>> {
  const groups = new Map<string, T[]>();
  for await (const part of inTurns(parts)) {
    for (const item of part) {
      const key = keyOf(item);
      const group = groups.get(key);
      if (group) group.push(item);
      else groups.set(key, [item]);
    }
  }
  return groups;
}
