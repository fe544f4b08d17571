import { type StaffRole, staffRoles } from '../access/scopes.js';
import { anyText, base64Key, oneOf, setting } from './setting.js';

/** Which value of the provider's claim gives which role. */
export type RoleNames = readonly { readonly role: StaffRole; readonly value: string }[];

/** The variables of how staff sign in. */
export const staffSettings = {
  staffPasswords: setting(
    'STAFF_PASSWORDS',
    'on',
    '`on` or `off`',
    'Whether staff can sign in with a password. Can be `off` where `OIDC_ISSUER` is set.',
    oneOf('on', 'off'),
  ),
  staffKey: setting(
    'STAFF_KEY',
    '',
    '32 bytes in base64, as `openssl rand -base64 32` prints them',
    'Encrypts the keys of second factors in the database. Empty: no second factors.',
    base64Key,
    { secret: true },
  ),
  staffSecondFactor: setting(
    'STAFF_SECOND_FACTOR',
    'optional',
    '`optional` or `required`',
    'Whether whoever signs in with a password has to have a second factor. The provider asks for its own. `required` needs `STAFF_KEY`.',
    oneOf('optional', 'required'),
  ),
  oidcIssuer: setting(
    'OIDC_ISSUER',
    '',
    'an https URL; http on this machine only',
    'The OpenID Connect provider with which staff sign in. Its redirect address is `PUBLIC_URL` and `/staff/sign-in/callback`. Empty: none.',
    (text) => (isIssuer(text) ? text : undefined),
  ),
  oidcName: setting(
    'OIDC_NAME',
    'your company account',
    'a text such as `Example SSO`',
    'What the button on the sign-in page calls the provider.',
    anyText,
  ),
  oidcClientId: setting(
    'OIDC_CLIENT_ID',
    '',
    'a text',
    'The name of this service at the provider. Must be set where `OIDC_ISSUER` is.',
    anyText,
  ),
  oidcClientSecret: setting(
    'OIDC_CLIENT_SECRET',
    '',
    'a text',
    'Its secret there. Empty: the provider knows it as a public client; PKCE is used either way.',
    anyText,
    { secret: true },
  ),
  oidcScopes: setting(
    'OIDC_SCOPES',
    'openid email profile',
    'words separated by blanks, `openid` among them',
    'What the provider is asked for.',
    (text) => (text.split(' ').includes('openid') ? text : undefined),
  ),
  oidcMembers: setting(
    'OIDC_MEMBERS',
    'invited',
    '`invited` or `all`',
    'Who may sign in with the provider: those who are staff members already, by their verified e-mail address the first time, or everybody there, who becomes an agent if no claim says otherwise.',
    oneOf('invited', 'all'),
  ),
  oidcRoleClaim: setting(
    'OIDC_ROLE_CLAIM',
    'groups',
    'the name of a claim',
    'The claim, of the ID token or the UserInfo endpoint, that `OIDC_ROLES` looks at: a text or a list.',
    anyText,
  ),
  oidcRoles: setting(
    'OIDC_ROLES',
    '',
    'roles with a value each, such as `admin=it-admins,manager=sales-leads,agent=sales`',
    'Which value of the claim gives which role, at every sign-in; the highest counts, and whoever has none is refused. Empty: roles are set here.',
    readRoles,
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
