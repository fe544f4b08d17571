/** The process runs. */
export class Liveness {
  /** @example "live" */
  status: string;
}

/** Whether the service can do its work. */
export class Readiness {
  /**
   * `ready` where look-ups can be answered.
   * @example "ready"
   */
  status: 'ready' | 'not ready';

  /**
   * A catalogue version is loaded.
   * @example true
   */
  catalogue: boolean;

  /**
   * The database answers. Look-ups do not need it; orders do.
   * @example true
   */
  database: boolean;
}
