import { Clock } from '../../src/kernel/clock.js';

/** Shows the time of what is told, not that of the telling. */
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
