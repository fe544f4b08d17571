import { randomUUID } from 'node:crypto';

/** Values of the 12 bits after the time and version of a UUID. */
const SEQUENCES = 0x1000;

/** Of the last id. */
let time = 0;
let sequence = 0;

/**
 * A new UUID of version 7 (RFC 9562). Ids of one process sort in order of creation, which Node's
 * `randomUUIDv7` does not guarantee; the package `uuid` is ten times slower.
 */
export function newId(): string {
  const random = randomUUID();
  const now = Date.now();
  if (now > time) {
    time = now;
    // In the lower half, to leave room for more ids in the same millisecond.
    sequence = parseInt(random.slice(15, 18), 16) % (SEQUENCES / 2);
  } else if (++sequence === SEQUENCES) {
    time += 1;
    sequence = 0;
  }
  const milliseconds = time.toString(16).padStart(12, '0');
  const counter = sequence.toString(16).padStart(3, '0');
  return `${milliseconds.slice(0, 8)}-${milliseconds.slice(8)}-7${counter}${random.slice(18)}`;
}
