import { close, fdatasync, open } from 'node:fs';
import { promisify } from 'node:util';
import { AnsweringThread } from '../../kernel/answering-thread.js';
import { Unavailable } from '../../problems/problem.js';
import type { LogRequest, LogResponse } from './sqlite-log.worker.js';

const openFile = promisify(open);
const flushFile = promisify(fdatasync);
const closeFile = promisify(close);

/** Milliseconds until rows without a waiting caller are on disk. */
const FLUSH_WITHIN = 200;

/**
 * SQLite's write-ahead log (WAL). Other threads wait for the disk, so that this one can answer requests.
 */
export class SqliteLog {
  /** No FileHandle: Node 26 exits when it garbage-collects one that is not closed. */
  private descriptor: Promise<number> | undefined;
  private timer: NodeJS.Timeout | undefined;
  private readonly thread: AnsweringThread<LogRequest, LogResponse>;
  private closed = false;
  private unsettled = false;

  /** @param file the database */
  constructor(private readonly file: string) {
    const script = new URL('./sqlite-log.worker.js', import.meta.url);
    this.thread = new AnsweringThread(script, { workerData: file });
  }

  /**
   * Flushes all commits to disk.
   * @throws {Unavailable} after a disk error: then it is unknown what is stored
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
   * After a failed flush, writes everything again through a checkpoint. A second flush could succeed
   * without writing, because the system may have marked the pages as clean.
   * @throws if that fails too
   */
  async settle(): Promise<void> {
    if (!this.unsettled) return;
    await this.ask('settle');
    this.unsettled = false;
  }

  /** Flushes within FLUSH_WITHIN. After a failure, the next flush does the work. */
  flushSoon(): void {
    this.timer ??= setTimeout(() => {
      this.timer = undefined;
      if (!this.closed) this.flush().catch(() => undefined);
    }, FLUSH_WITHIN).unref();
  }

  /** Copies pages into the database, as far as no reader or writer blocks it. */
  checkpoint(): Promise<void> {
    return this.ask('checkpoint');
  }

  /** Ends the thread after its pending requests. SQLite flushes the rest when it closes. */
  async close(): Promise<void> {
    const closing = this.thread.isRunning ? this.ask('close') : undefined;
    this.closed = true;
    clearTimeout(this.timer);
    await closing;
    await this.thread.end();
    const descriptor = await this.descriptor?.catch(() => undefined);
    if (descriptor !== undefined) await closeFile(descriptor);
  }

  /** Shared by concurrent flushes: a second descriptor would leak. */
  private openLog(): Promise<number> {
    if (this.closed) return Promise.reject(new Error('The database is closed.'));
    this.descriptor ??= openFile(`${this.file}-wal`, 'r+').catch((error: unknown) => {
      this.descriptor = undefined;
      throw error;
    });
    return this.descriptor;
  }

  private async ask(request: LogRequest): Promise<void> {
    if (this.closed) throw new Error('The database is closed.');
    const { error } = await this.thread.ask(request);
    if (error) throw Object.assign(new Error(error.message), { code: error.code });
  }
}
