import { ApiSchema } from '@nestjs/swagger';

@ApiSchema({ description: 'The process is running.' })
export class Liveness {
  /** Always `live`. @pattern ^live$ @maxLength 20 @example "live" */
  status: string;

  /**
   * The version of the service. The API has its own label, in the description.
   * @pattern ^\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?$
   * @maxLength 50
   * @example "1.0.0"
   */
  version: string;
}

@ApiSchema({
  description: 'Whether the service can answer checks or take orders, and the state of each part.',
})
export class Readiness {
  /**
   * `ready` where the service can do what the address asks for: answer checks, or take orders. Otherwise `not ready`.
   * @example "ready"
   */
  status: 'ready' | 'not ready';

  /** A catalogue version is loaded. @example true */
  catalogue: boolean;

  /** The catalogue version that this instance uses. @example 7 */
  catalogueVersion: number | null;

  /**
   * Why this instance uses another version than the active one.
   * @maxLength 1000
   * @example "Version 8 is active but not loaded yet."
   */
  lag: string | null;

  /**
   * A database that accepts writes has answered within the last five seconds. Orders need it; checks only need it to learn of changed tokens.
   * @example true
   */
  database: boolean;

  /**
   * The database answers, but refuses writes: it is a standby, or was set read-only.
   * @example false
   */
  databaseReadOnly: boolean;

  /** Tokens can be checked: the database was read within the last 15 minutes. @example true */
  tokens: boolean;

  /**
   * The database has every table and column that this version of the service needs.
   * @example true
   */
  migrations: boolean;

  /** The disk has free space. @example true */
  disk: boolean;

  /**
   * The bank holidays of the next 180 days are known. Deadlines ignore unknown ones.
   * @example true
   */
  bankHolidays: boolean;

  /** The service is stopping and should receive no further requests. */
  draining: boolean;

  /**
   * What the operator should fix soon, such as missing bank holidays of next year.
   * @maxItems 10
   * @maxLength 300
   * @example []
   */
  warnings: string[];
}
