import { beforeAll, describe, expect, it } from '@jest/globals';
import { operator } from '../../src/platform/audit/audit.service.js';
import { RoutesService } from '../../src/platform/http/routes.service.js';
import { isSessionRule } from '../../src/platform/access/rules.js';
import { SessionsService } from '../../src/staff/sessions/sessions.service.js';
import { Transactions } from '../../src/platform/database/transactions.js';
import { StaffMember } from '../../src/staff/member/staff-member.entity.js';
import { StaffService } from '../../src/staff/staff.service.js';
import { Ledger } from '../support/ledger.js';
import { expectProblem } from '../support/problems.js';
import { onOneEngine, type Service, startService } from '../support/service.js';
import { StaffBrowser } from '../support/staff-browser.js';

const pages = (service: Service) =>
  service.get(RoutesService).routes.filter(({ path }) => /^\/staff(?:\/|$)/.test(path));

/** A request of a script in a page. */
const refresh = (browser: StaffBrowser) =>
  browser.get('/staff/account', { 'Sec-Fetch-Mode': 'cors' });

describe('the pages for staff', () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService('sqlite');
  });

  it('redirect visitors without a session to the sign-in', async () => {
    for (const { method, path, access } of pages(service)) {
      if (!isSessionRule(access)) continue;
      const at = path.replaceAll(/:\w+/g, 'x');
      const headers = { 'Sec-Fetch-Site': 'same-origin', Cookie: 'staff=nonsense' };
      const reply = await service.http.send({ method, path: at, headers });
      const told = [reply.status, reply.headers.location];
      const next = at === '/staff' ? '' : `?next=${encodeURIComponent(at)}`;
      expect([method, path, ...told]).toEqual(
        method === 'GET'
          ? ['GET', path, 303, `/staff/sign-in${next}`]
          : [method, path, 401, undefined],
      );
    }
  });

  it('answer a script without a session with 401 and no redirect', async () => {
    const fetched = { 'Sec-Fetch-Mode': 'cors' };
    const streamed = { Accept: 'text/event-stream' };
    for (const headers of [fetched, streamed]) {
      expectProblem(await service.http.get('/staff/account', { headers }), 'missing-session');
    }
  });

  it('forbid frames, and load and send forms only within the service', async () => {
    const browser = await StaffBrowser.signedIn(service, { role: 'admin' });
    const policies: Record<string, unknown> = {};
    const paths = ['/staff/queue', '/staff/account', '/staff/clients', '/staff/orders/none'];
    for (const path of paths) {
      const { headers } = await browser.get(path, { Accept: 'text/html' });
      policies[path] = [headers['content-type'], headers['content-security-policy']];
    }
    const { headers } = await service.http.get('/staff/sign-in');
    policies['/staff/sign-in'] = [headers['content-type'], headers['content-security-policy']];
    const expected = [
      'text/html; charset=utf-8',
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; font-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    ];
    expect(policies).toEqual(
      Object.fromEntries(Object.keys(policies).map((path) => [path, expected])),
    );
  });

  it('refuse bearer tokens', async () => {
    const token = await service.given.staffToken();
    expect((await service.http.get('/staff/account', { token })).status).toBe(303);
  });

  it('refuse every form from another site, before other checks', async () => {
    const posts = pages(service).filter(({ method }) => method !== 'GET');
    expect(posts.length).toBeGreaterThan(0);
    const browser = await StaffBrowser.signedIn(service);
    const foreign = [
      { 'Sec-Fetch-Site': 'cross-site' },
      { 'Sec-Fetch-Site': 'same-site' },
      { 'Sec-Fetch-Site': 'none' },
      { 'Sec-Fetch-Site': 'cross-site', Origin: service.config.publicUrl },
      { Origin: 'https://elsewhere.example' },
      { Origin: 'null' },
      {},
    ];
    for (const { method, path } of posts) {
      for (const headers of foreign) {
        const at = path.replaceAll(/:\w+/g, 'x');
        const reply = await browser.send({ method, path: at, headers: { ...headers } });
        expectProblem(reply, 'cross-site-request');
      }
    }
    expect(await browser.isSignedIn()).toBe(true);
  });

  it('accept a form from a browser that sends only Origin', async () => {
    const browser = await StaffBrowser.signedIn(service);
    const headers = { Origin: service.config.publicUrl };
    const reply = await browser.send({ method: 'POST', path: '/staff/sign-out', headers });
    expect([reply.status, reply.headers.location]).toEqual([303, '/staff/sign-in?out']);
  });
});

onOneEngine('a session', (engine) => {
  let service: Service;
  let ledger: Ledger;
  beforeAll(async () => {
    service = await startService(engine);
    ledger = new Ledger(service.config);
  });

  it('ends after 30 minutes without a request', async () => {
    const browser = await StaffBrowser.signedIn(service);
    service.clock.advance({ minutes: 29, seconds: 59 });
    expect(await browser.isSignedIn()).toBe(true);
    service.clock.advance({ minutes: 30 });
    expect(await browser.isSignedIn()).toBe(false);
  });

  it('is not kept alive by automatic refreshes', async () => {
    const browser = await StaffBrowser.signedIn(service);
    const [row] = await ledger.rows<{ id: string }>(
      `SELECT id FROM staff_sessions WHERE hash = '${browser.hash}'`,
    );
    const live = async () => (await service.get(SessionsService).liveAmong([row!.id])).has(row!.id);
    for (let minutes = 0; minutes < 30; minutes += 10) {
      expect([(await refresh(browser)).status, await live()]).toEqual([200, true]);
      service.clock.advance({ minutes: 10 });
    }
    expect([(await refresh(browser)).status, await live()]).toEqual([401, false]);
  });

  it('says how long it lasts without being extended by that, and is extended on request', async () => {
    const browser = await StaffBrowser.signedIn(service);
    const asked = { 'Sec-Fetch-Mode': 'cors', Accept: 'application/json' };
    const secondsLeft = async () => (await browser.get('/staff/session', asked)).body;
    const half = 30 * 60;
    const day = 12 * 3_600;
    expect(await secondsLeft()).toEqual({ left: half, atMost: day });
    service.clock.advance({ minutes: 25 });
    expect(await secondsLeft()).toEqual({ left: 300, atMost: day - 1_500 });
    expect((await browser.post('/staff/session')).body).toEqual({
      left: half,
      atMost: day - 1_500,
    });
    service.clock.advance({ minutes: 29, seconds: 59 });
    expect(await secondsLeft()).toMatchObject({ left: 1 });
    service.clock.advance({ seconds: 1 });
    expectProblem(await browser.get('/staff/session', asked), 'missing-session');
    expectProblem(await browser.post('/staff/session'), 'missing-session');
  });

  it('ends after 12 hours, even if used', async () => {
    const browser = await StaffBrowser.signedIn(service);
    for (let minutes = 0; minutes < 12 * 60 - 20; minutes += 20) {
      service.clock.advance({ minutes: 20 });
      expect(await browser.isSignedIn()).toBe(true);
    }
    service.clock.advance({ minutes: 20 });
    expect(await browser.isSignedIn()).toBe(false);
  });

  it('updates lastSeenAt at most once a minute', async () => {
    const browser = await StaffBrowser.signedIn(service);
    const seen = () =>
      ledger.rows(`SELECT last_seen_at FROM staff_sessions WHERE hash = '${browser.hash}'`);
    const [first] = await seen();
    service.clock.advance({ seconds: 59 });
    await browser.isSignedIn();
    expect(await seen()).toEqual([first]);
    service.clock.advance({ seconds: 1 });
    await browser.isSignedIn();
    expect(await seen()).not.toEqual([first]);
  });

  it('ends at the next request of a disabled member', async () => {
    const browser = await StaffBrowser.signedIn(service);
    expect(await browser.isSignedIn()).toBe(true);
    await service.get(StaffService).setEnabled(browser.member.id, false, operator);
    expect(await browser.isSignedIn()).toBe(false);
    await service.get(StaffService).setEnabled(browser.member.id, true, operator);
    expect(await browser.isSignedIn()).toBe(false);
  });

  it('is not live if its member is disabled, even if its row exists', async () => {
    const browser = await StaffBrowser.signedIn(service);
    const [row] = await ledger.rows<{ id: string }>(
      `SELECT id FROM staff_sessions WHERE hash = '${browser.hash}'`,
    );
    const live = () => service.get(SessionsService).liveAmong([row!.id]);
    expect(await live()).toEqual(new Set([row!.id]));
    await service
      .get(Transactions)
      .run((tx) => tx.update(StaffMember, { id: browser.member.id }, { enabled: false }));
    expect(await live()).toEqual(new Set());
    expect(await ledger.rows(`SELECT id FROM staff_sessions WHERE id = '${row!.id}'`)).toHaveLength(
      1,
    );
  });

  it('has the current role of the database', async () => {
    const browser = await StaffBrowser.signedIn(service, { role: 'manager' });
    const caller = () => service.get(SessionsService).callerOf(browser.cookie);
    expect(await caller()).toMatchObject({ role: 'manager', staffId: browser.member.id });
    expect([...(await caller())!.scopes].sort()).toEqual([
      'follow-up:read',
      'follow-up:write',
      'margins:read',
      'reports:read',
    ]);
    await service.get(StaffService).setRole(browser.member.id, 'agent', operator);
    expect(await caller()).toMatchObject({ role: 'agent' });
    expect((await caller())!.scopes.has('reports:read')).toBe(false);
  });

  it('ends by signing out, and is not ended otherwise', async () => {
    const browser = await StaffBrowser.signedIn(service);
    const other = await StaffBrowser.signedIn(service, {}, browser.member);
    const reply = await browser.post('/staff/sign-out');
    expect([reply.status, reply.headers.location]).toEqual([303, '/staff/sign-in?out']);
    expect(reply.headers['set-cookie']).toEqual([
      'staff=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax',
    ]);
    expect(await browser.isSignedIn()).toBe(false);
    expect(await other.isSignedIn()).toBe(true);
    const entries = await ledger.rows(
      `SELECT actor_name, action FROM audit_entries WHERE subject_id = '${browser.member.id}' ORDER BY id`,
    );
    expect(entries.at(-1)).toEqual({ actor_name: 'Ada Lovelace', action: 'signed-out' });
  });
});
