/** What handlers and controllers say about their callers and their load. */
import { applyDecorators, SetMetadata } from '@nestjs/common';
import { ApiExtension, ApiSecurity } from '@nestjs/swagger';
import type { Counting } from './counting.js';
import type { Scope, StaffRole } from './scopes.js';

/** A page for signed-in staff: the least role that may open it. */
export interface SessionRule {
  readonly session: StaffRole;
}

/** `client`: any API client. */
export type AccessRule = Scope | 'client' | 'public' | SessionRule;

export function isSessionRule(rule: AccessRule): rule is SessionRule {
  return typeof rule === 'object';
}

export const ACCESS_RULE = 'access-rule';

/** Allows callers whose token has the scope, or any API client. */
export const Requires = (scope: Scope | 'client', { counts }: { counts?: Counting } = {}) =>
  applyDecorators(
    SetMetadata<string, AccessRule>(ACCESS_RULE, scope),
    SetMetadata<string, Counting | undefined>(COUNTING, counts),
    ApiSecurity('bearerAuth'),
    ApiExtension('x-required-scope', scope),
  );

/** Allows signed-in staff with this role or a higher one. Only under `/staff`; `@StaffPages` applies it to a controller. */
export const Page = (least: StaffRole) =>
  SetMetadata<string, AccessRule>(ACCESS_RULE, { session: least });

/** Allows everyone. The service does not start if a route has none of these three. */
export const Public = () => SetMetadata<string, AccessRule>(ACCESS_RULE, 'public');

export const COUNTING = 'counting';

/** What is heavy has a smaller bound of concurrent requests; a stream has none. */
export interface StaffLoad {
  readonly kind: 'heavy' | 'stream';
  /** Heavy only where the request has this parameter in its query. */
  readonly parameter?: string;
}

export const STAFF_LOAD = 'staff-load';

/** For a handler or its controller: each of its requests takes much of a processor or the database. */
export const Heavy = (parameter?: string) =>
  SetMetadata<string, StaffLoad>(STAFF_LOAD, {
    kind: 'heavy',
    ...(parameter !== undefined && { parameter }),
  });

/** The response lasts as long as its connection. */
export const LongLived = () => SetMetadata<string, StaffLoad>(STAFF_LOAD, { kind: 'stream' });

export const NAMELESS_LOAD = 'nameless-load';

/** For a public handler whose requests take computing time: they count as requests without a token. */
export const CountedByAddress = () => SetMetadata(NAMELESS_LOAD, true);
