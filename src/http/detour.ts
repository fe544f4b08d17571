import { SeeOther } from './written-html.js';

/** Thrown where whoever asks has to go to another page first: no failure, and answered 303. */
export class Detour extends Error {
  readonly to: SeeOther;

  /** @param location a path of this service, with its query */
  constructor(location: string) {
    super(`See ${location}.`);
    this.to = new SeeOther(location);
  }
}
