import { outsideContext } from './outside-context.js';

/**
 * Returns a function that runs `run`, one run at a time. A call during a run does not share that run,
 * which may have missed what the caller changed: it gets the next one, with all other callers who ask
 * meanwhile. A run does not inherit the async context of any of them.
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
