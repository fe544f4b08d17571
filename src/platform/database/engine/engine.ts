import type { DataSource } from 'typeorm';
import { Unavailable } from '../../problems/problem.js';
import type { Tx } from './tx.js';

/** A statement's parameter on both engines. */
export type SqlValue = string | number | null;

/** Rows to insert into one table. */
export interface RowInsert {
  readonly table: string;
  readonly columns: readonly string[];
  /** The values of all rows, row by row. */
  readonly values: readonly SqlValue[];
}

export type EngineName = 'sqlite' | 'postgres';

export function engineOf({ options }: DataSource): EngineName {
  return options.type === 'postgres' ? 'postgres' : 'sqlite';
}

/** Milliseconds to wait for a turn, a lock, a connection or an answer. */
export const PATIENCE = 2_500;

export const tooLate = (cause?: unknown) =>
  new Unavailable('The database did not answer in time.', cause);

export interface PoolUse {
  readonly total: number;
  readonly idle: number;
  readonly waiting: number;
}

/** `Transactions` on one kind of database. */
export interface Engine {
  /** @param deadline as `performance.now()`, or Infinity */
  run<T>(work: (tx: Tx) => Promise<T>, deadline: number): Promise<T>;
  /** As `run`, in a commit that no other transaction shares. */
  runBatch<T>(work: (tx: Tx) => Promise<T>, deadline: number): Promise<T>;
  /** As `runBatch`, for work that writes by one statement: PostgreSQL commits it without a further round trip. */
  runStatement<T>(work: (tx: Tx) => Promise<T>, deadline: number): Promise<T>;
  read<T>(work: (tx: Tx) => Promise<T>, deadline: number): Promise<T>;
  insertRows(inserts: readonly RowInsert[]): Promise<unknown>;
  /** @throws where the database does not answer */
  acceptsWrites(deadline: number): Promise<boolean>;
  readonly pool: PoolUse | null;
  close(): Promise<void>;
}
