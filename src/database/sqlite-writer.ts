import { Worker } from 'node:worker_threads';
import type { WriterRequest, WriterResponse } from './sqlite-writer.worker.js';

interface Waiting {
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

/**
 * A second connection to the SQLite file, in a thread of its own: a group of rows is inserted and
 * flushed to disk there, while this thread goes on answering. It is started by the first write.
 */
export class SqliteWriter {
  private worker: Worker | undefined;
  private readonly waiting: Waiting[] = [];
  private closed = false;

  constructor(private readonly file: string) {}

  /**
   * Adds rows in one transaction; durable when it resolves.
   * @param values one row after the other, as a JSON array: one text crosses between threads several
   * times faster than thousands of values do
   */
  insert(table: string, columns: readonly string[], values: string): Promise<void> {
    return this.ask({ table, columns, values });
  }

  /** Brings what the log of writes (WAL) has into the database, as far as nobody is in the way. */
  checkpoint(): Promise<void> {
    return this.ask('checkpoint');
  }

  /** Ends the thread after what it has to do. */
  async close(): Promise<void> {
    const { worker } = this;
    const closing = worker && this.ask('close');
    this.closed = true;
    await closing;
    await worker?.terminate();
  }

  private ask(request: WriterRequest): Promise<void> {
    if (this.closed) return Promise.reject(new Error('The SQLite writer is closed.'));
    const worker = (this.worker ??= this.start());
    return new Promise((resolve, reject) => {
      this.waiting.push({ resolve, reject });
      worker.ref();
      worker.postMessage(request);
    });
  }

  private start(): Worker {
    const worker = new Worker(new URL('./sqlite-writer.worker.js', import.meta.url), {
      workerData: this.file,
    });
    // The worker answers in the order in which it was asked.
    worker.on('message', ({ error }: WriterResponse) => {
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
    worker.on('exit', () => fail(new Error('The SQLite writer has ended.')));
    return worker;
  }
}
