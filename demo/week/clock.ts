import { Clock } from '../../src/platform/kernel/clock.js';

/** A clock that shows the time of the simulated step. */
export class DemoClock extends Clock {
  constructor(private time: Date) {
    super();
  }

  override now(): Date {
    return new Date(this.time);
  }

  set(time: Date): void {
    this.time = time;
  }
}
