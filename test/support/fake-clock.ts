import { Clock } from '../../src/common/clock.js';

/** Stands still, at a Monday morning, until a test moves it. */
export class FakeClock extends Clock {
  private time = Date.UTC(2026, 2, 2, 9);

  override now(): Date {
    return new Date(this.time);
  }

  advance({ days = 0, hours = 0, minutes = 0, seconds = 0, milliseconds = 0 }): void {
    this.time += (((days * 24 + hours) * 60 + minutes) * 60 + seconds) * 1_000 + milliseconds;
  }
}
