import { beforeAll, describe, expect, it } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { TOTP } from 'otpauth';
import { operator } from '../../../src/platform/audit/audit.service.js';
import { SecondFactorService } from '../../../src/staff/sign-in/second-factor.service.js';
import {
  deedsOf,
  facts,
  faults,
  HOSTILE,
  hostileElements,
  idIn,
  rows,
  signedIn,
  told,
  valueOf,
  way,
} from '../../support/admin-pages.js';
import { PASSWORD } from '../../support/given.js';
import { Ledger } from '../../support/ledger.js';
import { type Service, startService } from '../../support/service.js';
import { StaffBrowser } from '../../support/staff-browser.js';

let service: Service;
let ledger: Ledger;
let agent: StaffBrowser;
let admin: StaffBrowser;

beforeAll(async () => {
  const config = { rateLimits: false, staffKey: randomBytes(32) };
  service = await startService('sqlite', { config });
  ledger = new Ledger(service.config);
  ({ agent, admin } = await signedIn(service));
});

const deeds = (subject: string) => deedsOf(ledger, subject);

describe('staff members', () => {
  const act = (id: string, what: string, fields = {}) =>
    admin.post(`/staff/members/${id}/${what}`, fields);

  it('are added, and sign in by a link that works once', async () => {
    const fields = { name: 'Sam Okafor', email: 'Sam@Operator.example', role: 'agent' };
    const added = await admin.post('/staff/members', fields);
    const id = idIn(added.headers.location);
    expect(way(added)).toEqual([303, `/staff/members/${id}?said=member-added`]);
    const page = await act(id, 'link');
    const [link = ''] = /\/staff\/set-password\/[\w-]+/.exec(page.text) ?? [];
    expect(told(page)).toEqual([200, 'Copy this link now: it is not shown again.']);
    expect((await admin.get(`/staff/members/${id}`)).text).not.toContain(link);

    const sam = new StaffBrowser(service);
    const form = await sam.get(link);
    expect(form.text).toContain('Your API tokens stay valid.');
    const statuses = [form.status];
    const set = await sam.post(link, { password: PASSWORD, again: PASSWORD });
    statuses.push(set.status, (await new StaffBrowser(service).get(link)).status);
    expect(statuses).toEqual([200, 303, 410]);
    await sam.signIn('sam@operator.example', PASSWORD);
    expect(await sam.isSignedIn()).toBe(true);
  });

  it('are not added with faults, or twice', async () => {
    const wrong = await admin.post('/staff/members', { name: '', email: 'sam', role: 'king' });
    expect(faults(wrong)).toEqual([
      422,
      {
        name: 'Enter the name.',
        email: 'Enter an email address, such as ada@example.com.',
        role: 'Choose an option from the list.',
      },
    ]);
    const fields = { name: 'Again', email: agent.member.email.toUpperCase(), role: 'agent' };
    const twice = await admin.post('/staff/members', fields);
    expect(faults(twice)).toEqual([
      422,
      { email: `There is a staff member with the address ${agent.member.email} already.` },
    ]);
    expect(valueOf(twice, 'name')).toBe('Again');
  });

  it('are listed with last sign-in, second factor and open orders', async () => {
    await service.given.catalogue();
    const browser = await StaffBrowser.signedIn(service, { name: 'Listed Member' });
    await service.given.staff({ name: 'Never Here' });
    await service.given.order();
    await browser.post('/staff/take-next');
    const page = await admin.get('/staff/members');
    const rowOf = (name: string) =>
      rows(page)
        .find((cells) => cells[0] === name)
        ?.slice(2);
    expect(rowOf('Listed Member')).toEqual(['Agent', '09:00', 'None', '1', 'Enabled']);
    expect(rowOf('Never Here')).toEqual(['Agent', 'Never', 'None', '0', 'Enabled']);
  });

  it('have a new role from the next request', async () => {
    const browser = await StaffBrowser.signedIn(service);
    const { id } = browser.member;
    const status = async () => (await browser.get('/staff/audit')).status;
    expect(await status()).toBe(403);
    expect(way(await act(id, 'role', { role: 'manager' }))).toEqual([
      303,
      `/staff/members/${id}?said=member-role`,
    ]);
    expect(await status()).toBe(200);
    await act(id, 'role', { role: 'agent' });
    expect(await status()).toBe(403);
    expect(faults(await act(id, 'role', { role: 'king' }))).toEqual([
      422,
      { role: 'Choose an option from the list.' },
    ]);
    expect((await deeds(id)).slice(-2)).toEqual([
      ['role-set', 'Ada Admin', '{"from":"agent","to":"manager"}'],
      ['role-set', 'Ada Admin', '{"from":"manager","to":"agent"}'],
    ]);
  });

  it.each([
    ['link', {}],
    ['role', { role: 'agent' }],
    ['forget-second-factor', {}],
    ['end-sessions', {}],
    ['enabled', { enabled: 'no' }],
  ])('cannot change themselves: %s', async (what, fields) => {
    const before = await deeds(admin.member.id);
    const reply = await act(admin.member.id, what, fields);
    expect([reply.status, await admin.isSignedIn()]).toEqual([404, true]);
    expect(await deeds(admin.member.id)).toEqual(before);
    expect((await admin.get('/staff/clients')).status).toBe(200);
  });

  it('see on their own page that another administrator has to change them', async () => {
    const page = await admin.get(`/staff/members/${admin.member.id}`);
    expect(told(page)).toEqual([200, 'This is you.']);
    expect(page.text).not.toContain('/enabled"');
  });

  it('can sign in after an administrator removes a lost second factor', async () => {
    const member = await service.given.member();
    const factors = service.get(SecondFactorService);
    const { key } = (await factors.offer(member))!;
    const totp = new TOTP({ secret: key.replaceAll(' ', '') });
    const code = totp.generate({ timestamp: service.clock.now().getTime() });
    expect(await factors.confirm(member.id, code, operator)).toHaveLength(10);
    const browser = await StaffBrowser.signedIn(service, {}, member);
    const page = () => admin.get(`/staff/members/${member.id}`);
    expect(facts(await page())['Second factor']).toBe('Set up');
    const listed = rows(await admin.get('/staff/members')).filter(
      (cells) => cells[1] === member.email,
    );
    expect(listed[0]?.[4]).toBe('Set up');
    expect(way(await act(member.id, 'forget-second-factor'))).toEqual([
      303,
      `/staff/members/${member.id}?said=member-second-factor`,
    ]);
    expect(facts(await page())['Second factor']).toBe('None');
    expect(await browser.isSignedIn()).toBe(false);
    const again = new StaffBrowser(service);
    await again.signIn(member.email, PASSWORD);
    expect(await again.isSignedIn()).toBe(true);
  });

  it('are signed out everywhere', async () => {
    const [one, other] = [await StaffBrowser.signedIn(service), new StaffBrowser(service)];
    const { id } = one.member;
    // One session is enough for the button.
    expect((await admin.get(`/staff/members/${id}`)).text).toContain('End all sessions');
    const two = await StaffBrowser.signedIn(service, {}, one.member);
    expect(facts(await admin.get(`/staff/members/${id}`))['Sessions']).toMatch(/127\.0\.0\.1/);
    expect(way(await act(id, 'end-sessions'))).toEqual([
      303,
      `/staff/members/${id}?said=member-sessions`,
    ]);
    expect([await one.isSignedIn(), await two.isSignedIn(), await other.isSignedIn()]).toEqual([
      false,
      false,
      false,
    ]);
    expect(facts(await admin.get(`/staff/members/${id}`))['Sessions']).toBe('No active sessions');
  });

  it('are signed out when disabled, and get no link', async () => {
    const browser = await StaffBrowser.signedIn(service);
    const { id } = browser.member;
    expect(way(await act(id, 'enabled', { enabled: 'no' }))).toEqual([
      303,
      `/staff/members/${id}?said=member-disabled`,
    ]);
    expect(await browser.isSignedIn()).toBe(false);
    expect(told(await act(id, 'link'))).toEqual([
      422,
      'Ada Lovelace is disabled: enable the member first.',
    ]);
    await act(id, 'enabled', { enabled: 'yes' });
    expect(facts(await admin.get(`/staff/members/${id}`)).State).toBe('Enabled');
  });

  it('lose a revoked token, with a reason', async () => {
    const staff = await service.given.staff();
    const { id, token } = await service.given.issuedToken({ staff });
    const status = async () => (await service.http.get('/follow-up/orders', { token })).status;
    const page = await admin.get(`/staff/members/${staff.id}`);
    expect(rows(page)[1]?.slice(0, 2)).toEqual([`…${token.slice(-4)}`, 'test']);
    const unsaid = await act(staff.id, `tokens/${id}/revoke`, { reason: '' });
    expect([faults(unsaid), await status()]).toEqual([
      [422, { [`reason-${id}`]: 'Enter a reason.' }],
      200,
    ]);
    const revoked = await act(staff.id, `tokens/${id}/revoke`, { reason: 'Laptop lost' });
    expect([way(revoked), await status()]).toEqual([
      [303, `/staff/members/${staff.id}?said=token-revoked`],
      401,
    ]);
    expect((await act(agent.member.id, `tokens/${id}/revoke`, { reason: 'x' })).status).toBe(404);
  });

  it('have escaped names', async () => {
    const { id } = await service.given.staff({ name: HOSTILE });
    for (const path of ['/staff/members', `/staff/members/${id}`]) {
      const page = await admin.get(path);
      expect(page.text).toContain('&lt;script>alert(1)&lt;/script>');
      expect(hostileElements(page)).toEqual([]);
    }
  });
});
