import { Worker } from 'node:worker_threads';
import { Refused } from '../../problems/refused.js';
import type { OnProgress } from './read-files.js';
import type { JobInput, JobName, Jobs, JobReply } from './thread.js';

/**
 * Runs a job in a separate thread, so that requests are answered meanwhile.
 * @throws {Refused} where the job refuses its input
 */
export function inBackground<J extends JobName>(
  job: J,
  input: JobInput<J>,
  onProgress?: OnProgress,
): Promise<Awaited<ReturnType<Jobs[J]>>> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL('./thread.js', import.meta.url), {
      workerData: { job, input },
      // The files of a whole country need less than half of it.
      resourceLimits: { maxOldGenerationSizeMb: 1_024 },
    });
    worker.on('message', (reply: JobReply) => {
      if ('progress' in reply) onProgress?.(...reply.progress);
      else if ('refused' in reply) reject(new Refused(reply.refused));
      else resolve(reply.result as Awaited<ReturnType<Jobs[J]>>);
    });
    worker.on('error', reject);
    worker.on('exit', () => reject(new Error(`The job ${job} ended without a result.`)));
  });
}
