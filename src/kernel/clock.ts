/** The only source of the present time, so that a test can pass its own. */
export class Clock {
  now(): Date {
    return new Date();
  }
}
