import { type StaffRole, staffRoles } from '../access/scopes.js';
import { anyText, base64Key, kind, oneOf, onOrOff, optional, setting } from './setting.js';

/** Which value of the provider's claim gives which role. */
export type RoleNames = readonly { readonly role: StaffRole; readonly value: string }[];

/** How staff sign in. */
export const staffSettings = {
  staffPasswords: setting('STAFF_PASSWORDS', onOrOff, {
    default: 'on',
    meaning: 'Whether staff can sign in with a password. Can be `off` where `OIDC_ISSUER` is set.',
  }),
  /** Null: no second factors. */
  staffKey: optional('STAFF_KEY', base64Key, {
    unset: null,
    meaning: 'Encrypts the keys of second factors in the database. Empty: no second factors.',
    secret: true,
  }),
  staffSecondFactor: setting('STAFF_SECOND_FACTOR', oneOf('optional', 'required'), {
    default: 'optional',
    meaning:
      'Whether staff who sign in with a password need a second factor. The provider asks for its own. `required` needs `STAFF_KEY`.',
  }),
  /** Null: staff sign in with passwords only. */
  oidcIssuer: optional(
    'OIDC_ISSUER',
    kind('an https URL; http on this machine only', (text) => (isIssuer(text) ? text : undefined)),
    {
      unset: null,
      meaning:
        'The OpenID Connect provider with which staff sign in. Its redirect address is `PUBLIC_URL` and `/staff/sign-in/callback`. Empty: none.',
    },
  ),
  oidcName: setting('OIDC_NAME', anyText('a text such as `Example SSO`'), {
    default: 'your company account',
    meaning: 'The name of the provider on the button of the sign-in page.',
  }),
  oidcClientId: optional('OIDC_CLIENT_ID', anyText(), {
    unset: '',
    meaning: 'The name of this service at the provider. Must be set where `OIDC_ISSUER` is.',
  }),
  oidcClientSecret: optional('OIDC_CLIENT_SECRET', anyText(), {
    unset: null,
    meaning:
      'The secret of this service at the provider. Empty: the provider treats it as a public client; PKCE is used either way.',
    secret: true,
  }),
  oidcScopes: setting(
    'OIDC_SCOPES',
    kind('words separated by spaces, `openid` among them', (text) =>
      text.split(' ').includes('openid') ? text : undefined,
    ),
    { default: 'openid email profile', meaning: 'The scopes that are requested.' },
  ),
  oidcMembers: setting('OIDC_MEMBERS', oneOf('invited', 'all'), {
    default: 'invited',
    meaning:
      'Who may sign in with the provider. `invited`: people who are staff members already, found by their verified email address the first time. `all`: everyone at the provider; a person without a role from a claim becomes an agent.',
  }),
  oidcRoleClaim: setting('OIDC_ROLE_CLAIM', anyText('the name of a claim'), {
    default: 'groups',
    meaning:
      'The claim, of the ID token or the UserInfo endpoint, that `OIDC_ROLES` reads: a text or a list.',
  }),
  /** Null: roles are set here. */
  oidcRoles: optional(
    'OIDC_ROLES',
    kind(
      'roles with a value each, such as `admin=it-admins,manager=sales-leads,agent=sales`',
      readRoles,
    ),
    {
      unset: null,
      meaning:
        'Which value of the claim gives which role, at every sign-in; the highest counts, and a person without any is refused. Empty: roles are set here.',
    },
  ),
};

function isIssuer(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname, search, hash } = new URL(text);
  const isHere = /^(?:localhost|127\.0\.0\.1|\[::1\])$/.test(hostname);
  return (
    (protocol === 'https:' || (protocol === 'http:' && isHere)) && search === '' && hash === ''
  );
}

function readRoles(text: string): RoleNames | undefined {
  const pairs = text.split(',').map((pair) => pair.trim().split('='));
  const names = pairs.map(([role, ...value]) => ({
    role: staffRoles.find((known) => known === role),
    value: value.join('='),
  }));
  return names.every((name): name is RoleNames[number] => !!name.role && name.value !== '')
    ? names
    : undefined;
}
