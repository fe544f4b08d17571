import { hash, parseOptions, verify } from '@node-rs/argon2';
import { randomBytes } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { ConcurrencyLimit } from '../../kernel/concurrency-limit.js';
import { normalised } from './password-rules.js';

/** Argon2id, from OWASP's Password Storage Cheat Sheet: 19 MiB, two passes, one thread. */
const strength = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/**
 * Hashes at a time: one core stays free for the event loop, and one of libuv's four threads for files
 * and compression.
 */
const hashes = new ConcurrencyLimit(Math.min(Math.max(availableParallelism() - 1, 1), 3));

/** A PHC string with its own salt. */
export function hashPassword(password: string): Promise<string> {
  return hashes.run(() => hash(normalised(password), strength));
}

let dummyHash: Promise<string> | undefined;

/** False without a hash, after the same time: the time must not reveal who is a member. */
export async function isPassword(stored: string | null, typed: string): Promise<boolean> {
  const dummy = await (dummyHash ??= hashPassword(randomBytes(32).toString('base64')));
  const is = await hashes.run(() => verify(stored ?? dummy, normalised(typed)));
  return stored !== null && is;
}

/** Whether the strength differs from that of new hashes. */
export function isOutdated(stored: string): boolean {
  const { memoryCost, timeCost, parallelism } = parseOptions(stored);
  const now = strength;
  return (
    memoryCost !== now.memoryCost || timeCost !== now.timeCost || parallelism !== now.parallelism
  );
}
