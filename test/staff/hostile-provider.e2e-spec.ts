import { beforeAll, describe, expect, it } from '@jest/globals';
import type { ServerResponse } from 'node:http';
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

async function startWith(trick: Trick): Promise<SignInSite> {
  const provider = await HostileProvider.start(trick);
  const service = await startService('sqlite', {
    config: {
      oidcIssuer: provider.issuer,
      oidcClientId: CLIENT.id,
      oidcClientSecret: CLIENT.secret,
      rateLimits: false,
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
      'an address that is verified in words only',
      { claims: { sub: 'eve', email_verified: 'true' }, userinfo: { sub: 'eve' } },
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
      endpoints.map((of) => statuses((answer) => ({ answer: { [of]: answer } }))),
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
