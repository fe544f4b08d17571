import { type Transferable, Worker, type WorkerOptions } from 'node:worker_threads';

/**
 * A worker thread that answers each request with one message, in the order of the requests. The first
 * request starts it. The process does not end while a request waits.
 */
export class AnsweringThread<Request, Response> {
  private worker: Worker | undefined;
  private readonly asked: PromiseWithResolvers<Response>[] = [];

  constructor(
    private readonly script: URL,
    private readonly options?: WorkerOptions,
  ) {}

  /**
   * @param passed parts of the request that are not copied: the caller cannot use them any more
   * @throws if the thread fails or ends; the next request starts a new one
   */
  ask(request: Request, passed: readonly Transferable[] = []): Promise<Response> {
    const worker = (this.worker ??= this.start());
    const answer = Promise.withResolvers<Response>();
    this.asked.push(answer);
    worker.ref();
    worker.postMessage(request, passed);
    return answer.promise;
  }

  async end(): Promise<void> {
    await this.worker?.terminate();
  }

  private start(): Worker {
    const worker = new Worker(this.script, this.options);
    worker.on('message', (response: Response) => {
      const first = this.asked.shift();
      if (this.asked.length === 0) worker.unref();
      first?.resolve(response);
    });
    const fail = (error: Error) => {
      if (this.worker !== worker) return;
      this.worker = undefined;
      for (const { reject } of this.asked.splice(0)) reject(error);
    };
    worker.on('error', fail);
    worker.on('exit', () => fail(new Error(`The thread ${this.script.pathname} has ended.`)));
    return worker;
  }
}
