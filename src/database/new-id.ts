import { v7 } from 'uuid';
import { pooledBytes } from '../kernel/random-pool.js';

/** Of the last id. */
let time = 0;
let sequence = 0;

/**
 * A new UUID of version 7: of those made here, the later one sorts later. `uuid` alone asks the system
 * for random bytes each time, which costs more than the rest of it.
 */
export function newId(): string {
  const random = pooledBytes(16);
  const now = Date.now();
  if (now > time) {
    time = now;
    // Room is left for many more in this millisecond.
    sequence = random.readUInt32BE(0) >>> 1;
  } else sequence += 1;
  return v7({ random, msecs: time, seq: sequence });
}
