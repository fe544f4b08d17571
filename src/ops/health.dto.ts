import { ApiSchema } from '@nestjs/swagger';

@ApiSchema({ description: 'The process runs.' })
export class Liveness {
  /**
   * Always `live`.
   * @pattern ^live$
   * @maxLength 20
   * @example "live"
   */
  status: string;
}

@ApiSchema({ description: 'Whether the service can do its work.' })
export class Readiness {
  /**
   * `ready` where look-ups can be answered, otherwise `not ready`.
   * @example "ready"
   */
  status: 'ready' | 'not ready';

  /**
   * A catalogue version is loaded.
   * @example true
   */
  catalogue: boolean;

  /**
   * The version that this instance answers from.
   * @example 7
   */
  catalogueVersion: number | null;

  /**
   * Why this instance answers from another version than it should: it lags behind the others.
   * @maxLength 1000
   * @example "Version 8 is active but not loaded yet."
   */
  lag: string | null;

  /**
   * The database has answered within the last five seconds. Look-ups do not need it; orders do.
   * @example true
   */
  database: boolean;

  /**
   * The database has every table and column that this version of the service needs.
   * @example true
   */
  migrations: boolean;

  /**
   * The disk has room.
   * @example true
   */
  disk: boolean;

  /**
   * The bank holidays are known for the next 180 days at least. Deadlines count without them after that.
   * @example true
   */
  bankHolidays: boolean;

  /** The service is stopping, and wants no further requests. */
  draining: boolean;

  /**
   * What the operator should see to soon, such as bank holidays that are known for a while only.
   * @maxItems 10
   * @maxLength 300
   * @example []
   */
  warnings: string[];
}
