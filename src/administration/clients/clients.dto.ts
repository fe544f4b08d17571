import { ApiSchema, IntersectionType } from '@nestjs/swagger';
import {
  ClientDetailsChange,
  ClientInterconnect,
  ClientLimitChange,
  SeenClient,
} from '../../clients/clients.dto.js';
import { ListOf } from '../../platform/http/paging.js';
import type {
  OnOrOff,
  Compatibility,
  ClientNearNet,
} from '../../platform/kernel/client-options.js';
import { ProblemBody } from '../../platform/problems/problem.dto.js';

@ApiSchema({ description: 'An API client, and what it may do.' })
export class AdminClient {
  /** Identifies the API client. @kind uuid */
  id: string;

  /** The company. @maxLength 120 @example "Example Reseller" */
  name: string;

  /** Who to contact there. @kind person */
  contactName: string;

  /** Where notices about its tokens go. @kind email */
  contactEmail: string;

  /** The phone number of the contact. @kind phone */
  contactPhone: string;

  /** Its price list. @kind priceList */
  priceList: string;

  /** Whether the live catalogue has this price list. If not, the client gets the prices of `standard`. @example true */
  priceListIsLive: boolean;

  /**
   * The API version of its answers: `0.3`, or `0.2` for generated clients of version 0.2.0.
   * @enumName Compatibility
   * @example "0.3"
   */
  compatibility: Compatibility;

  /** Who sees prices by distance: `staff`, `all` (also the client), `off`, or `default`: as configured. @example "default" */
  nearNet: ClientNearNet;

  /** Whether its contact gets the operator's messages by email, `on` or `off`; without a webhook it does in any case. @example "on" */
  messageEmails: OnOrOff;

  /** Those that its orders can name. @maxItems 100 */
  interconnects: ClientInterconnect[];

  /** Its own limit of checks a minute; null for the default. @kind allowance @example null */
  lookupsPerMinute: number | null;

  /** Its own limit of checks a second; null for the default. @kind allowance @example null */
  lookupsPerSecond: number | null;

  /** Its own limit of orders a minute; null for the default. @kind allowance @example null */
  ordersPerMinute: number | null;

  /** Its own limit of concurrent requests; null for the default. @kind allowance @example null */
  inFlight: number | null;

  /** Whether its tokens are accepted. @example true */
  enabled: boolean;

  /** Tokens that are neither revoked nor expired. */
  usableTokens: number;

  /** When one of its tokens was last used, within a minute; null if never. @example "2026-11-21T09:30:00.000Z" */
  lastUsedAt: Date | null;

  /** When it was added. */
  createdAt: Date;

  /** Grows with each edit. Send it back with a change. @kind count @example 3 */
  version: number;
}

@ApiSchema({ description: 'All API clients, by name.' })
export class AdminClients extends ListOf(AdminClient, 10_000) {}

@ApiSchema({
  description: 'A change of an API client. Properties that are left out stay as they are.',
})
export class ClientChange extends IntersectionType(
  SeenClient,
  ClientDetailsChange,
  ClientLimitChange,
) {}

@ApiSchema({ description: 'How often a client received one kind of error.' })
export class ClientErrorCount {
  /** `code` of the problem. @pattern ^[a-z-]+$ @maxLength 32 @example "rate-limited" */
  code: string;

  /** Whether the requests had live or test tokens. @enumName TokenMode @example "live" */
  mode: 'live' | 'test';

  /** How often. */
  errors: number;

  /** When it last happened. */
  lastAt: Date;
}

@ApiSchema({
  description: 'What an API client did in the last 30 days. Orders and checks are live ones.',
})
export class ClientUsage {
  /** The first day, in London. @format date @example "2026-10-23" */
  from: string;

  /** The last day: today in London. @format date @example "2026-11-21" */
  to: string;

  /** Checks of the client, and of staff for it. */
  checks: number;

  /** Of these, the checks that found a product. */
  checksWithProducts: number;

  /** Orders received, without duplicates. */
  orders: number;

  /** Of these, the orders that are won by now. */
  won: number;

  /** Orders per check that found a product; null without such a check. @minimum 0 @maximum 1000000 @example 0.25 */
  ordersPerCheck: number | null;

  /** Won orders per order; null without an order. @minimum 0 @maximum 1 @example 0.5 */
  wonPerOrder: number | null;

  /** When one of its tokens was last used, within a minute; null if never. @example "2026-11-21T09:30:00.000Z" */
  lastUsedAt: Date | null;

  /** Live orders and enquiries that are open, counted within a minute. The setting `OPEN_REQUESTS` bounds them. */
  openRequests: number;

  /** Errors by code, the most frequent first. @maxItems 200 */
  errors: ClientErrorCount[];
}

@ApiSchema({ description: 'A colleague has edited the API client first.' })
export class ClientChangedProblem extends ProblemBody {
  /** The current version. Read the client again before you send it. @kind count @example 4 */
  version: number;
}
