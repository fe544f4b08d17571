import { ApiSchema } from '@nestjs/swagger';
import { ClientInterconnect } from './clients.dto.js';
import type { Compatibility } from '../platform/kernel/client-options.js';

@ApiSchema({ description: 'The API client that owns the token.' })
export class MyClient {
  /** Identifies the API client. @kind uuid @example "019a9b5e-1c1d-7c3a-9d2f-5b1e6a7c8d90" */
  id: string;

  /** The name that the operator has given it. @maxLength 120 @example "Example Reseller" */
  name: string;

  /** The price list of the client. @maxLength 32 @example "standard" */
  priceList: string;

  /** Deprecated: read `compatibility`. Whether it is `0.2`. @example false */
  legacyFieldNames: boolean;

  /**
   * The version that the answers to this client follow.
   * - `0.3`: as documented here
   * - `0.2`: for generated clients of version 0.2.0. Products also have the misspelt key `bandwidthCapactity`,
   *   and those whose bandwidth is not a whole number of Gbit/s are left out
   * @enumName Compatibility
   * @example "0.3"
   */
  compatibility: Compatibility;

  /** Those that orders can name in `details.interconnect`. @maxItems 100 */
  interconnects: ClientInterconnect[];
}

@ApiSchema({ description: 'The token of the request.' })
export class MyToken {
  /**
   * Identifies the token, but is not the token itself. Quote it to the operator. @kind uuid
   * @example "019a9b5e-2c1d-7c3a-9d2f-5b1e6a7c8d90"
   */
  id: string;

  /** The purpose, as the operator has noted it. @maxLength 120 @example "web shop" */
  label: string;

  /**
   * - `live`: its orders are real
   * - `test`: it is for the sandbox, and makes only tests
   * @enumName TokenMode
   * @example "live"
   */
  mode: 'live' | 'test';

  /**
   * `availability:read` allows checks, `orders:write` allows placing and cancelling orders, and
   * `orders:read` reading them. New ones may be added.
   * @pattern ^[a-z-]+:[a-z]+$
   * @maxLength 32
   * @maxItems 10
   * @example ["availability:read", "orders:write", "orders:read"]
   */
  scopes: string[];

  /** When it expires, UTC. @example "2027-11-21T09:30:00.000Z" */
  expiresAt: Date;
}

@ApiSchema({ description: 'A limit for a period, and what is left of it.' })
export class MyLimit {
  /** The number allowed in the period. @kind allowance @example 600 */
  limit: number;

  /** The number left. @format int32 @minimum 0 @maximum 10000000 @example 599 */
  remaining: number;

  /** Seconds until the period ends. @format int32 @minimum 1 @maximum 60 @example 60 */
  reset: number;
}

@ApiSchema({ description: 'The limit of concurrent requests, and how many are running.' })
export class MyInFlight {
  /** The number of concurrent requests allowed. @kind allowance @example 20 */
  limit: number;

  /**
   * The number of running requests, including this one.
   * @format int32
   * @minimum 0
   * @maximum 10000000
   */
  running: number;
}

@ApiSchema({
  description:
    'The limits of an API client. Its test tokens have the same limits, counted separately.',
})
export class MyLimits {
  /** Checks a minute. */
  lookupsPerMinute: MyLimit;

  /** Checks a second. */
  lookupsPerSecond: MyLimit;

  /** Orders a minute, and other POST requests. */
  ordersPerMinute: MyLimit;

  /** Concurrent requests. */
  inFlight: MyInFlight;
}

@ApiSchema({ description: 'The token of the request, its owner and its limits.' })
export class Me {
  /** The owner of the token. */
  client: MyClient;

  /** The token and its scopes. */
  token: MyToken;

  /**
   * The limits and what is left; null where there are none.
   * @example { "lookupsPerMinute": { "limit": 600, "remaining": 599, "reset": 60 }, "lookupsPerSecond": { "limit": 100, "remaining": 99, "reset": 1 }, "ordersPerMinute": { "limit": 60, "remaining": 60, "reset": 60 }, "inFlight": { "limit": 20, "running": 1 } }
   */
  limits: MyLimits | null;
}
