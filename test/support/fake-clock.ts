import { Clock } from '../../src/platform/kernel/clock.js';

/** Stopped until a test moves it; by default on a Monday morning. */
export class FakeClock extends Clock {
  private time: Date;

  constructor(private readonly start = new Date('2026-03-02T09:00:00Z')) {
    super();
    this.time = start;
  }

  /** Back to the start, for tests that share a service and name dates. */
  reset(): void {
    this.time = this.start;
  }

  override now(): Date {
    return new Date(this.time);
  }

  advance({ days = 0, hours = 0, minutes = 0, seconds = 0, milliseconds = 0 }): void {
    const by = (((days * 24 + hours) * 60 + minutes) * 60 + seconds) * 1_000 + milliseconds;
    this.time = new Date(this.time.getTime() + by);
  }
}
