import { DAY } from '../platform/kernel/time.js';

/** Days before a token expires at which its client receives a reminder. */
export const STAGES = [30, 7, 1] as const;

/** The latest stage reached; null before the first, after expiry, and if issued within the stage. */
export function stageOf(
  { createdAt, expiresAt }: { readonly createdAt: Date; readonly expiresAt: Date },
  now: Date,
): (typeof STAGES)[number] | null {
  const left = expiresAt.getTime() - now.getTime();
  if (left <= 0) return null;
  const stage = STAGES.filter((days) => left <= days * DAY).at(-1);
  if (stage === undefined) return null;
  return expiresAt.getTime() - createdAt.getTime() > stage * DAY ? stage : null;
}
