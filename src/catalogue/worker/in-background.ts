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

/**
 * Runs a job in a worker thread, so that it does not block requests.
 * @throws {Refused} if the job refuses its input
 */
export function inBackground<J extends JobName>(
  job: J,
  input: JobInput<J>,
  { onProgress, signal }: JobControl = {},
): Promise<Awaited<ReturnType<Jobs[J]>>> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const worker = new Worker(new URL('./thread.js', import.meta.url), {
      workerData: { job, input },
      // A national catalogue needs less than half of it.
      resourceLimits: { maxOldGenerationSizeMb: 1_024 },
    });
    let result: unknown;
    worker.on('message', (reply: JobReply) => {
      if ('progress' in reply) onProgress?.(...reply.progress);
      else if ('refused' in reply) reject(new Refused(reply.refused));
      else if ('rest' in reply) result = reply.rest;
      else if ('done' in reply) resolve(result as Awaited<ReturnType<Jobs[J]>>);
      else {
        addPart(result, reply.part);
        worker.postMessage('taken');
      }
    });
    const stop = () => {
      reject(signal?.reason as Error);
      void worker.terminate();
    };
    signal?.addEventListener('abort', stop);
    worker.on('error', reject);
    worker.on('exit', () => {
      signal?.removeEventListener('abort', stop);
      reject(new Error(`The job ${job} ended without a result.`));
    });
  });
}
