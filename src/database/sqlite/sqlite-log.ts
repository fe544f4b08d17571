import { close, fdatasync, open } from 'node:fs';
import { promisify } from 'node:util';
import { Worker } from 'node:worker_threads';
import { Unavailable } from '../../problems/problem.js';
import type { LogRequest, LogResponse } from './sqlite-log.worker.js';

const openFile = promisify(open);
const flushFile = promisify(fdatasync);
const closeFile = promisify(close);

interface WaitingRequest {
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

/** Milliseconds after which rows that nobody waits for are on disk, too. */
const FLUSH_WITHIN = 200;

/**
 * SQLite's log of writes (WAL), which lies beside the database while that is open. What waits for the
 * disk is done in other threads, while this one goes on answering.
 */
export class SqliteLog {
  /** A descriptor: Node 26 ends the process when it collects a FileHandle that was not closed. */
  private descriptor: Promise<number> | undefined;
  private timer: NodeJS.Timeout | undefined;
  private worker: Worker | undefined;
  private readonly waiting: WaitingRequest[] = [];
  private closed = false;
  private unsettled = false;

  /** @param file the database's */
  constructor(private readonly file: string) {}

  /**
   * Has all that was committed put on disk.
   * @throws {Unavailable} where the disk reports an error: nobody knows what is on it
   */
  async flush(): Promise<void> {
    try {
      await flushFile(await this.openLog());
    } catch (error) {
      this.unsettled = true;
      throw new Unavailable('It is not known whether the database has stored this.', error);
    }
  }

  /**
   * After a flush that failed: has all of it written once more, elsewhere. The system may take for
   * written what it could not write, so that another flush would say nothing.
   * @throws where that fails, too: nothing can be stored
   */
  async settle(): Promise<void> {
    if (!this.unsettled) return;
    await this.ask('settle');
    this.unsettled = false;
  }

  /** Has all that was committed put on disk in a moment. What fails is done with the next flush. */
  flushSoon(): void {
    this.timer ??= setTimeout(() => {
      this.timer = undefined;
      if (!this.closed) this.flush().catch(() => undefined);
    }, FLUSH_WITHIN).unref();
  }

  /** Brings what it has into the database, as far as nobody is in the way. */
  checkpoint(): Promise<void> {
    return this.ask('checkpoint');
  }

  /** Ends the thread after what it has to do. SQLite itself flushes what is left when it closes. */
  async close(): Promise<void> {
    const { worker } = this;
    const closing = worker && this.ask('close');
    this.closed = true;
    clearTimeout(this.timer);
    await closing;
    await worker?.terminate();
    const descriptor = await this.descriptor?.catch(() => undefined);
    if (descriptor !== undefined) await closeFile(descriptor);
  }

  /** Once for all flushes, those that run at the same time included: a second descriptor would leak. */
  private openLog(): Promise<number> {
    if (this.closed) return Promise.reject(new Error('The database is closed.'));
    this.descriptor ??= openFile(`${this.file}-wal`, 'r+').catch((error: unknown) => {
      this.descriptor = undefined;
      throw error;
    });
    return this.descriptor;
  }

  private ask(request: LogRequest): Promise<void> {
    if (this.closed) return Promise.reject(new Error('The database is closed.'));
    const worker = (this.worker ??= this.start());
    return new Promise((resolve, reject) => {
      this.waiting.push({ resolve, reject });
      worker.ref();
      worker.postMessage(request);
    });
  }

  private start(): Worker {
    const worker = new Worker(new URL('./sqlite-log.worker.js', import.meta.url), {
      workerData: this.file,
    });
    // The worker answers in the order in which it was asked.
    worker.on('message', ({ error }: LogResponse) => {
      const first = this.waiting.shift();
      if (this.waiting.length === 0) worker.unref();
      if (error === null) first?.resolve();
      else first?.reject(Object.assign(new Error(error.message), { code: error.code }));
    });
    const fail = (error: Error) => {
      if (this.worker === worker) this.worker = undefined;
      for (const { reject } of this.waiting.splice(0)) reject(error);
    };
    worker.on('error', fail);
    worker.on('exit', () => fail(new Error("The thread of SQLite's log has ended.")));
    return worker;
  }
}
