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
export const staffRoles = ['agent', 'manager', 'commercial', 'admin'] as const;
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
  'catalogue:write': 'commercial',
  'clients:write': 'admin',
};

export const roleNames: Readonly<Record<StaffRole, string>> = {
  agent: 'Agent',
  manager: 'Manager',
  commercial: 'Commercial manager',
  admin: 'Administrator',
};
