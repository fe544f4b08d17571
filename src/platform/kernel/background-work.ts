import { BackgroundBuffer, type BufferSettings } from './background-buffer.js';
import { MINUTE, SECOND } from './time.js';

/** Milliseconds that a stop waits for running jobs (a delivery takes up to 10 s), and for the last work. */
const LONGEST_RUN = 12 * SECOND;

export interface JobOptions {
  /** Milliseconds until the first run; the interval by default. */
  readonly firstAfter?: number;
  /** Runs only in a process that serves requests, not in one that runs a command. */
  readonly whileServing?: boolean;
}

/** @param stopping aborted when the process stops, so that a long run can end early */
type PeriodicWork = (stopping: AbortSignal) => unknown;

interface PeriodicJob extends JobOptions {
  readonly name: string;
  readonly interval: number;
  readonly work: PeriodicWork;
  timer?: NodeJS.Timeout;
  running?: Promise<void> | undefined;
  /** When a failure was last logged, in milliseconds; undefined after a complete run. */
  warnedAt?: number | undefined;
}

/**
 * All work that no request waits for: periodic jobs and background buffers. `stop` ends them in order.
 */
export class BackgroundWork {
  private readonly jobs: PeriodicJob[] = [];
  private readonly lastWork: (() => unknown)[] = [];
  private readonly stopped = new AbortController();
  private opened = false;
  private serving = false;

  /**
   * @param warn writes a line to the log
   * @param failures counts failed runs by job
   * @param seconds of the last complete run, by job
   */
  constructor(
    private readonly warn: (message: string) => void,
    private readonly failures: Record<string, number> = {},
    private readonly seconds: Record<string, number> = {},
  ) {}

  /** Aborted when the process stops. */
  get stopping(): AbortSignal {
    return this.stopped.signal;
  }

  /**
   * Registers a job that runs every `interval` milliseconds. While one run takes longer, the next is
   * skipped. A failed run is counted and logged; while a job keeps failing, once a minute.
   */
  every(name: string, interval: number, work: PeriodicWork, options: JobOptions = {}): void {
    const job: PeriodicJob = { name, interval, work, ...options };
    this.failures[name] = 0;
    this.seconds[name] = 0;
    this.jobs.push(job);
    if (this.isDueToRun(job)) this.schedule(job, job.firstAfter);
  }

  /** A buffer that is flushed at shutdown, before the database closes. */
  buffer<T>(settings: BufferSettings<T>): BackgroundBuffer<T> {
    const buffer = new BackgroundBuffer(settings);
    this.atStop(() => buffer.end());
    return buffer;
  }

  /** Registers work for shutdown: after the last run of each job, before the database closes. */
  atStop(work: () => unknown): void {
    this.lastWork.push(work);
  }

  /** Starts all jobs except those that only run while serving. */
  start(): void {
    this.startJobs(() => (this.opened = true));
  }

  /** Starts the jobs that only run while serving. */
  startServing(): void {
    this.startJobs(() => (this.serving = true));
  }

  /**
   * Schedules no more runs, waits for running jobs, then flushes the buffers. Never rejects, and limits
   * the wait for work that hangs.
   */
  async stop(): Promise<void> {
    this.stopped.abort();
    for (const { timer } of this.jobs) clearTimeout(timer);
    await atMost(LONGEST_RUN, Promise.all(this.jobs.flatMap(({ running }) => running ?? [])));
    const lastWork = this.lastWork.map((work) => this.finish(work));
    await atMost(LONGEST_RUN, Promise.all(lastWork));
  }

  private startJobs(open: () => void): void {
    const running = new Set(this.jobs.filter((job) => this.isDueToRun(job)));
    open();
    for (const job of this.jobs) {
      if (this.isDueToRun(job) && !running.has(job)) this.schedule(job, job.firstAfter);
    }
  }

  private isDueToRun({ whileServing }: PeriodicJob): boolean {
    return (whileServing ? this.serving : this.opened) && !this.stopping.aborted;
  }

  private schedule(job: PeriodicJob, delay = job.interval): void {
    job.timer = setTimeout(() => {
      this.schedule(job);
      job.running ??= this.run(job).finally(() => (job.running = undefined));
    }, delay).unref();
  }

  private async run(job: PeriodicJob): Promise<void> {
    const start = performance.now();
    try {
      await job.work(this.stopping);
      this.seconds[job.name] = (performance.now() - start) / SECOND;
      job.warnedAt = undefined;
    } catch (error) {
      // A run that the stop interrupted is not a failure.
      if (this.stopping.aborted) return;
      this.failures[job.name]! += 1;
      if (job.warnedAt !== undefined && start - job.warnedAt < MINUTE) return;
      job.warnedAt = start;
      this.warn(`The periodic job "${job.name}" failed: ${String(error)}`);
    }
  }

  private async finish(work: () => unknown): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.warn(`The last work failed: ${String(error)}`);
    }
  }
}

function atMost(milliseconds: number, work: Promise<unknown>): Promise<unknown> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<void>((resolve) => (timer = setTimeout(resolve, milliseconds)));
  return Promise.race([work, limit]).finally(() => clearTimeout(timer));
}
