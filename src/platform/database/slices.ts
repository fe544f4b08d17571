import type { Transactions } from './transactions.js';
import type { Tx } from './engine/tx.js';
import { HOUR } from '../kernel/time.js';
import { nextTurn } from '../kernel/turns.js';

/** Milliseconds covered by the first slice. Later ones adapt, to take `SLICE_TIME`. */
const FIRST_SLICE = 24 * HOUR;
const SHORTEST_SLICE = HOUR;
/** Short, because days without rows let a slice grow, and the next one may have many. */
const LONGEST_SLICE = 4 * 24 * HOUR;
/** Milliseconds to read and use one slice. */
const SLICE_TIME = 15;

/** Milliseconds; `end` is excluded. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/**
 * Reads a span in slices, with turns for other work between them. On SQLite a statement blocks the
 * process; on PostgreSQL a long one times out.
 */
export async function* inSlices<T>(
  transactions: Transactions,
  { start, end }: Span,
  read: (tx: Tx, slice: Span) => Promise<T>,
): AsyncGenerator<T> {
  let length = FIRST_SLICE;
  for (let from = start; from < end;) {
    const slice = { start: from, end: Math.min(from + length, end) };
    let began = 0;
    // Not the wait for a connection: slices would shrink because the database is busy.
    yield await transactions.read((tx) => {
      began = performance.now();
      return read(tx, slice);
    });
    const took = performance.now() - began;
    await nextTurn();
    from = slice.end;
    if (took > SLICE_TIME) length = Math.max(SHORTEST_SLICE, length / 2);
    else if (took < SLICE_TIME / 3) length = Math.min(LONGEST_SLICE, length * 2);
  }
}
