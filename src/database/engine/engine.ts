import type { DataSource } from 'typeorm';
import { Unavailable } from '../../problems/problem.js';
import type { Tx } from './tx.js';

/** What a statement can be given on both. */
export type SqlValue = string | number | null;

/** Rows to be added to one table. */
export interface RowInsert {
  readonly table: string;
  readonly columns: readonly string[];
  /** The values of one row after the other. */
  readonly values: readonly SqlValue[];
}

export type EngineName = 'sqlite' | 'postgres';

export function engineOf({ options }: DataSource): EngineName {
  return options.type === 'postgres' ? 'postgres' : 'sqlite';
}

/** Milliseconds after which a turn, a lock, a connection or an answer is no longer waited for. */
export const PATIENCE = 2_500;

export const tooLate = (cause?: unknown) =>
  new Unavailable('The database did not answer in time.', cause);

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
  /** As `run`, in a commit that no other transaction shares. */
  runBatch<T>(work: (tx: Tx) => Promise<T>, deadline: number): Promise<T>;
  read<T>(work: (tx: Tx) => Promise<T>, deadline: number): Promise<T>;
  insertRows(inserts: readonly RowInsert[]): Promise<unknown>;
  readonly pool: PoolUse | null;
  close(): Promise<void>;
}
