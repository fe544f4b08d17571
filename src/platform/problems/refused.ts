/** The service cannot do what a person asks. The message says what to change. */
export class Refused extends Error {
  /** @param field of the input that has to change */
  constructor(
    message: string,
    readonly field?: string,
  ) {
    super(message);
  }
}
