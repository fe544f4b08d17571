/**
 * An answer that is a page. The HTTP adapter compresses it where the browser accepts that, and sends
 * it with the content security policy of pages and without caching: pages are personal.
 */
export class WrittenHtml {
  constructor(
    readonly text: string,
    /** The HTTP status; what the route says, if left out. */
    readonly status?: number,
  ) {}
}

/** An answer that leads to another page: 303, so that a reload sends the form only once. */
export class SeeOther {
  /** @param location a path of this service, with its query */
  constructor(readonly location: string) {}
}

/** Thrown where the visitor has to go to another page first: answered 303, not a failure. */
export class Redirect extends Error {
  readonly to: SeeOther;

  /** @param location a path of this service, with its query */
  constructor(location: string) {
    super(`See ${location}.`);
    this.to = new SeeOther(location);
  }
}
