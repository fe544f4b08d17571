import { randomUUID } from 'node:crypto';

/** Values of the 12 bits of a UUID after its time and version. */
const SEQUENCES = 0x1000;

/** Of the last id. */
let time = 0;
let sequence = 0;

/**
 * A new UUID of version 7 (RFC 9562); of those made here, the later one sorts later. Node's own
 * `randomUUIDv7` does not promise that, and `uuid` asks the system for random bytes each time, which
 * costs ten times as much as Node's stock of them.
 */
export function newId(): string {
  const random = randomUUID();
  const now = Date.now();
  if (now > time) {
    time = now;
    // The lower half, so that as many can follow in the same millisecond.
    sequence = parseInt(random.slice(15, 18), 16) % (SEQUENCES / 2);
  } else if (++sequence === SEQUENCES) {
    time += 1;
    sequence = 0;
  }
  const milliseconds = time.toString(16).padStart(12, '0');
  const counter = sequence.toString(16).padStart(3, '0');
  return `${milliseconds.slice(0, 8)}-${milliseconds.slice(8)}-7${counter}${random.slice(18)}`;
}
