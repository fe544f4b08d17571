/** A response that is a page. The HTTP adapter compresses it and forbids caching: pages are personal. */
export class WrittenHtml {
  constructor(
    private readonly write: string | (() => string),
    /** By default the status of the route. */
    readonly status?: number,
  ) {}

  get text(): string {
    return typeof this.write === 'string' ? this.write : this.write();
  }
}

/** A redirect with 303, so that a reload does not send a form twice. */
export class SeeOther {
  /** @param location a path of this service, with its query */
  constructor(readonly location: string) {}
}

/** Thrown to redirect the visitor with 303, such as to sign in first. */
export class Redirect extends Error {
  readonly to: SeeOther;

  /** @param location a path of this service, with its query */
  constructor(location: string) {
    super(`See ${location}.`);
    this.to = new SeeOther(location);
  }
}
