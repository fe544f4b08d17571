/** The only source of the current time, so that tests can replace it. */
export class Clock {
  now(): Date {
    return new Date();
  }
}
