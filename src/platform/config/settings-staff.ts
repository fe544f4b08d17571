import { type StaffRole, staffRoles } from '../access/scopes.js';
import { isThisMachine } from './addresses.js';
import { anyText, base64Key, kind, oneOf, onOrOff, setting } from './setting.js';

/** The value of the provider's claim for each role. */
export type RoleNames = readonly { readonly role: StaffRole; readonly value: string }[];

/** How staff sign in. */
export const staffSettings = {
  staffPasswords: setting('STAFF_PASSWORDS', onOrOff, {
    default: 'on',
    meaning: 'Whether staff can sign in with a password. `off` requires `OIDC_ISSUER`.',
  }),
  /** Null: no second factors. */
  staffKey: setting('STAFF_KEY', base64Key, {
    unset: null,
    meaning: 'Encrypts the keys of second factors in the database. Empty: no second factors.',
    secret: true,
  }),
  staffKeySecond: setting('STAFF_KEY_SECOND', base64Key, {
    unset: null,
    meaning:
      'Only while `STAFF_KEY` is changed: a second key that decrypts, the old or the new one. Empty: none.',
    secret: true,
  }),
  staffSecondFactor: setting('STAFF_SECOND_FACTOR', oneOf('optional', 'required'), {
    default: 'optional',
    meaning: 'Whether sign-in with a password needs a second factor. `required` needs `STAFF_KEY`.',
  }),
  /** Null: staff sign in with passwords only. */
  oidcIssuer: setting(
    'OIDC_ISSUER',
    kind('an https URL; http on this machine only', (text) => (isIssuer(text) ? text : undefined)),
    {
      unset: null,
      meaning:
        'The OpenID Connect provider with which staff sign in. Its redirect URI is `PUBLIC_URL` followed by `/staff/sign-in/callback`. Empty: none.',
    },
  ),
  oidcClientId: setting('OIDC_CLIENT_ID', anyText(), {
    unset: '',
    meaning: 'The client id at the provider. Must be set where `OIDC_ISSUER` is.',
  }),
  oidcClientSecret: setting('OIDC_CLIENT_SECRET', anyText(), {
    unset: null,
    meaning: 'The client secret at the provider. Empty: a public client. PKCE is always used.',
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
      'Who may sign in with the provider. `invited`: people who are staff members already, found by their verified email address at the first sign-in. `all`: everyone at the provider; a person without a role from a claim becomes an agent.',
  }),
  oidcEmailProof: setting('OIDC_EMAIL_PROOF', anyText('the name of a claim, or `none`'), {
    default: 'email_verified',
    meaning:
      'The claim that proves the email address if it is `true`, such as `xms_edov`. `none`: each address counts as verified where the provider does not say otherwise, for providers that send no such claim, such as Entra ID; an `email` that is missing is then read from `preferred_username` or `upn`. `none` is refused for issuers that serve many organisations.',
  }),
  oidcRoleClaim: setting('OIDC_ROLE_CLAIM', anyText('the name of a claim'), {
    default: 'groups',
    meaning:
      'The claim of the ID token or UserInfo that `OIDC_ROLES` reads: a text or a list, also within an object, such as `realm_access.roles`.',
  }),
  /** Null: roles are set here. */
  oidcRoles: setting(
    'OIDC_ROLES',
    kind(
      'roles with values, such as `admin=it-admins,agent=sales`; a value with a comma in double quotes',
      readRoles,
    ),
    {
      unset: null,
      meaning:
        'The claim value for each role, read at every sign-in. The highest role counts; a person without a role is refused. Empty: roles are set here.',
    },
  ),
};

function isIssuer(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname, search, hash } = new URL(text);
  const isSafe = protocol === 'https:' || (protocol === 'http:' && isThisMachine(hostname));
  return isSafe && search === '' && hash === '';
}

function readRoles(text: string): RoleNames | undefined {
  // Up to the comma that is outside quotes; a quote within quotes is written twice.
  const parts = [...text.matchAll(/(?:^|,)((?:"(?:[^"]|"")*"|[^",])*)/g)];
  if (parts.map(([whole]) => whole).join('') !== text) return undefined;
  const names = parts.map(([, part = '']) => {
    const [role, ...value] = part.trim().split('=');
    return { role: staffRoles.find((known) => known === role), value: unquoted(value.join('=')) };
  });
  return names.every((name): name is RoleNames[number] => !!name.role && name.value !== '')
    ? names
    : undefined;
}

function unquoted(text: string): string {
  const [, inner] = /^"(.*)"$/s.exec(text) ?? [];
  return inner?.replaceAll('""', '"') ?? text;
}
