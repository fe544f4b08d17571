import { performance } from 'node:perf_hooks';
import { CountWindow, type WindowCount } from './count-window.js';

interface RunningWork {
  number: number;
  /** Up to this time, as `WorkTime.now()`, its work is counted. */
  since: number;
}

/**
 * Counts by key the time for which the event loop was busy while requests were being answered. Time that
 * several requests of a key share counts once. What other callers do in that time counts too.
 */
export class WorkTime {
  private readonly counts = new CountWindow(60);
  private readonly running = new Map<string, RunningWork>();

  /** Milliseconds for which the event loop has been busy since the process started. */
  static now(): number {
    return performance.eventLoopUtilization().active;
  }

  /** @returns ends it; further calls do nothing */
  begin(key: string): () => void {
    this.change(key, 1);
    let isRunning = true;
    return () => {
      if (isRunning) this.change(key, -1);
      isRunning = false;
    };
  }

  /** The milliseconds of the running minute. */
  look(key: string): WindowCount {
    return this.counts.look(key);
  }

  private change(key: string, by: 1 | -1): void {
    const now = WorkTime.now();
    const { number, since } = this.running.get(key) ?? { number: 0, since: now };
    if (number > 0) this.counts.add(key, now - since);
    if (number + by > 0) this.running.set(key, { number: number + by, since: now });
    else this.running.delete(key);
  }
}
