import { hash, parseOptions, verify } from '@node-rs/argon2';
import { randomBytes } from 'node:crypto';
import { normalised } from './password-rules.js';

/** Argon2id, from OWASP's Password Storage Cheat Sheet: 19 MiB, two passes, one thread. */
const strength = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/** The password's hash, as a PHC string with its own salt. */
export function hashPassword(password: string): Promise<string> {
  return hash(normalised(password), strength);
}

let dummyHash: Promise<string> | undefined;

/**
 * Whether the password matches the hash. Without a hash it takes the same time and does not match: the
 * time must not show who works here.
 */
export async function isPassword(stored: string | null, typed: string): Promise<boolean> {
  const dummy = await (dummyHash ??= hashPassword(randomBytes(32).toString('base64')));
  const is = await verify(stored ?? dummy, normalised(typed));
  return stored !== null && is;
}

/** Whether the hash has another strength than new ones. */
export function isOutdated(stored: string): boolean {
  const { memoryCost, timeCost, parallelism } = parseOptions(stored);
  const now = strength;
  return (
    memoryCost !== now.memoryCost || timeCost !== now.timeCost || parallelism !== now.parallelism
  );
}
