import { ApiSchema } from '@nestjs/swagger';

@ApiSchema({ description: 'The API client that a token belongs to.' })
export class MyClient {
  /**
   * Identifies the API client. @kind uuid
   * @example "019a9b5e-1c1d-7c3a-9d2f-5b1e6a7c8d90"
   */
  id: string;

  /**
   * As the operator calls it.
   * @maxLength 120
   * @example "Example Reseller"
   */
  name: string;

  /**
   * The price list whose prices it sees.
   * @maxLength 32
   * @example "standard"
   */
  priceList: string;

  /** Whether products are also sent the key `bandwidthCapactity`, misspelt as in version 0.2.0. */
  legacyFieldNames: boolean;
}

@ApiSchema({ description: 'The token that the request was sent with.' })
export class MyToken {
  /**
   * Identifies the token; it is not the token itself. Name it when you ask the operator about it. @kind uuid
   * @example "019a9b5e-2c1d-7c3a-9d2f-5b1e6a7c8d90"
   */
  id: string;

  /**
   * What it is for, as the operator has noted it.
   * @maxLength 120
   * @example "web shop"
   */
  label: string;

  /**
   * - `live`: what it orders is real
   * - `test`: it is for the sandbox, and what it makes are tests
   * @enumName TokenMode
   * @example "live"
   */
  mode: 'live' | 'test';

  /**
   * What it may do: `availability:read` checks postcodes, `orders:write` places orders and calls them
   * off, `orders:read` reads them. New ones may be added.
   * @pattern ^[a-z-]+:[a-z]+$
   * @maxLength 32
   * @maxItems 10
   * @example ["availability:read", "orders:write", "orders:read"]
   */
  scopes: string[];

  /**
   * From when on it is refused, UTC.
   * @example "2027-11-21T09:30:00.000Z"
   */
  expiresAt: Date;
}

@ApiSchema({ description: 'A limit of so many in a time, and what is left of it.' })
export class MyLimit {
  /**
   * How many are allowed in the time. @kind allowance
   * @example 600
   */
  limit: number;

  /**
   * How many are left of them.
   * @format int32
   * @minimum 0
   * @maximum 10000000
   * @example 599
   */
  remaining: number;

  /**
   * Seconds until all of them are there again.
   * @format int32
   * @minimum 1
   * @maximum 60
   * @example 60
   */
  reset: number;
}

@ApiSchema({ description: 'How many requests may be answered at the same time, and how many are.' })
export class MyInFlight {
  /**
   * How many are allowed at the same time. @kind allowance
   * @example 20
   */
  limit: number;

  /**
   * How many are being answered, this one included.
   * @format int32
   * @minimum 0
   * @maximum 10000000
   */
  running: number;
}

@ApiSchema({
  description: 'The limits of an API client. Its test tokens have the same, counted apart.',
})
export class MyLimits {
  /** Look-ups a minute. */
  lookupsPerMinute: MyLimit;

  /** Look-ups a second. */
  lookupsPerSecond: MyLimit;

  /** Orders a minute, and whatever else is sent by POST. */
  ordersPerMinute: MyLimit;

  /** Requests at the same time. */
  inFlight: MyInFlight;
}

@ApiSchema({ description: 'What the service knows of the token that it was asked with.' })
export class Me {
  /** Whose token it is. */
  client: MyClient;

  /** What it is, and what it may do. */
  token: MyToken;

  /**
   * What it may ask for, and what is left; null where the operator has set no limits.
   * @example { "lookupsPerMinute": { "limit": 600, "remaining": 599, "reset": 60 }, "lookupsPerSecond": { "limit": 100, "remaining": 99, "reset": 1 }, "ordersPerMinute": { "limit": 60, "remaining": 60, "reset": 60 }, "inFlight": { "limit": 20, "running": 1 } }
   */
  limits: MyLimits | null;
}
