import { applyDecorators, SetMetadata } from '@nestjs/common';
import { ApiExtension, ApiSecurity } from '@nestjs/swagger';

export const clientScopes = ['availability:read', 'orders:write', 'orders:read'] as const;
export const staffScopes = [
  'follow-up:read',
  'follow-up:write',
  'catalogue:write',
  'clients:write',
  'reports:read',
] as const;

/** What a token of an API client may be allowed. */
export type ClientScope = (typeof clientScopes)[number];
/** What a token of a staff member may be allowed. */
export type StaffScope = (typeof staffScopes)[number];
export type Scope = ClientScope | StaffScope;

export function isScope(text: string): text is Scope {
  return (clientScopes as readonly string[]).includes(text) || isStaffScope(text);
}

function isStaffScope(text: string): text is StaffScope {
  return (staffScopes as readonly string[]).includes(text);
}

/** Whose tokens can carry the scope: no scope belongs to both. */
export function holderOf(scope: Scope): 'client' | 'staff' {
  return isStaffScope(scope) ? 'staff' : 'client';
}

export type AccessRule = Scope | 'public';

export const ACCESS_RULE = 'access-rule';

/** The route is for callers whose token carries the scope; enforced by the guard, and documented. */
export const Requires = (scope: Scope) =>
  applyDecorators(
    SetMetadata<string, AccessRule>(ACCESS_RULE, scope),
    ApiSecurity('bearerAuth'),
    ApiExtension('x-required-scope', scope),
  );

/** The route is for everybody. A route that says neither this nor `Requires` stops the start. */
export const Public = () => SetMetadata<string, AccessRule>(ACCESS_RULE, 'public');
