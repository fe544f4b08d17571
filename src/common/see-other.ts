/** Thrown where a person has to go to another page: answered 303 See Other. No failure. */
export class SeeOther extends Error {
  /** @param location a path of this service */
  constructor(readonly location: string) {
    super(`See ${location}.`);
  }
}
