import { Worker } from 'node:worker_threads';
import { Refused } from '../../platform/problems/refused.js';
import { addPart } from './parts.js';
import type { OnProgress } from './read-files.js';
import type { JobInput, JobName, Jobs, JobReply } from './thread.js';

export interface JobControl {
  readonly onProgress?: OnProgress | undefined;
  /** Ends the thread; the promise rejects with the reason. */
  readonly signal?: AbortSignal | undefined;
}

/** A copy that threads read in place: a message would copy it for each job. */
export function sharedBytes(bytes: Uint8Array): Uint8Array {
  const shared = new Uint8Array(new SharedArrayBuffer(bytes.length));
  shared.set(bytes);
  return shared;
}

/** Threads that wait a while for the next job: a publication has several, and a start takes longer than most. */
const idle = new Map<Worker, NodeJS.Timeout>();
const IDLE_MS = 5_000;

/**
 * Runs a job in a worker thread, so that it does not block requests.
 * @throws {Refused} if the job refuses its input
 */
export async function inBackground<J extends JobName>(
  job: J,
  input: JobInput<J>,
  { onProgress, signal }: JobControl = {},
): Promise<Awaited<ReturnType<Jobs[J]>>> {
  signal?.throwIfAborted();
  const worker = takeThread();
  const ended = Promise.withResolvers<Awaited<ReturnType<Jobs[J]>>>();
  let result: unknown;
  let isDone = false;
  const onMessage = (reply: JobReply) => {
    if ('progress' in reply) onProgress?.(...reply.progress);
    else if ('rest' in reply) result = reply.rest;
    else if ('part' in reply) {
      addPart(result, reply.part);
      worker.postMessage('taken');
    } else {
      isDone = true;
      if ('refused' in reply) ended.reject(new Refused(reply.refused));
      else ended.resolve(result as Awaited<ReturnType<Jobs[J]>>);
    }
  };
  const stop = () => {
    ended.reject(signal?.reason as Error);
    void worker.terminate();
  };
  const onExit = () => ended.reject(new Error(`The job ${job} ended without a result.`));
  signal?.addEventListener('abort', stop);
  worker.on('message', onMessage).on('error', ended.reject).on('exit', onExit);
  worker.postMessage({ job, input });
  try {
    return await ended.promise;
  } finally {
    signal?.removeEventListener('abort', stop);
    worker.off('message', onMessage).off('error', ended.reject).off('exit', onExit);
    if (isDone) keepThread(worker);
  }
}

function takeThread(): Worker {
  for (const [worker, timer] of idle) {
    clearTimeout(timer);
    idle.delete(worker);
    worker.ref();
    return worker;
  }
  const worker = new Worker(new URL('./thread.js', import.meta.url), {
    // A national catalogue needs less than half of it.
    resourceLimits: { maxOldGenerationSizeMb: 1_024 },
  });
  // One that ends while it waits is not taken.
  return worker.on('error', () => idle.delete(worker)).on('exit', () => idle.delete(worker));
}

function keepThread(worker: Worker): void {
  worker.unref();
  const end = () => {
    idle.delete(worker);
    void worker.terminate();
  };
  idle.set(worker, setTimeout(end, IDLE_MS).unref());
}
