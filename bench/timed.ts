import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';

/** Milliseconds in which ticks come before and after: each detects the delay since the one before. */
const TICKS = 20;

export interface Timed {
  readonly seconds: number;
  /** Seconds of CPU time, which a busy machine does not change much. */
  readonly cpu: number;
  /** The longest time for which the event loop did nothing else, in milliseconds. */
  readonly longest: number;
}

/** Measures `work`, which runs once. */
export async function timed(work: () => Promise<unknown>): Promise<Timed> {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  await pause(TICKS);
  delay.reset();
  await pause(TICKS);
  const start = performance.now();
  const before = process.cpuUsage();
  await work();
  const seconds = (performance.now() - start) / 1_000;
  const { user, system } = process.cpuUsage(before);
  await pause(TICKS);
  delay.disable();
  return { seconds, cpu: (user + system) / 1e6, longest: delay.max / 1e6 };
}
