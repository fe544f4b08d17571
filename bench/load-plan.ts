/** What the load generator is told to do; see load-generator.ts. */
export interface LoadPlan {
  readonly port: number;
  /** Sockets; each has one request under way at a time. */
  readonly connections: number;
  /** Seconds. */
  readonly duration: number;
  /** Requests a second in all; as many as it can where absent. */
  readonly rate?: number;
  /** A file of `LoadRequest[]`, as JSON; they are sent in turn. */
  readonly requests: string;
  /**
   * Whether the generator sleeps where it has nothing to do, because others need its core, such as
   * PostgreSQL. Otherwise it never does: to wake it would cost the server several microseconds an
   * answer, the more the slower it is, and no server has to wake a client on another machine.
   */
  readonly sleeps?: boolean;
}

export interface LoadRequest {
  readonly kind: string;
  /** The whole request, head and body. */
  readonly text: string;
  readonly status: number;
  /** What the body must be from its 18th character (after the id of a check); anything if absent. */
  readonly answer?: string;
}

export interface LoadResult {
  /** Seconds. */
  readonly duration: number;
  /** The part of its time in which the generator had something to do: near 1 it is what limits. */
  readonly generatorBusy: number;
  /**
   * The part of its time in which its core was taken from it, by the bench's own process or by the
   * host. What was answered then is counted, but not timed.
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
