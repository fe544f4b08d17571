import { describe, expect, it } from '@jest/globals';
import {
  type Claims,
  isOverage,
  joinClaims,
  nameOf,
  provenEmail,
  valuesOf,
} from './provider-claims.js';

const safe = { oidcEmailProof: 'email_verified', oidcTrustEmail: false };
const trusting = { ...safe, oidcTrustEmail: true };
const edov = { ...safe, oidcEmailProof: 'xms_edov' };
const email = 'ada@operator.example';

describe('the proven address of', () => {
  it.each<[what: string, claims: Claims, trust: typeof safe, proven: string | null]>([
    ['a verified claim', { email: 'Ada@Operator.example', email_verified: true }, safe, email],
    ['a verified claim as a text', { email, email_verified: 'true' }, safe, email],
    ['another text', { email, email_verified: 'yes' }, safe, null],
    ['an object', { email, email_verified: {} }, safe, null],
    ['no proof', { email }, safe, null],
    ['a claim that says no', { email, email_verified: false }, safe, null],
    ['a user name only', { preferred_username: email, email_verified: true }, safe, null],
    ['a list of addresses', { email: [email], email_verified: true }, safe, null],
    ['Entra ID, trusted', { email, oid: '1', tid: '2' }, trusting, email],
    ['Entra ID without a mailbox, trusted', { preferred_username: email }, trusting, email],
    ['a user name that is no address', { preferred_username: 'ada', upn: email }, trusting, email],
    ['a claim that says no, trusted', { email, email_verified: false }, trusting, null],
    ['a text that says no, trusted', { email, email_verified: 'false' }, trusting, null],
    ['Entra ID with xms_edov', { email, xms_edov: '1' }, edov, email],
    ['Entra ID with another domain', { email, xms_edov: false }, edov, null],
    ['another proof than the named one', { email, email_verified: true }, edov, null],
  ])('%s', (_what, claims, trust, proven) => {
    expect(provenEmail(claims, trust)).toBe(proven);
  });
});

it('takes no proof of UserInfo for another address of the ID token', () => {
  const token = { email: 'chief@operator.example' };
  const other = joinClaims(token, { email, email_verified: true }, safe);
  expect(provenEmail(other, safe)).toBeNull();
  const same = joinClaims({ email }, { email: 'Ada@operator.example', email_verified: true }, safe);
  expect(provenEmail(same, safe)).toBe(email);
  expect(provenEmail(joinClaims({}, { email, email_verified: true }, safe), safe)).toBe(email);
  const denied = joinClaims({ email_verified: false }, { email, email_verified: true }, safe);
  expect(provenEmail(denied, safe)).toBeNull();
});

it.each<[Claims, string]>([
  [{ name: ' Ada Byron ' }, 'Ada Byron'],
  [{ given_name: 'Ada', family_name: 'Byron' }, 'Ada Byron'],
  [{ name: '', family_name: 'Byron' }, 'Byron'],
  [{ name: { first: 'Ada' } }, ''],
  [{}, ''],
])('reads the name of %j', (claims, name) => {
  expect(nameOf(claims)).toBe(name);
});

it.each<[Claims, string, unknown[]]>([
  [{ groups: ['it', 'sales'] }, 'groups', ['it', 'sales']],
  [{ groups: 'it' }, 'groups', ['it']],
  [{}, 'groups', []],
  [{ groups: null }, 'groups', []],
  [{ realm_access: { roles: ['it'] } }, 'realm_access.roles', ['it']],
  [{ 'https://a.example/roles': ['it'] }, 'https://a.example/roles', ['it']],
  [{ realm_access: 'it' }, 'realm_access.roles', []],
  [{}, '__proto__.constructor', []],
])('reads of %j the values of %s', (claims, claim, values) => {
  expect(valuesOf(claims, claim)).toEqual(values);
});

it.each<[Claims, boolean]>([
  [{ _claim_names: { groups: 'src1' } }, true],
  [{ hasgroups: true }, true],
  [{ groups: [] }, false],
  [{ _claim_names: 'groups' }, false],
])('sees in %j whether there were too many groups', (claims, overage) => {
  expect(isOverage(claims, 'groups')).toBe(overage);
});
