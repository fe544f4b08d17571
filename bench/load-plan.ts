/** The task of the load generator; see load-generator.ts. */
export interface LoadPlan {
  readonly port: number;
  /** Of more servers: connections take turns. */
  readonly morePorts?: readonly number[];
  /** Sockets; each has one running request. */
  readonly connections: number;
  /** Seconds. */
  readonly duration: number;
  /** Total requests a second; by default as many as possible. */
  readonly rate?: number;
  /** A JSON file of `LoadRequest[]`, sent in turn. */
  readonly requests: string;
  /**
   * Whether an idle generator sleeps, because others, such as PostgreSQL, need its core. Otherwise it
   * polls: waking it would cost the server several microseconds per response, unlike a client on
   * another machine.
   */
  readonly sleeps?: boolean;
}

export interface LoadRequest {
  readonly kind: string;
  /** The complete request, head and body. */
  readonly text: string;
  readonly status: number;
  /** A part of the text that is replaced by a UUID, a new one each time. */
  readonly key?: string;
  /**
   * The expected body of a check, after its id: before and after the instant of `validUntil`. By
   * default any.
   */
  readonly answer?: readonly [before: string, after: string];
}

export interface LoadResult {
  /** Seconds. */
  readonly duration: number;
  /** The share of time in which the generator was busy: near 1, it is the bottleneck. */
  readonly generatorBusy: number;
  /**
   * The share of time in which another process or the host used its core. Responses in that time are
   * counted, but not timed.
   */
  readonly generatorAway: number;
  readonly kinds: Readonly<Record<string, KindResult>>;
  readonly wrong: number;
  /** The first wrong answer, shortened. */
  readonly example?: string;
}

/** Milliseconds. */
export interface KindResult {
  readonly count: number;
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
  readonly p999: number;
  readonly max: number;
}

/** @throws {Error} if an answer was not the expected one */
export function refuseWrong(name: string, result: LoadResult): void {
  if (result.wrong === 0) return;
  throw new Error(`${name}: ${result.wrong} wrong answers, such as ${result.example}`);
}
