import type { SqlValue } from './sqlite-rows.js';
import type { Tx } from './tx.js';

/** Connections of a pool. */
export interface PoolUse {
  readonly total: number;
  readonly idle: number;
  readonly waiting: number;
}

/** How one kind of database does what `Transactions` promises. */
export interface Engine {
  /** @param deadline when it has to be over, as `Date.now()`; Infinity where nobody has said */
  run<T>(work: (tx: Tx) => Promise<T>, deadline: number): Promise<T>;
  read<T>(work: (tx: Tx) => Promise<T>, deadline: number): Promise<T>;
  insertRows(
    table: string,
    columns: readonly string[],
    values: readonly SqlValue[],
  ): Promise<unknown>;
  readonly pool: PoolUse | null;
  close(): Promise<void>;
}
