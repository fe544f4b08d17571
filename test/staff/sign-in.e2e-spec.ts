import { beforeAll, describe, expect, it, jest } from '@jest/globals';
import { hash } from '@node-rs/argon2';
import { operator } from '../../src/platform/audit/audit.service.js';
import type { Tx } from '../../src/platform/database/engine/tx.js';
import { Transactions } from '../../src/platform/database/transactions.js';
import { LinksService } from '../../src/staff/sign-in/links.service.js';
import { PasswordsService } from '../../src/staff/sign-in/passwords.service.js';
import { SignInDelaysService } from '../../src/staff/sign-in/sign-in-delays.service.js';
import { StaffCredential } from '../../src/staff/sign-in/sign-in.entity.js';
import type { StaffMember } from '../../src/staff/member/staff-member.entity.js';
import { StaffService } from '../../src/staff/staff.service.js';
import { PASSWORD } from '../support/given.js';
import type { Reply } from '../support/http.js';
import { Ledger } from '../support/ledger.js';
import { onOneEngine, type Service, startService } from '../support/service.js';
import { StaffBrowser } from '../support/staff-browser.js';

const WRONG = 'Email or password is incorrect.';

/** `[status, redirect]`. */
const way = ({ status, headers }: Reply<unknown>) => [status, headers.location];
/** Errors and notes of the page. */
const told = ({ status, text }: Reply<unknown>) => [
  status,
  /<p class="notice-title">([^<]*)/.exec(text)?.[1],
];

async function deeds(ledger: Ledger, service: Service, subject: string): Promise<string[]> {
  await service.flushAudit();
  const rows = await ledger.rows<{ action: string }>(
    `SELECT action FROM audit_entries WHERE subject_id = '${subject}' ORDER BY id`,
  );
  return rows.map(({ action }) => action);
}

onOneEngine('the sign-in', (engine) => {
  let service: Service;
  let ledger: Ledger;
  let ada: StaffMember;
  beforeAll(async () => {
    service = await startService(engine, { config: { rateLimits: false } });
    ledger = new Ledger(service.config);
    ada = await service.given.member();
  });

  it('succeeds, and redirects to the requested page', async () => {
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
    expect((await deeds(ledger, service, ada.id)).at(-1)).toBe('signed-in');
  });

  it.each(['https://evil.example/staff', '//evil.example', '/docs'])(
    'does not redirect to other sites: %s',
    async (next) => {
      const reply = await new StaffBrowser(service).signIn(ada.email, PASSWORD, next);
      expect(way(reply)).toEqual([303, '/staff']);
    },
  );

  it('does not store the cookie or password', async () => {
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

  it('replaces a password hash of an earlier strength only when its owner signs in', async () => {
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

  it.each([
    ['memory', { memoryCost: 8_192, timeCost: 2, parallelism: 1 }],
    ['passes', { memoryCost: 19_456, timeCost: 1, parallelism: 1 }],
    ['threads', { memoryCost: 19_456, timeCost: 2, parallelism: 2 }],
  ])('replaces a password hash of other %s', async (_what, options) => {
    const { id: staffMemberId, email } = await service.given.member();
    const transactions = service.get(Transactions);
    const passwordHash = await hash(PASSWORD, options);
    await transactions.run((tx) => tx.update(StaffCredential, { staffMemberId }, { passwordHash }));
    await new StaffBrowser(service).signIn(email, PASSWORD);
    const row = await transactions.read((tx) => tx.findOneBy(StaffCredential, { staffMemberId }));
    expect(row?.passwordHash).toContain('$argon2id$v=19$m=19456,t=2,p=1$');
  });

  it('keeps a password that is set during the replacement of its earlier hash', async () => {
    const { id: staffMemberId, email } = await service.given.member();
    const transactions = service.get(Transactions);
    const set = (tx: Tx, passwordHash: string) =>
      tx.update(StaffCredential, { staffMemberId }, { passwordHash });
    const outdated = await hash(PASSWORD, { memoryCost: 8_192, timeCost: 1, parallelism: 1 });
    await transactions.run((tx) => set(tx, outdated));
    const newer = await hash('another password');
    const succeed = jest.spyOn(service.get(SignInDelaysService), 'succeed');
    succeed.mockImplementationOnce(async (tx) => void (await set(tx, newer)));
    await new StaffBrowser(service).signIn(email, PASSWORD);
    expect(succeed).toHaveBeenCalled();
    succeed.mockRestore();
    const row = await transactions.read((tx) => tx.findOneBy(StaffCredential, { staffMemberId }));
    expect(row?.passwordHash).toBe(newer);
  });

  it('always sets a new cookie, even if the browser sent one', async () => {
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

  it('has the same response for a wrong password, an unknown name and a disabled member', async () => {
    const gone = await service.given.member();
    await service.get(StaffService).setEnabled(gone.id, false, operator);
    const unset = await service.given.staff();
    const known = await service.given.member();
    const attempts = [
      [known.email, 'wrong wrong wrong'],
      ['unknown@operator.example', PASSWORD],
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
    expect((await deeds(ledger, service, known.id)).at(-1)).toBe('sign-in-failed');
    const unknown = await ledger.rows(
      `SELECT subject_id, details FROM audit_entries WHERE subject_type = 'sign-in'`,
    );
    expect(JSON.stringify(unknown)).not.toContain('unknown@');
  });

  it('does the same work for an unknown name', async () => {
    // CPU time, which does not depend on other load; mostly hashing.
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
      unknown.push(await workOf(`unknown${i}@operator.example`));
    }
    const ratio = Math.min(...unknown) / Math.min(...known);
    expect(ratio).toBeGreaterThan(0.6);
    expect(ratio).toBeLessThan(1.7);
  });

  it.each(['a member', 'no member'])('is delayed for a name after failures: %s', async (who) => {
    const email =
      who === 'no member' ? 'unknown-other@operator.example' : (await service.given.member()).email;
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
    expect(right.status).toBe(who === 'no member' ? 401 : 303);
    if (who !== 'no member') expect(told(await attempt())).toEqual([401, WRONG]);
  });

  it('checks only a few of many concurrent attempts', async () => {
    const { email } = await service.given.member();
    const replies = await Promise.all(
      Array.from({ length: 20 }, () => new StaffBrowser(service).signIn(email, 'wrong wrong 12')),
    );
    const checked = replies.filter(({ status }) => status === 401).length;
    expect(checked).toBeLessThanOrEqual(4);
    expect(replies.filter(({ status }) => status === 429)).toHaveLength(20 - checked);
  });

  it('starts with a link, which works once', async () => {
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
    expect([typo.status, typo.text]).toEqual([422, expect.stringContaining('do not match')]);
    expect(typo.text).not.toContain(PASSWORD);

    const done = await browser.post(path, { password: PASSWORD, again: PASSWORD });
    expect(way(done)).toEqual([303, '/staff']);
    expect(await browser.isSignedIn()).toBe(true);
    const second = new StaffBrowser(service);
    expect((await second.get(path)).status).toBe(410);
    const again = await second.post(path, { password: `${PASSWORD}2`, again: `${PASSWORD}2` });
    expect([again.status, await second.isSignedIn()]).toEqual([410, false]);
    expect(way(await second.signIn(member.email, PASSWORD))).toEqual([303, '/staff']);
    expect(await deeds(ledger, service, member.id)).toEqual([
      'added',
      'link-made',
      'password-set',
      'signed-in',
      'signed-in',
    ]);
  });

  it('with a link works for 72 hours, or until there is a newer link', async () => {
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

  it('with a link ends every other session of the member', async () => {
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

  it('fails with a password that is replaced while it is checked', async () => {
    const member = await service.given.member();
    const delays = service.get(SignInDelaysService);
    const take = delays.take.bind(delays);
    jest.spyOn(delays, 'take').mockImplementationOnce(async (...attempt) => {
      const seconds = await take(...attempt);
      await service.get(PasswordsService).set(member.id, 'another fine lamp', 'command', operator);
      return seconds;
    });
    const browser = new StaffBrowser(service);
    expect(told(await browser.signIn(member.email, PASSWORD))).toEqual([401, WRONG]);
    expect(await browser.isSignedIn()).toBe(false);
    expect((await deeds(ledger, service, member.id)).at(-1)).toBe('sign-in-failed');
  });

  it('with a link refuses a disabled member', async () => {
    const { id } = await service.given.staff();
    const { url } = await service.get(LinksService).make(id, operator);
    await service.get(StaffService).setEnabled(id, false, operator);
    const reply = await new StaffBrowser(service).get(new URL(url).pathname);
    expect(reply.status).toBe(410);
    await expect(service.get(LinksService).make(id, operator)).rejects.toThrow('is disabled');
  });

  it.each([
    [
      'the password is changed',
      ({ id }: StaffMember) =>
        service.get(PasswordsService).set(id, 'another fine lamp', 'command', operator),
    ],
    [
      'the member is disabled, even if enabled again',
      async ({ id }: StaffMember) => {
        await service.get(StaffService).setEnabled(id, false, operator);
        await service.get(StaffService).setEnabled(id, true, operator);
      },
    ],
  ])('by a link is impossible once %s', async (_when, change) => {
    const member = await service.given.member();
    const { url } = await service.get(LinksService).make(member.id, operator);
    const browser = new StaffBrowser(service);
    expect((await browser.get(new URL(url).pathname)).status).toBe(200);
    await change(member);
    expect((await browser.get(new URL(url).pathname)).status).toBe(410);
    const fields = { password: 'stolen brass lamp', again: 'stolen brass lamp' };
    expect((await browser.post(new URL(url).pathname, fields)).status).toBe(410);
    expect(await browser.isSignedIn()).toBe(false);
  });

  it('treats a name of any length as unknown', async () => {
    const reply = await new StaffBrowser(service).signIn(`${'x'.repeat(300)}@x.example`, PASSWORD);
    expect(told(reply)).toEqual([401, WRONG]);
  });
});

describe('the sign-in', () => {
  it('over TLS sets the strictest cookie attributes', async () => {
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

  it('allows 20 failures a minute from an address, for all names together', async () => {
    const service = await startService('sqlite');
    const { email } = await service.given.member();
    for (let i = 0; i < 20; i += 1) {
      const reply = await new StaffBrowser(service).signIn(`unknown${i}@operator.example`, 'x');
      expect([i, reply.status]).toEqual([i, 401]);
    }
    const refused = await new StaffBrowser(service).signIn(email, PASSWORD);
    expect([refused.status, Number(refused.headers['retry-after']) > 0]).toEqual([429, true]);
  });

  it('refuses passwords where they are switched off', async () => {
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
