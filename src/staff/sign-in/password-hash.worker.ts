import { hashSync, type Options, verifySync } from '@node-rs/argon2';
import { setPriority } from 'node:os';
import { parentPort } from 'node:worker_threads';

/** With `stored`, asks whether it is the hash of the password, otherwise for a new hash. */
export interface HashRequest {
  readonly password: string;
  readonly stored?: string;
  readonly strength: Options;
}

export type HashResponse = { readonly result: string | boolean } | { readonly error: string };

// On Linux this is the priority of this thread alone; elsewhere it would be that of the process.
if (process.platform === 'linux') setPriority(10);

parentPort!.on('message', ({ password, stored, strength }: HashRequest) => {
  let response: HashResponse;
  try {
    const result =
      stored === undefined ? hashSync(password, strength) : verifySync(stored, password);
    response = { result };
  } catch (error) {
    response = { error: (error as Error).message };
  }
  parentPort!.postMessage(response);
});
