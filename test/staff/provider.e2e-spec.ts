import { beforeAll, expect, it } from '@jest/globals';
import type { Config } from '../../src/platform/config/config.js';
import { operator } from '../../src/platform/audit/audit.service.js';
import { LinksService } from '../../src/staff/sign-in/links.service.js';
import { SessionsService } from '../../src/staff/sessions/sessions.service.js';
import { StaffService } from '../../src/staff/staff.service.js';
import { newDatabase, testConfig } from '../support/databases.js';
import type { Reply } from '../support/http.js';
import { Ledger } from '../support/ledger.js';
import { type Account, CLIENT, OidcServer } from '../support/oidc-server.js';
import { onOneEngine, type Service, startService } from '../support/service.js';
import { StaffBrowser } from '../support/staff-browser.js';

const { publicUrl } = testConfig({ sqliteFile: '', databaseUrl: null });
let provider: OidcServer;
beforeAll(async () => {
  provider = await OidcServer.start(`${publicUrl}/staff/sign-in/callback`);
});

const settings = (about: Partial<Config> = {}): Partial<Config> => ({
  oidcIssuer: provider.issuer,
  oidcClientId: CLIENT.id,
  oidcClientSecret: CLIENT.secret,
  rateLimits: false,
  ...about,
});

/** The redirect to the provider and back. */
async function signIn(browser: StaffBrowser, login: string, next = ''): Promise<Reply<string>> {
  const left = await browser.get(`/staff/sign-in/provider${next}`);
  expect(left.status).toBe(303);
  const back = await provider.signIn(String(left.headers.location), login);
  return browser.get(back.pathname + back.search);
}

const refusal = ({ status, text }: Reply<unknown>) => [
  status,
  /<p class="notice-title">([^<]*)/.exec(text)?.[1],
];

onOneEngine('the sign-in with the provider', (engine) => {
  let service: Service;
  let ledger: Ledger;
  beforeAll(async () => {
    service = await startService(engine, { config: settings() });
    ledger = new Ledger(service.config);
    await service.given.staff({ email: 'lin@operator.example' });
  });

  it('admits an invited member, and recognises the person by issuer and subject', async () => {
    const member = await service.given.staff({ email: 'grace@operator.example', role: 'manager' });
    provider.accounts.set('grace', { email: 'Grace@operator.example', email_verified: true });
    const browser = new StaffBrowser(service);
    const reply = await signIn(browser, 'grace', '?next=%2Fstaff%2Faccount');
    expect([reply.status, reply.headers.location]).toEqual([303, '/staff/account']);
    expect(reply.headers['set-cookie']).toEqual([
      'staff-sign-in-state=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax',
      expect.stringMatching(/^staff=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax$/),
    ]);
    expect(await browser.isSignedIn()).toBe(true);

    provider.accounts.set('grace', { email: 'married@elsewhere.example', email_verified: false });
    const later = new StaffBrowser(service);
    await signIn(later, 'grace');
    expect(await service.get(SessionsService).callerOf(later.cookie)).toMatchObject({
      staffId: member.id,
      role: 'manager',
    });
    const rows = await ledger.rows<{ issuer: string; subject: string }>(
      `SELECT issuer, subject FROM staff_identities WHERE staff_member_id = '${member.id}'`,
    );
    expect(rows).toEqual([{ issuer: provider.issuer, subject: 'grace' }]);
    const entries = await ledger.rows<{ action: string }>(
      `SELECT action FROM audit_entries WHERE subject_id = '${member.id}' ORDER BY id`,
    );
    expect(entries.map(({ action }) => action)).toEqual([
      'added',
      'identity-linked',
      'signed-in',
      'signed-in',
    ]);
  });

  it('refuses a person who took over the email address of a member', async () => {
    await service.given.staff({ email: 'kay@operator.example' });
    provider.accounts.set('kay', { email: 'kay@operator.example', email_verified: true });
    await signIn(new StaffBrowser(service), 'kay');
    provider.accounts.set('other', { email: 'kay@operator.example', email_verified: true });
    const other = new StaffBrowser(service);
    expect(refusal(await signIn(other, 'other'))).toEqual([
      403,
      'This email address belongs to another account.',
    ]);
    expect(await other.isSignedIn()).toBe(false);
  });

  it.each<[string, Account, string]>([
    [
      'verified',
      { email: 'stranger@operator.example', email_verified: true },
      'You have no account',
    ],
    ['unverified', { email: 'lin@operator.example', email_verified: false }, 'not verified'],
    ['who may be verified', { email: 'lin@operator.example' }, 'not verified'],
    [
      'verified in other words',
      { email: 'lin@operator.example', email_verified: 'yes' },
      'not verified',
    ],
    ['without an address', {}, 'not verified'],
  ])('refuses a stranger, %s', async (login, account, why) => {
    provider.accounts.set(login, account);
    const browser = new StaffBrowser(service);
    expect(refusal(await signIn(browser, login))).toEqual([403, expect.stringContaining(why)]);
    expect(await browser.isSignedIn()).toBe(false);
  });

  it('refuses a disabled member', async () => {
    const { id } = await service.given.staff({ email: 'joan@operator.example' });
    provider.accounts.set('joan', { email: 'joan@operator.example', email_verified: true });
    await signIn(new StaffBrowser(service), 'joan');
    await service.get(StaffService).setEnabled(id, false, operator);
    expect(refusal(await signIn(new StaffBrowser(service), 'joan'))).toEqual([
      403,
      'Your account is disabled.',
    ]);
  });

  it('accepts a response once, only in the browser that started the sign-in', async () => {
    await service.given.staff({ email: 'mary@operator.example' });
    provider.accounts.set('mary', { email: 'mary@operator.example', email_verified: true });
    const browser = new StaffBrowser(service);
    const left = await browser.get('/staff/sign-in/provider');
    const back = await provider.signIn(String(left.headers.location), 'mary');
    const answer = back.pathname + back.search;
    const stranger = new StaffBrowser(service);
    const unfinished = [403, 'You did not finish signing in. Try again.'];
    expect(refusal(await stranger.get(answer))).toEqual(unfinished);
    const began = new StaffBrowser(service);
    await began.get('/staff/sign-in/provider');
    expect(refusal(await began.get(answer))).toEqual(unfinished);
    expect((await browser.get(answer)).status).toBe(303);
    const state = String(left.headers['set-cookie']).split(/[=;]/)[1]!;
    const replay = new StaffBrowser(service);
    replay.plant('staff-sign-in-state', state);
    expect(refusal(await replay.get(answer))).toEqual(unfinished);
  });

  it.each(['code=wrong&state=wrong', 'error=access_denied', 'code=a&code=b', ''])(
    'refuses an invalid response: %j',
    async (query) => {
      const browser = new StaffBrowser(service);
      const left = await browser.get('/staff/sign-in/provider');
      const state = new URL(String(left.headers.location)).searchParams.get('state')!;
      const own = `state=${state}&iss=${encodeURIComponent(provider.issuer)}`;
      for (const answer of [query, `${query}&${own}`]) {
        const reply = await browser.get(`/staff/sign-in/callback?${answer}`);
        expect([answer, reply.status]).toEqual([answer, 403]);
      }
      expect(await browser.isSignedIn()).toBe(false);
    },
  );

  it('sets the role from a claim at each sign-in, and refuses a person without a role', async () => {
    const all = await startService(engine, {
      config: settings({
        oidcMembers: 'all',
        staffPasswords: false,
        oidcRoles: [
          { role: 'manager', value: 'leads' },
          { role: 'admin', value: 'it' },
          { role: 'agent', value: 'sales' },
        ],
      }),
    });
    const browser = new StaffBrowser(all);
    const as = async (...groups: string[]) => {
      const email = 'sam@operator.example';
      provider.accounts.set('sam', { email, email_verified: true, name: 'Sam Stone', groups });
      const reply = await signIn(browser, 'sam');
      return reply.status === 303 ? all.get(SessionsService).callerOf(browser.cookie) : reply.text;
    };
    expect(await as('cleaners')).toContain('Your account has no role in this service.');
    expect(await all.get(StaffService).list()).toEqual([]);
    expect(await as('sales', 'it', 'leads')).toMatchObject({ name: 'Sam Stone', role: 'admin' });
    expect(await as('sales')).toMatchObject({ role: 'agent' });
    expect(await as()).toContain('Your account has no role in this service.');
    expect(await all.get(StaffService).list()).toHaveLength(1);
  });

  it('leaves a link without effect that was made before passwords were switched off', async () => {
    const database = await newDatabase(engine);
    const before = await startService(engine, { database, config: settings() });
    const member = await before.given.staff();
    const { url } = await before.get(LinksService).make(member.id, operator);
    const secret = url.slice(url.lastIndexOf('/') + 1);
    const config = settings({ staffPasswords: false });
    const after = await startService(engine, { database, config });
    const owners = [];
    for (const one of [before, after]) owners.push(await one.get(LinksService).ownerOf(secret));
    expect(owners.map((owner) => owner?.id)).toEqual([member.id, undefined]);
  });

  it('reports that the provider is unreachable', async () => {
    const alone = await startService(engine, {
      config: settings({ oidcIssuer: 'http://localhost:9' }),
    });
    const headers = { Accept: 'text/html' };
    const reply = await new StaffBrowser(alone).get('/staff/sign-in/provider', headers);
    expect([reply.status, reply.text]).toEqual([
      503,
      expect.stringContaining('The sign-in provider cannot be reached at the moment.'),
    ]);
  });
});
