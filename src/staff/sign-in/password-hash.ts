import { parseOptions } from '@node-rs/argon2';
import { randomBytes } from 'node:crypto';
import { AnsweringThread } from '../../platform/kernel/answering-thread.js';
import { shareSuccess } from '../../platform/kernel/turns.js';
import type { HashRequest, HashResponse } from './password-hash.worker.js';
import { normalised } from './password-rules.js';

/** Argon2id, from OWASP's Password Storage Cheat Sheet: 19 MiB, two passes, one thread. */
const strength = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/** Of low priority: checks and orders go before sign-ins. It takes one password at a time. */
const thread = new AnsweringThread<HashRequest, HashResponse>(
  new URL('./password-hash.worker.js', import.meta.url),
);

async function inThread(request: Omit<HashRequest, 'strength'>): Promise<string | boolean> {
  const response = await thread.ask({ ...request, strength });
  if ('error' in response) throw new Error(response.error);
  return response.result;
}

/** A PHC string with its own salt. */
export async function hashPassword(password: string): Promise<string> {
  return (await inThread({ password: normalised(password) })) as string;
}

const dummyHash = shareSuccess(() => hashPassword(randomBytes(32).toString('base64')));

/** False without a hash, after the same time: the time must not reveal who is a member. */
export async function isPassword(stored: string | null, typed: string): Promise<boolean> {
  const dummy = await dummyHash();
  const is = await inThread({ password: normalised(typed), stored: stored ?? dummy });
  return stored !== null && is === true;
}

/** Whether the strength differs from that of new hashes. */
export function isOutdated(stored: string): boolean {
  const { memoryCost, timeCost, parallelism } = parseOptions(stored);
  const now = strength;
  return (
    memoryCost !== now.memoryCost || timeCost !== now.timeCost || parallelism !== now.parallelism
  );
}
