import { outsideContext } from './outside-context.js';

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
