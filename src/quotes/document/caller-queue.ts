/** Runs work one piece at a time. Callers take turns: the one that had the last turn waits for the others. */
export class CallerQueue {
  /** By caller. */
  private readonly waiting = new Map<string, (() => void)[]>();
  private running: string | undefined;

  /** Pieces that wait or run. */
  get length(): number {
    const waiting = [...this.waiting.values()].reduce((sum, { length }) => sum + length, 0);
    return waiting + (this.running === undefined ? 0 : 1);
  }

  lengthOf(caller: string): number {
    return (this.waiting.get(caller)?.length ?? 0) + (this.running === caller ? 1 : 0);
  }

  async run<T>(caller: string, work: () => Promise<T>): Promise<T> {
    if (this.running === undefined) this.running = caller;
    else await this.turnOf(caller);
    try {
      return await work();
    } finally {
      this.startNext(caller);
    }
  }

  private turnOf(caller: string): Promise<void> {
    const turn = Promise.withResolvers<void>();
    const own = this.waiting.get(caller);
    if (own) own.push(turn.resolve);
    else this.waiting.set(caller, [turn.resolve]);
    return turn.promise;
  }

  private startNext(last: string): void {
    const others = this.waiting.get(last);
    if (others) {
      // Behind the other callers.
      this.waiting.delete(last);
      this.waiting.set(last, others);
    }
    const [first] = this.waiting;
    this.running = first?.[0];
    if (!first) return;
    const [caller, own] = first;
    const start = own.shift()!;
    if (own.length === 0) this.waiting.delete(caller);
    start();
  }
}
