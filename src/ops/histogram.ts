/** Upper bounds in seconds, from a check in memory to the longest possible request. */
export const BOUNDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15];

/** The durations of one kind of request. */
export class DurationHistogram {
  private readonly counts = new Float64Array(BOUNDS.length + 1);
  private sum = 0;

  observe(seconds: number): void {
    let bucket = 0;
    while (bucket < BOUNDS.length && seconds > BOUNDS[bucket]!) bucket += 1;
    this.counts[bucket]! += 1;
    this.sum += seconds;
  }

  /** With cumulative buckets, as in Prometheus. */
  read(): { readonly buckets: readonly (readonly [string, number])[]; sum: number; count: number } {
    let count = 0;
    const buckets = Array.from(this.counts, (own, i): [string, number] => {
      count += own;
      return [i < BOUNDS.length ? String(BOUNDS[i]) : '+Inf', count];
    });
    return { buckets, sum: this.sum, count };
  }
}

export interface RequestKind {
  readonly method: string;
  readonly route: string;
  readonly status: number;
}

export interface KindTimes {
  readonly kind: RequestKind;
  /** The kind as JSON members. */
  readonly json: string;
  readonly series: DurationHistogram;
}

/** Durations by method, route template and status. Allocates nothing per request. */
export class RequestTimes {
  private readonly byRoute = new Map<string, Map<string, Map<number, KindTimes>>>();
  private readonly kinds: KindTimes[] = [];

  /** @returns those of its kind */
  observe(method: string, route: string, status: number, seconds: number): KindTimes {
    let byMethod = this.byRoute.get(route);
    if (!byMethod) this.byRoute.set(route, (byMethod = new Map<string, Map<number, KindTimes>>()));
    let byStatus = byMethod.get(method);
    if (!byStatus) byMethod.set(method, (byStatus = new Map<number, KindTimes>()));
    let times = byStatus.get(status);
    if (!times) {
      const kind = { method, route, status };
      times = { kind, json: JSON.stringify(kind).slice(1, -1), series: new DurationHistogram() };
      byStatus.set(status, times);
      this.kinds.push(times);
    }
    times.series.observe(seconds);
    return times;
  }

  all(): readonly KindTimes[] {
    return this.kinds;
  }
}
