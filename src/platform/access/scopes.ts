import { applyDecorators, SetMetadata } from '@nestjs/common';
import { ApiExtension, ApiSecurity } from '@nestjs/swagger';
import { COUNTING, type Counting } from './counting.js';

/** Those of a new token of an API client, unless it is issued with others. */
export const usualClientScopes = ['availability:read', 'orders:write', 'orders:read'] as const;
export const clientScopes = [
  ...usualClientScopes,
  'availability:nearest',
  'coverage:read',
] as const;
export const staffScopes = [
  'follow-up:read',
  'follow-up:write',
  'catalogue:write',
  'clients:write',
  'reports:read',
  'margins:read',
] as const;

export type ClientScope = (typeof clientScopes)[number];
export type StaffScope = (typeof staffScopes)[number];
export type Scope = ClientScope | StaffScope;

export function isScope(text: string): text is Scope {
  return (clientScopes as readonly string[]).includes(text) || isStaffScope(text);
}

function isStaffScope(text: string): text is StaffScope {
  return (staffScopes as readonly string[]).includes(text);
}

export type TokenHolder = 'client' | 'staff';

/** Whose tokens can have the scope: no scope is for both. */
export function holderOf(scope: Scope | 'client'): TokenHolder {
  return scope !== 'client' && isStaffScope(scope) ? 'staff' : 'client';
}

/** Each role includes the previous ones. */
export const staffRoles = ['agent', 'manager', 'admin'] as const;
export type StaffRole = (typeof staffRoles)[number];

export function isAtLeast(role: StaffRole, least: StaffRole): boolean {
  return staffRoles.indexOf(role) >= staffRoles.indexOf(least);
}

/** The scopes of a signed-in member. */
export function scopesOfRole(role: StaffRole): ReadonlySet<Scope> {
  return new Set(
    Object.entries(leastRoles).flatMap(([scope, least]) =>
      isAtLeast(role, least) ? [scope as StaffScope] : [],
    ),
  );
}

const leastRoles: Readonly<Record<StaffScope, StaffRole>> = {
  'follow-up:read': 'agent',
  'follow-up:write': 'agent',
  'reports:read': 'manager',
  'margins:read': 'manager',
  'catalogue:write': 'admin',
  'clients:write': 'admin',
};

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

export const roleNames: Readonly<Record<StaffRole, string>> = {
  agent: 'Agent',
  manager: 'Manager',
  admin: 'Administrator',
};
