import { randomFillSync } from 'node:crypto';

/** Drawn in one go for many who need a few: asking for ten costs as much as for thousands. */
const pool = Buffer.alloc(4_096);
let used = pool.length;

/** `length` (at most 4,096) random bytes, to be read at once: they are not the caller's own. */
export function pooledBytes(length: number): Buffer {
  if (used + length > pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  used += length;
  return pool.subarray(used - length, used);
}
