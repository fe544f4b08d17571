import { beforeAll, describe, expect, it } from '@jest/globals';
import type { ServerResponse } from 'node:http';
import type { Config } from '../../src/platform/config/config.js';
import { OidcService } from '../../src/staff/sign-in/oidc.service.js';
import { EMAIL, HostileProvider, type Trick } from '../support/hostile-provider.js';
import type { Reply } from '../support/http.js';
import { CLIENT } from '../support/oidc-server.js';
import { type Service, startService } from '../support/service.js';
import { StaffBrowser } from '../support/staff-browser.js';

const MB = 1024 * 1024;
const now = Math.floor(Date.now() / 1_000);

/** A service and its provider. */
interface SignInSite {
  readonly provider: HostileProvider;
  readonly service: Service;
}

async function startWith(trick: Trick, about: Partial<Config> = {}): Promise<SignInSite> {
  const provider = await HostileProvider.start(trick);
  const service = await startService('sqlite', {
    config: {
      oidcIssuer: provider.issuer,
      oidcClientId: CLIENT.id,
      oidcClientSecret: CLIENT.secret,
      rateLimits: false,
      ...about,
    },
  });
  await service.given.staff({ email: EMAIL });
  return { provider, service };
}

/** There and back; `changes` are to the answer that the browser brings. */
async function signIn(
  browser: StaffBrowser,
  provider: HostileProvider,
  changes: Readonly<Record<string, string>> = {},
): Promise<Reply<string>> {
  const left = await browser.get('/staff/sign-in/provider', { Accept: 'text/html' });
  if (left.status !== 303) return left;
  return browser.get(provider.back(String(left.headers.location), changes), {
    Accept: 'text/html',
  });
}

/** The status, after checking that no one is signed in. */
async function refusedBy(
  { provider, service }: SignInSite,
  changes?: Readonly<Record<string, string>>,
): Promise<number> {
  const browser = new StaffBrowser(service);
  const { status } = await signIn(browser, provider, changes);
  expect(await browser.isSignedIn()).toBe(false);
  expect(provider.sent).toBeLessThan(16 * MB);
  return status;
}

const json = (response: ServerResponse) => response.setHeader('Content-Type', 'application/json');

/** Answers that end only with the connection. */
const endless = {
  'never starts': () => undefined,
  'starts and never goes on': (response: ServerResponse) => void json(response).write('{'),
  'comes a byte at a time': (response: ServerResponse) => {
    json(response).write('{"padding":"');
    const timer = setInterval(() => response.write('x'), 100);
    response.once('close', () => clearInterval(timer));
  },
  'never ends': (response: ServerResponse) => {
    json(response).write('{"padding":"');
    const go = () => {
      while (!response.destroyed && response.write('x'.repeat(65_536)));
    };
    response.on('drain', go);
    go();
  },
};

let site: SignInSite;
beforeAll(async () => {
  site = await startWith({});
});

it('an honest provider lets its person in', async () => {
  const { provider, service } = site;
  provider.trick = {};
  const browser = new StaffBrowser(service);
  expect((await signIn(browser, provider)).status).toBe(303);
  expect(await browser.isSignedIn()).toBe(true);
});

describe('a provider signs no one in with', () => {
  it.each<[what: string, trick: Trick]>([
    ['an ID token of another issuer', { claims: { iss: 'https://other.example' } }],
    ['an ID token for another audience', { claims: { aud: 'other' } }],
    [
      'an ID token for several audiences and another party',
      { claims: { aud: [CLIENT.id, 'other'], azp: 'other' } },
    ],
    ['an ID token with another nonce', { claims: { nonce: 'other' } }],
    ['an ID token without a nonce', { claims: { nonce: undefined } }],
    ['an ID token without a signature', { header: { alg: 'none' } }],
    ['an ID token signed with the client secret', { header: { alg: 'HS256' } }],
    ['an ID token signed with an unpublished key', { otherKey: true }],
    ['an ID token of an unknown key', { header: { kid: '2' } }],
    ['an expired ID token', { claims: { exp: now - 3_600 } }],
    ['an ID token that never expires', { claims: { exp: undefined } }],
    ['an ID token that is not valid yet', { claims: { nbf: now + 3_600 } }],
    ['an ID token without a subject', { claims: { sub: undefined } }],
    ['facts about another person', { userinfo: { sub: 'ada' } }],
    [
      'an address that is not verified',
      { claims: { sub: 'eve', email_verified: false }, userinfo: { sub: 'eve' } },
    ],
    [
      'an address that is verified in other words',
      { claims: { sub: 'eve', email_verified: 'yes' }, userinfo: { sub: 'eve' } },
    ],
    [
      'an address that only a stranger’s facts verify',
      {
        claims: { sub: 'eve', email_verified: undefined },
        userinfo: { sub: 'mallory', email_verified: true },
      },
    ],
  ])('%s', async (_what, trick) => {
    site.provider.trick = trick;
    expect(await refusedBy(site)).toBe(403);
  });

  it.each([
    ['an answer of another issuer', { iss: 'https://other.example' }],
    ['an answer to another question', { state: 'other' }],
  ])('%s', async (_what, changes) => {
    site.provider.trick = {};
    expect(await refusedBy(site, changes)).toBe(403);
  });

  it('an unsigned ID token, although its metadata allows it', async () => {
    const metadata = { id_token_signing_alg_values_supported: ['none', 'HS256'] };
    const other = await startWith({ metadata });
    for (const alg of ['none', 'HS256']) {
      other.provider.trick = { header: { alg } };
      expect([alg, await refusedBy(other)]).toEqual([alg, 403]);
    }
  });

  it('the metadata of another issuer', async () => {
    const other = await startWith({ metadata: { issuer: 'https://other.example' } });
    expect(await refusedBy(other)).toBe(503);
    const { text } = await signIn(new StaffBrowser(other.service), other.provider);
    const both = `OIDC_ISSUER is ${other.provider.issuer}, but the sign-in provider says that its issuer is https://other.example/.`;
    expect(text).toContain(both);
    expect(text).not.toContain('Try again in');
    other.service.log.lines.length = 0;
    await other.service.get(OidcService).checkIssuer();
    expect(other.service.log.lines).toEqual([expect.stringContaining(both)]);
  });
});

describe('a provider does not hold up the service with', () => {
  const statuses = (trickOf: (answer: (response: ServerResponse) => void) => Trick) =>
    Promise.all(
      Object.entries(endless).map(async ([how, answer]) => [
        how,
        await refusedBy(await startWith(trickOf(answer))),
      ]),
    );
  const slow = Object.keys(endless).slice(0, 3);

  // All at the same time: each waits for the timeout of 5 seconds.
  it('answers that are slow or have no end', async () => {
    const endpoints = ['metadata', 'token', 'keys', 'userinfo'];
    const answered = await Promise.all(
      endpoints.map((of) =>
        statuses((answer) => ({
          answer: { [of]: answer },
          // Without the address, which UserInfo would have to send.
          ...(of === 'userinfo' && { claims: { email: undefined } }),
        })),
      ),
    );
    const [metadata, ...others] = answered;
    expect(metadata).toEqual(Object.keys(endless).map((how) => [how, 503]));
    for (const statuses of others) {
      expect(statuses).toEqual([...slow.map((how) => [how, 503]), ['never ends', 403]]);
    }
  });

  it('a hundred sign-ins that start while it is silent: the service asks it once', async () => {
    let asked = 0;
    const metadata = () => void (asked += 1);
    const { service } = await startWith({ answer: { metadata } });
    const replies = await Promise.all(
      Array.from({ length: 100 }, () =>
        new StaffBrowser(service).get('/staff/sign-in/provider', { Accept: 'text/html' }),
      ),
    );
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([503]));
    expect(asked).toBe(1);
  });
});

describe('what providers send', () => {
  const without = { email_verified: undefined };
  /** A token of Entra ID, by its documentation. */
  const entra = {
    oid: '00000000-0000-0000-66f3-3332eca7ea81',
    tid: '8eaef023-2b34-4da1-9baa-8bc8c9d6a490',
    ver: '2.0',
    name: 'Ada Byron',
    preferred_username: EMAIL,
    ...without,
  };
  const adminsOf = (value: string): Partial<Config> => ({ oidcRoles: [{ role: 'admin', value }] });
  const trusting = { oidcTrustEmail: true };
  const fail = (response: ServerResponse) => void response.writeHead(500).end();
  const refuseClient = (response: ServerResponse) =>
    void json(response).writeHead(400).end('{"error":"invalid_client"}');
  const notFound = (response: ServerResponse) => void response.writeHead(404).end();

  it.each<[what: string, trick: Trick, settings: Partial<Config>]>([
    ['Entra ID: no email_verified', { claims: entra }, trusting],
    ['Entra ID: no email either', { claims: { ...entra, email: undefined } }, trusting],
    ['Entra ID: xms_edov', { claims: { ...entra, xms_edov: '1' } }, { oidcEmailProof: 'xms_edov' }],
    [
      'Keycloak: roles within an object',
      { claims: { realm_access: { roles: ['staff-admin', 'offline_access'] } } },
      { ...adminsOf('staff-admin'), oidcRoleClaim: 'realm_access.roles' },
    ],
    [
      'Okta: a short ID token, the rest in UserInfo',
      {
        claims: { ...without, email: undefined },
        userinfo: { email: EMAIL, email_verified: true, groups: ['Everyone', 'it'] },
      },
      adminsOf('it'),
    ],
    ['Google: verified, no groups', { claims: { hd: 'operator.example' } }, {}],
    ['Amazon Cognito: verified as a text', { claims: { email_verified: 'true' } }, {}],
    ['one group as a text', { claims: { groups: 'it' } }, adminsOf('it')],
    ['UserInfo that fails beside a complete ID token', { answer: { userinfo: fail } }, {}],
  ])('signs the person in: %s', async (_what, trick, settings) => {
    const { provider, service } = await startWith(trick, settings);
    const browser = new StaffBrowser(service);
    expect((await signIn(browser, provider)).status).toBe(303);
    expect(await browser.isSignedIn()).toBe(true);
  });

  const unverified = 'has not verified';
  it.each<[what: string, trick: Trick, settings: Partial<Config>, status: number, words: string]>([
    ['Entra ID without trust', { claims: entra }, {}, 403, unverified],
    ['a denied address', { claims: { email_verified: false } }, trusting, 403, unverified],
    [
      'too many groups',
      { claims: { _claim_names: { groups: 'src1' } } },
      adminsOf('it'),
      403,
      'You are in too many groups',
    ],
    [
      'a proof of UserInfo for another address',
      { claims: without, userinfo: { email: 'eve@elsewhere.example', email_verified: true } },
      {},
      403,
      unverified,
    ],
    [
      'UserInfo that fails beside an ID token without the role',
      { answer: { userinfo: fail } },
      adminsOf('it'),
      503,
      'cannot be reached',
    ],
    [
      'a client secret that has expired',
      { answer: { token: refuseClient } },
      {},
      503,
      'OIDC_CLIENT_SECRET is wrong, or has expired',
    ],
    ['no metadata', { answer: { metadata: notFound } }, {}, 503, 'it answers status 404'],
    ['an outage', { answer: { metadata: fail } }, {}, 503, 'cannot be reached at the moment'],
  ])('refuses: %s', async (_what, trick, settings, status, words) => {
    const { provider, service } = await startWith(trick, settings);
    const browser = new StaffBrowser(service);
    const reply = await signIn(browser, provider);
    expect([reply.status, reply.text]).toEqual([status, expect.stringContaining(words)]);
    expect(await browser.isSignedIn()).toBe(false);
  });

  it('takes an issuer with another last slash', async () => {
    const { provider, service } = await startWith({});
    const issuer = `${provider.issuer}/tenant/`;
    provider.trick = { metadata: { issuer }, claims: { iss: issuer } };
    const other = await startService('sqlite', {
      config: { ...service.config, oidcIssuer: `${provider.issuer}/tenant` },
    });
    const reply = await signIn(new StaffBrowser(other), provider, { iss: issuer });
    expect(reply.status).toBe(303);
  });
});
