import { isMailAddress } from '../../platform/kernel/mail-address.js';

/** What a provider says of a person. Each claim can be missing or of another type: read them here. */
export type Claims = Readonly<Record<string, unknown>>;

export interface EmailTrust {
  /** The claim that proves the address. */
  readonly oidcEmailProof: string;
  /** Whether the operator trusts each address of the provider. */
  readonly oidcTrustEmail: boolean;
}

/**
 * The claims of the ID token, then those of UserInfo. A proof in UserInfo is about the address there, so it
 * is left out where the ID token has another address.
 */
export function joinClaims(
  idToken: Claims,
  userInfo: Claims,
  { oidcEmailProof }: EmailTrust,
): Claims {
  const joined = { ...userInfo, ...idToken };
  const isOther = 'email' in idToken && textOf(idToken.email) !== textOf(userInfo.email);
  if (!isOther || oidcEmailProof in idToken) return joined;
  return { ...joined, [oidcEmailProof]: undefined };
}

/**
 * The address, in small letters, if it is proven: by the claim, or by the operator's trust where the provider
 * does not say that it is unverified. Only a trusted provider may leave `email` out: its user names are
 * addresses then.
 */
export function provenEmail(
  claims: Claims,
  { oidcEmailProof, oidcTrustEmail }: EmailTrust,
): string | null {
  const isDenied = [oidcEmailProof, 'email_verified'].some((name) => isNo(claims[name]));
  const isTrusted = oidcTrustEmail && !isDenied;
  if (!isTrusted && !isYes(claims[oidcEmailProof])) return null;
  const names = isTrusted ? ['email', 'preferred_username', 'upn'] : ['email'];
  return names.map((name) => textOf(claims[name])).find(isMailAddress) ?? null;
}

/** The person's name; empty if the provider does not send one. */
export function nameOf(claims: Claims): string {
  const { name, given_name: given, family_name: family } = claims;
  const parts = typeof name === 'string' && name.trim() !== '' ? [name] : [given, family];
  return parts
    .filter((part) => typeof part === 'string')
    .join(' ')
    .trim()
    .slice(0, 120);
}

/** The values of a claim: a list, one text, or within an object, such as `realm_access.roles`. */
export function valuesOf(claims: Claims, claim: string): readonly unknown[] {
  const found = claims[claim] ?? claim.split('.').reduce<unknown>(memberOf, claims);
  if (found === undefined || found === null) return [];
  return Array.isArray(found) ? (found as unknown[]) : [found];
}

/** Whether the provider left out the claim because it has too many values (Entra ID: over 200 groups). */
export function isOverage(claims: Claims, claim: string): boolean {
  return isYes(claims.hasgroups) || memberOf(claims._claim_names, claim) !== undefined;
}

function memberOf(object: unknown, name: string): unknown {
  const isObject = typeof object === 'object' && object !== null && Object.hasOwn(object, name);
  return isObject ? (object as Claims)[name] : undefined;
}

function textOf(claim: unknown): string {
  return typeof claim === 'string' ? claim.trim().toLowerCase() : '';
}

/** Amazon Cognito and Apple send `"true"`, Entra ID sends `xms_edov` as `"1"` or `true`. */
function isYes(claim: unknown): boolean {
  return claim === true || claim === 1 || ['true', '1'].includes(textOf(claim));
}

function isNo(claim: unknown): boolean {
  return claim !== undefined && claim !== null && !isYes(claim);
}
