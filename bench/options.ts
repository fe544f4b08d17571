/** The options of a scenario. */
export interface BenchOptions {
  /** Short rounds, as a smoke test; the figures are rough. */
  readonly quick: boolean;
  /** Rounds for each contender. */
  readonly rounds: number;
  /** The time under load in a round. */
  readonly seconds: number;
  /** Real postcodes in canonical form, for requests and coverage. */
  readonly postcodes: readonly string[];
  /** A PostgreSQL server to use instead of a temporary one. */
  readonly databaseUrl: string | undefined;
  /** The only engine to measure; by default each. */
  readonly engine: EngineName | undefined;
  /** Orders in the measured queue. */
  readonly orders: number | undefined;
  /** Whether each order has an `Idempotency-Key`. */
  readonly keys: boolean;
  /** Whether each order cites a check. */
  readonly checks: boolean;
  /** A folder for `.cpuprofile` files of the service. */
  readonly profile: string | undefined;
  /** Prints progress. */
  readonly say: (line: string) => void;
}

export type EngineName = 'sqlite' | 'postgres';

/** @throws {Error} unless the text is empty or the name of an engine */
export function engineOf(text: string | undefined): EngineName | undefined {
  if (text === undefined || text === 'sqlite' || text === 'postgres') return text;
  throw new Error(`"${text}" is no engine: sqlite or postgres.`);
}

/** What the driver alone does; see `bare-insert.ts`. */
export interface BareRate {
  readonly perSecond: number;
  readonly count: number;
  /** Microseconds of its processor time for each row. */
  readonly cpu: number;
}

/** A table of the measurements and targets. */
export interface Report {
  readonly title: string;
  readonly rows: readonly Readonly<Record<string, string | number>>[];
  readonly targets?: readonly Target[];
  readonly notes?: readonly string[];
}

export interface Target {
  readonly target: string;
  readonly measured: string;
  readonly met: boolean;
}

export type Scenario = (options: BenchOptions) => Promise<Report | readonly Report[]>;

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1
    ? sorted[middle]!
    : ((sorted[middle - 1] ?? NaN) + (sorted[middle] ?? NaN)) / 2;
}

/** Like Math.random, but the same on every run: an LCG of 32 bits (Numerical Recipes, §7.1). */
export function repeatableRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

export function round(value: number, digits = 0): number {
  return Number(value.toFixed(digits));
}
