/**
 * An answer that is a page. The HTTP adapter sends it compressed where the browser can take that,
 * with the policy of pages, and never to be cached: what it shows belongs to its reader.
 */
export class WrittenHtml {
  constructor(
    readonly text: string,
    /** The HTTP status; what the route says, if left out. */
    readonly status?: number,
  ) {}
}

/** An answer that leads to another page: 303, so that reloading that page sends nothing again. */
export class SeeOther {
  /** @param location a path of this service, with its query */
  constructor(readonly location: string) {}
}
