import { afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { ServerResponse } from 'node:http';
import type { Config } from '../../src/platform/config/config.js';
import { Transactions } from '../../src/platform/database/transactions.js';
import { OidcService } from '../../src/staff/sign-in/oidc.service.js';
import { until } from '../support/catalogue.js';
import { EMAIL, HostileProvider, type Trick } from '../support/hostile-provider.js';
import type { Reply } from '../support/http.js';
import { CLIENT } from '../support/oidc-server.js';
import { type Service, startService } from '../support/service.js';
import { StaffBrowser } from '../support/staff-browser.js';

const MB = 1024 * 1024;
const now = Math.floor(Date.now() / 1_000);

let provider: HostileProvider;
let service: Service;
beforeAll(async () => {
  provider = await HostileProvider.start();
  service = await startService('sqlite', {
    config: {
      oidcIssuer: provider.issuer,
      oidcClientId: CLIENT.id,
      oidcClientSecret: CLIENT.secret,
      rateLimits: false,
    },
  });
  await service.given.staff({ email: EMAIL });
});
afterEach(() => void jest.restoreAllMocks());

/** The provider and the settings from now on, for a service that knows neither its metadata nor a person of it. */
async function meet(trick: Trick, settings: Partial<Config> = {}): Promise<void> {
  Object.assign(provider, { trick, sent: 0, asked: [] });
  service.set(settings);
  Object.assign(service.get(OidcService), { known: undefined });
  await service.get(Transactions).run((tx) => tx.query('DELETE FROM staff_identities'));
}

/** There and back; `changes` are to the answer that the browser brings. */
async function signIn(
  browser: StaffBrowser,
  changes: Readonly<Record<string, string>> = {},
): Promise<Reply<string>> {
  const left = await browser.get('/staff/sign-in/provider', { Accept: 'text/html' });
  if (left.status !== 303) return left;
  return browser.get(provider.back(String(left.headers.location), changes), {
    Accept: 'text/html',
  });
}

/** The status, after checking that no one is signed in. */
async function refusedBy(changes?: Readonly<Record<string, string>>): Promise<number> {
  const browser = new StaffBrowser(service);
  const { status } = await signIn(browser, changes);
  expect(await browser.isSignedIn()).toBe(false);
  expect(provider.sent).toBeLessThan(16 * MB);
  return status;
}

const json = (response: ServerResponse) => response.setHeader('Content-Type', 'application/json');

/** Answers that end only with the connection. All but the last call `wait` where the service goes on waiting. */
const endless: Readonly<Record<string, (response: ServerResponse, wait: () => void) => void>> = {
  'never starts': (_response, wait) => wait(),
  'starts and never goes on': (response, wait) => void json(response).write('{', wait),
  'comes a byte at a time': (response, wait) => {
    json(response).write('{"padding":"');
    let bytes = 0;
    const timer = setInterval(() => {
      response.write('x');
      if ((bytes += 1) === 3) wait();
    }, 5);
    response.once('close', () => clearInterval(timer));
  },
  'never ends': (response) => {
    json(response).write('{"padding":"');
    const go = () => {
      while (!response.destroyed && response.write('x'.repeat(65_536)));
    };
    response.on('drain', go);
    go();
  },
};

/** Holds the timeouts of requests to the provider, 5 seconds each. @returns ends those that run */
function holdTimeouts(): () => void {
  const running: AbortController[] = [];
  const timeout = AbortSignal.timeout.bind(AbortSignal);
  jest.spyOn(AbortSignal, 'timeout').mockImplementation((milliseconds) => {
    if (milliseconds !== 5_000) return timeout(milliseconds);
    const held = new AbortController();
    running.push(held);
    return held.signal;
  });
  return () =>
    running.forEach((held) => held.abort(new DOMException('Time is up', 'TimeoutError')));
}

it('an honest provider lets its person in, and is asked for its metadata once', async () => {
  await meet({});
  for (let times = 0; times < 2; times += 1) {
    const browser = new StaffBrowser(service);
    expect((await signIn(browser)).status).toBe(303);
    expect(await browser.isSignedIn()).toBe(true);
  }
  expect(provider.asked.filter((endpoint) => endpoint === 'metadata')).toHaveLength(1);
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
    await meet(trick);
    expect(await refusedBy()).toBe(403);
  });

  it.each([
    ['an answer of another issuer', { iss: 'https://other.example' }],
    ['an answer to another question', { state: 'other' }],
  ])('%s', async (_what, changes) => {
    await meet({});
    expect(await refusedBy(changes)).toBe(403);
  });

  it('an unsigned ID token, although its metadata allows it', async () => {
    const metadata = { id_token_signing_alg_values_supported: ['none', 'HS256'] };
    for (const alg of ['none', 'HS256']) {
      await meet({ metadata, header: { alg } });
      expect([alg, await refusedBy()]).toEqual([alg, 403]);
    }
  });

  it('the metadata of another issuer', async () => {
    await meet({ metadata: { issuer: 'https://other.example' } });
    expect(await refusedBy()).toBe(503);
    const { text } = await signIn(new StaffBrowser(service));
    const both = `OIDC_ISSUER is ${provider.issuer}, but the sign-in provider says that its issuer is https://other.example/.`;
    expect(text).toContain(both);
    expect(text).not.toContain('Try again in');
    service.log.lines.length = 0;
    await service.get(OidcService).checkIssuer();
    expect(service.log.lines).toEqual([expect.stringContaining(both)]);
  });
});

describe('a provider does not hold up the service with', () => {
  it.each(
    (['metadata', 'token', 'keys', 'userinfo'] as const).flatMap((endpoint) =>
      Object.keys(endless).map((how) => ({ endpoint, how })),
    ),
  )('an answer of its $endpoint that $how', async ({ endpoint, how }) => {
    const endTimeouts = holdTimeouts();
    await meet({
      answer: { [endpoint]: (response: ServerResponse) => endless[how]!(response, endTimeouts) },
      // Without the address, which UserInfo would have to send.
      ...(endpoint === 'userinfo' && { claims: { email: undefined } }),
    });
    const isTooLong = how === 'never ends' && endpoint !== 'metadata';
    expect(await refusedBy()).toBe(isTooLong ? 403 : 503);
  });

  it('a hundred sign-ins that start while it is silent: the service asks it once', async () => {
    const endTimeouts = holdTimeouts();
    await meet({ answer: { metadata: () => undefined } });
    const started = jest.spyOn(service.get(OidcService), 'startSignIn');
    const replies = Array.from({ length: 100 }, () =>
      new StaffBrowser(service).get('/staff/sign-in/provider', { Accept: 'text/html' }),
    );
    await until(() => started.mock.calls.length === 100 && provider.asked.length > 0);
    endTimeouts();
    const statuses = (await Promise.all(replies)).map(({ status }) => status);
    expect(new Set(statuses)).toEqual(new Set([503]));
    expect(provider.asked).toEqual(['metadata']);
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
    await meet(trick, settings);
    const browser = new StaffBrowser(service);
    expect((await signIn(browser)).status).toBe(303);
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
    await meet(trick, settings);
    const browser = new StaffBrowser(service);
    const reply = await signIn(browser);
    expect([reply.status, reply.text]).toEqual([status, expect.stringContaining(words)]);
    expect(await browser.isSignedIn()).toBe(false);
  });

  it('takes an issuer with another last slash', async () => {
    const issuer = `${provider.issuer}/tenant/`;
    await meet(
      { metadata: { issuer }, claims: { iss: issuer } },
      { oidcIssuer: `${provider.issuer}/tenant` },
    );
    expect((await signIn(new StaffBrowser(service), { iss: issuer })).status).toBe(303);
  });
});
