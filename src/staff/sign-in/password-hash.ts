import { hash, parseOptions, verify } from '@node-rs/argon2';
import { randomBytes } from 'node:crypto';
import { normalised } from './password-rules.js';

/** Argon2id as OWASP's Password Storage Cheat Sheet has it: 19 MiB, two passes, one thread. */
const strength = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/** The password's hash, as a PHC string with its own salt. */
export function hashPassword(password: string): Promise<string> {
  return hash(normalised(password), strength);
}

let dummyHash: Promise<string> | undefined;

/**
 * Whether the password is the one of the hash. Where there is no hash it takes the same time, and is
 * not: nobody learns from a clock who works here.
 */
export async function isPassword(stored: string | null, typed: string): Promise<boolean> {
  const stand = await (dummyHash ??= hashPassword(randomBytes(32).toString('base64')));
  const is = await verify(stored ?? stand, normalised(typed));
  return stored !== null && is;
}

/** Whether the hash is of another strength than those that are made now. */
export function isOutdated(stored: string): boolean {
  const { memoryCost, timeCost, parallelism } = parseOptions(stored);
  const now = strength;
  return (
    memoryCost !== now.memoryCost || timeCost !== now.timeCost || parallelism !== now.parallelism
  );
}
