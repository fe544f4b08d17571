import { beforeAll, describe, expect, it } from '@jest/globals';
import { hash } from '@node-rs/argon2';
import { operator } from '../../src/audit/audit.service.js';
import { Transactions } from '../../src/database/transactions.js';
import { LinksService } from '../../src/staff/sign-in/links.service.js';
import { StaffCredential } from '../../src/staff/sign-in/sign-in.entity.js';
import type { StaffMember } from '../../src/staff/staff-member.entity.js';
import { StaffService } from '../../src/staff/staff.service.js';
import { PASSWORD } from '../support/given.js';
import type { Reply } from '../support/http.js';
import { Ledger } from '../support/ledger.js';
import { onBothEngines, type Service, startService } from '../support/service.js';
import { StaffBrowser } from '../support/staff-browser.js';

const WRONG = 'Email or password is incorrect.';

/** `[status, where to]`. */
const way = ({ status, headers }: Reply<unknown>) => [status, headers.location];
/** What the page refuses, or notes. */
const told = ({ status, text }: Reply<unknown>) => [
  status,
  /<p class="notice-title">([^<]*)/.exec(text)?.[1],
];

async function deeds(ledger: Ledger, subject: string): Promise<string[]> {
  const rows = await ledger.rows<{ action: string }>(
    `SELECT action FROM audit_entries WHERE subject_id = '${subject}' ORDER BY id`,
  );
  return rows.map(({ action }) => action);
}

onBothEngines('the sign-in', (engine) => {
  let service: Service;
  let ledger: Ledger;
  let ada: StaffMember;
  beforeAll(async () => {
    service = await startService(engine, { config: { rateLimits: false } });
    ledger = new Ledger(service.config);
    ada = await service.given.member();
  });

  it('lets in, and leads to where somebody wanted to go', async () => {
    const browser = new StaffBrowser(service);
    const away = await browser.get('/staff/account?said=session-ended');
    const page = await browser.get(String(away.headers.location));
    const next = /name="next" value="([^"]*)"/.exec(page.text)?.[1];
    expect(next).toBe('/staff/account?said=session-ended');
    const reply = await browser.signIn(ada.email.toUpperCase(), PASSWORD, next);
    expect(way(reply)).toEqual([303, '/staff/account?said=session-ended']);
    expect(reply.headers['set-cookie']).toEqual([
      expect.stringMatching(/^staff=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax$/),
    ]);
    expect(await browser.isSignedIn()).toBe(true);
    expect(way(await browser.get('/staff/sign-in'))).toEqual([303, '/staff']);
    expect((await deeds(ledger, ada.id)).at(-1)).toBe('signed-in');
  });

  it.each(['https://evil.example/staff', '//evil.example', '/docs'])(
    'leads to no place that is not ours: %s',
    async (next) => {
      const reply = await new StaffBrowser(service).signIn(ada.email, PASSWORD, next);
      expect(way(reply)).toEqual([303, '/staff']);
    },
  );

  it('stores neither cookie nor password', async () => {
    const browser = new StaffBrowser(service);
    await browser.signIn(ada.email, PASSWORD);
    const everything = JSON.stringify(
      await ledger.answers(
        'SELECT * FROM staff_sessions',
        'SELECT * FROM staff_credentials',
        'SELECT * FROM audit_entries',
      ),
    );
    expect(everything).toContain(browser.hash);
    expect(everything).toContain('$argon2id$v=19$m=19456,t=2,p=1$');
    expect(everything).not.toContain(browser.cookie);
    expect(everything).not.toContain(PASSWORD);
  });

  it('replaces a password hash of an earlier strength when its owner signs in, and only then', async () => {
    const { id: staffMemberId, email } = await service.given.member();
    const transactions = service.get(Transactions);
    const credential = () =>
      transactions.read((tx) => tx.findOneByOrFail(StaffCredential, { staffMemberId }));
    const before = await credential();
    const passwordHash = await hash(PASSWORD, { memoryCost: 8_192, timeCost: 1, parallelism: 1 });
    await transactions.run((tx) => tx.update(StaffCredential, { staffMemberId }, { passwordHash }));

    expect((await new StaffBrowser(service).signIn(email, 'another password')).status).toBe(401);
    expect(await credential()).toEqual({ ...before, passwordHash });
    const browser = new StaffBrowser(service);
    await browser.signIn(email, PASSWORD);
    const upgraded = await credential();
    expect(upgraded.passwordHash).toContain('$argon2id$v=19$m=19456,t=2,p=1$');
    expect(upgraded).toEqual({ ...before, passwordHash: upgraded.passwordHash });
    expect(await browser.isSignedIn()).toBe(true);
    expect(way(await new StaffBrowser(service).signIn(email, PASSWORD))).toEqual([303, '/staff']);
    expect(await credential()).toEqual(upgraded);
  });

  it('gives a new cookie each time, whatever the browser sent', async () => {
    const attacker = await StaffBrowser.signedIn(service);
    const victim = new StaffBrowser(service);
    victim.plant('staff', attacker.cookie!);
    await victim.signIn(ada.email, PASSWORD);
    expect(victim.cookie).not.toBe(attacker.cookie);
    expect([await victim.isSignedIn(), await attacker.isSignedIn()]).toEqual([true, false]);
    const made = new StaffBrowser(service);
    made.plant('staff', 'chosen-by-an-attacker');
    await made.signIn(ada.email, PASSWORD);
    expect(made.cookie).toMatch(/^[\w-]{43}$/);
  });

  it('answers a wrong password, an unknown name and a disabled member alike', async () => {
    const gone = await service.given.member();
    await service.get(StaffService).setEnabled(gone.id, false, operator);
    const unset = await service.given.staff();
    const known = await service.given.member();
    const attempts = [
      [known.email, 'wrong wrong wrong'],
      ['nobody@operator.example', PASSWORD],
      [gone.email, PASSWORD],
      [unset.email, PASSWORD],
      [unset.email, ''],
      ['', ''],
    ] as const;
    const pages = new Set<string>();
    for (const [email, password] of attempts) {
      const reply = await new StaffBrowser(service).signIn(email, password);
      expect([email, ...told(reply)]).toEqual([email, 401, WRONG]);
      expect(reply.headers['set-cookie']).toBeUndefined();
      pages.add(reply.text.replace(email === '' ? / value=""/ : email, ''));
      expect(reply.text).not.toContain(PASSWORD);
    }
    expect(pages.size).toBeLessThanOrEqual(2); // An empty field is drawn without a value.
    expect((await deeds(ledger, known.id)).at(-1)).toBe('sign-in-failed');
    const unknown = await ledger.rows(
      `SELECT subject_id, details FROM audit_entries WHERE subject_type = 'sign-in'`,
    );
    expect(JSON.stringify(unknown)).not.toContain('nobody@');
  });

  it('does the same work for an unknown name', async () => {
    // The time of the processor, so that a busy machine changes nothing; hashing is most of it.
    const workOf = async (name: string) => {
      const before = process.cpuUsage();
      await new StaffBrowser(service).signIn(name, 'wrong wrong wrong');
      const { user, system } = process.cpuUsage(before);
      return user + system;
    };
    const known: number[] = [];
    const unknown: number[] = [];
    for (let i = 0; i < 12; i += 1) {
      known.push(await workOf((await service.given.member()).email));
      unknown.push(await workOf(`nobody${i}@operator.example`));
    }
    const ratio = Math.min(...unknown) / Math.min(...known);
    expect(ratio).toBeGreaterThan(0.6);
    expect(ratio).toBeLessThan(1.7);
  });

  it.each(['a member', 'nobody'])('is slowed down for a name after failures: %s', async (who) => {
    const email =
      who === 'nobody' ? 'nobody-else@operator.example' : (await service.given.member()).email;
    const attempt = (password = 'wrong wrong wrong') =>
      new StaffBrowser(service).signIn(email, password);
    for (let i = 0; i < 4; i += 1) expect(told(await attempt())).toEqual([401, WRONG]);
    const waiting = await attempt(PASSWORD);
    expect([...told(waiting), waiting.headers['retry-after']]).toEqual([
      429,
      'There were too many attempts. Try again in 1 s.',
      '1',
    ]);
    for (let failures = 5; failures < 12; failures += 1) {
      const seconds = Math.min(2 ** (failures - 5), 300);
      service.clock.advance({ seconds: seconds - 1, milliseconds: 999 });
      expect((await attempt()).status).toBe(429);
      service.clock.advance({ milliseconds: 1 });
      expect(told(await attempt())).toEqual([401, WRONG]);
    }
    service.clock.advance({ seconds: 300 });
    const right = await attempt(PASSWORD);
    expect(right.status).toBe(who === 'nobody' ? 401 : 303);
    if (who !== 'nobody') expect(told(await attempt())).toEqual([401, WRONG]);
  });

  it('checks no more than a few of many attempts at once', async () => {
    const { email } = await service.given.member();
    const replies = await Promise.all(
      Array.from({ length: 20 }, () => new StaffBrowser(service).signIn(email, 'wrong wrong 12')),
    );
    const checked = replies.filter(({ status }) => status === 401).length;
    expect(checked).toBeLessThanOrEqual(4);
    expect(replies.filter(({ status }) => status === 429)).toHaveLength(20 - checked);
  });

  it('is by a link the first time, which works once', async () => {
    const member = await service.given.staff({ name: 'Grace Hopper' });
    const { url } = await service.get(LinksService).make(member.id, operator);
    const path = new URL(url).pathname;
    const browser = new StaffBrowser(service);
    const page = await browser.get(path);
    expect([page.status, page.text]).toEqual([200, expect.stringContaining('For Grace Hopper.')]);
    expect(page.headers['referrer-policy']).toBe('same-origin');

    const weak = await browser.post(path, { password: 'gracehopper1', again: 'gracehopper1' });
    expect([weak.status, weak.text]).toEqual([422, expect.stringContaining('your name')]);
    const typo = await browser.post(path, { password: PASSWORD, again: `${PASSWORD}.` });
    expect([typo.status, typo.text]).toEqual([422, expect.stringContaining('not the same')]);
    expect(typo.text).not.toContain(PASSWORD);

    const done = await browser.post(path, { password: PASSWORD, again: PASSWORD });
    expect(way(done)).toEqual([303, '/staff']);
    expect(await browser.isSignedIn()).toBe(true);
    const second = new StaffBrowser(service);
    expect((await second.get(path)).status).toBe(410);
    const again = await second.post(path, { password: `${PASSWORD}2`, again: `${PASSWORD}2` });
    expect([again.status, await second.isSignedIn()]).toEqual([410, false]);
    expect(way(await second.signIn(member.email, PASSWORD))).toEqual([303, '/staff']);
    expect(await deeds(ledger, member.id)).toEqual([
      'added',
      'link-made',
      'password-set',
      'signed-in',
      'signed-in',
    ]);
  });

  it('by a link is possible for 72 hours, and not after a newer one was made', async () => {
    const { id } = await service.given.staff();
    const links = service.get(LinksService);
    const open = async (url: string) =>
      (await new StaffBrowser(service).get(new URL(url).pathname)).status;
    const first = await links.make(id, operator);
    const second = await links.make(id, operator);
    expect([await open(first.url), await open(second.url)]).toEqual([410, 200]);
    service.clock.advance({ hours: 71, minutes: 59 });
    expect(await open(second.url)).toBe(200);
    service.clock.advance({ minutes: 1 });
    expect(await open(second.url)).toBe(410);
    expect(await open(`${second.url}x`)).toBe(410);
  });

  it('by a link ends every other session of the member', async () => {
    const member = await service.given.member();
    const old = new StaffBrowser(service);
    await old.signIn(member.email, PASSWORD);
    const { url } = await service.get(LinksService).make(member.id, operator);
    const fresh = new StaffBrowser(service);
    await fresh.post(new URL(url).pathname, {
      password: 'another fine lamp',
      again: 'another fine lamp',
    });
    expect([await old.isSignedIn(), await fresh.isSignedIn()]).toEqual([false, true]);
    expect(told(await old.signIn(member.email, PASSWORD))).toEqual([401, WRONG]);
  });

  it('by a link is not for a member who is disabled', async () => {
    const { id } = await service.given.staff();
    const { url } = await service.get(LinksService).make(id, operator);
    await service.get(StaffService).setEnabled(id, false, operator);
    const reply = await new StaffBrowser(service).get(new URL(url).pathname);
    expect(reply.status).toBe(410);
    await expect(service.get(LinksService).make(id, operator)).rejects.toThrow('is disabled');
  });

  it('takes a name of any length for an unknown one', async () => {
    const reply = await new StaffBrowser(service).signIn(`${'x'.repeat(300)}@x.example`, PASSWORD);
    expect(told(reply)).toEqual([401, WRONG]);
  });
});

describe('the sign-in', () => {
  it('over TLS keeps the cookie as strictly as can be', async () => {
    const service = await startService('sqlite', {
      config: { publicUrl: 'https://staff.operator.example' },
    });
    const { email } = await service.given.member();
    const browser = new StaffBrowser(service);
    const { headers } = await browser.signIn(email, PASSWORD);
    expect(headers['set-cookie']).toEqual([
      expect.stringMatching(/^__Host-staff=[\w-]{43}; Path=\/; HttpOnly; Secure; SameSite=Lax$/),
    ]);
    expect(await browser.isSignedIn()).toBe(true);
    const copied = new StaffBrowser(service);
    copied.plant('staff', browser.cookie!);
    expect(await copied.isSignedIn()).toBe(false);
  });

  it('takes 20 failures a minute from an address, whatever the names', async () => {
    const service = await startService('sqlite');
    const { email } = await service.given.member();
    for (let i = 0; i < 20; i += 1) {
      const reply = await new StaffBrowser(service).signIn(`nobody${i}@operator.example`, 'x');
      expect([i, reply.status]).toEqual([i, 401]);
    }
    const refused = await new StaffBrowser(service).signIn(email, PASSWORD);
    expect([refused.status, Number(refused.headers['retry-after']) > 0]).toEqual([429, true]);
  });

  it('is without passwords where they are switched off', async () => {
    const config = { staffPasswords: false, oidcIssuer: 'https://id.example', oidcClientId: 'x' };
    const service = await startService('sqlite', { config });
    const { email, id } = await service.given.member();
    const browser = new StaffBrowser(service);
    const page = await browser.get('/staff/sign-in');
    expect(page.text).toContain('Sign in with your company account');
    expect(page.text).not.toContain('type="password"');
    const reply = await browser.signIn(email, PASSWORD);
    expect([reply.status, await browser.isSignedIn()]).toEqual([200, false]);
    await expect(service.get(LinksService).make(id, operator)).rejects.toThrow('STAFF_PASSWORDS');
  });
});
