import { afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { OutgoingHttpHeaders } from 'node:http';
import { DAY } from '../../src/platform/kernel/time.js';
import { Transactions } from '../../src/platform/database/transactions.js';
import { Unavailable } from '../../src/platform/problems/problem.js';
import { SignInDelaysService } from '../../src/staff/sign-in/sign-in-delays.service.js';
import { SignInService } from '../../src/staff/sign-in/sign-in.service.js';
import { PASSWORD } from '../support/given.js';
import type { Reply } from '../support/http.js';
import { Ledger } from '../support/ledger.js';
import { stopWindows } from '../support/rate-limits.js';
import { onBothEngines, onOneEngine, type Service, startService } from '../support/service.js';
import { StaffBrowser } from '../support/staff-browser.js';

const WRONG = 'wrong wrong wrong';
const wish = { postcode: 'EC2A 2BS', productCode: 'INT-1G-12' };

const atOnce = <T>(count: number, ask: (i: number) => Promise<T>) =>
  Promise.all(Array.from({ length: count }, (_, i) => ask(i)));

/** How many replies were refused by the limit of this name. */
const limitedBy = (limit: string, replies: readonly Reply<unknown>[]) =>
  replies.filter(
    ({ status, headers }) =>
      status === 429 &&
      String(headers.ratelimit).startsWith(`"${limit}"`) &&
      Number(headers['retry-after']) > 0,
  ).length;

/** Starts `count` sign-ins, of which `refused` have their answer before the check of any password starts. */
const signInsAtOnce = async (
  service: Service,
  { count, refused }: { count: number; refused: number },
  browserOf: (i: number) => StaffBrowser,
  meanwhile = () => Promise.resolve(),
) => {
  const signIns = service.get(SignInService);
  const check = signIns.withPassword.bind(signIns);
  const others = Promise.withResolvers<void>();
  jest.spyOn(signIns, 'withPassword').mockImplementation(async (...about) => {
    await others.promise;
    return check(...about);
  });
  const refusals = Promise.withResolvers<void>();
  let left = refused;
  const replies = atOnce(count, async (i) => {
    const reply = await browserOf(i).signIn(`unknown${i}@operator.example`, WRONG);
    if (reply.status === 429 && (left -= 1) === 0) refusals.resolve();
    return reply;
  });
  await refusals.promise;
  await meanwhile();
  others.resolve();
  return replies;
};

beforeEach(stopWindows);
afterEach(() => void jest.restoreAllMocks());

onBothEngines('sign-ins at the same time', (engine) => {
  let service: Service;
  beforeAll(async () => {
    service = await startService(engine, { config: { trustProxy: ['loopback'] } });
  });

  it('are checked 20 times at most from one address, and orders are taken meanwhile', async () => {
    await service.given.catalogue();
    const token = await service.given.token();
    const order = async () => {
      const path = '/product-availability/order';
      expect((await service.http.post(path, wish, { token })).status).toBe(201);
    };
    const replies = await signInsAtOnce(
      service,
      { count: 60, refused: 40 },
      () => new StaffBrowser(service),
      order,
    );
    const checked = replies.filter(({ status }) => status === 401).length;
    expect(checked).toBe(20);
    expect(limitedBy('failures', replies)).toBe(40);
    await service.flushAudit();
    const [{ count } = { count: 0 }] = await new Ledger(service.config).rows<{ count: number }>(
      `SELECT count(*) AS count FROM audit_entries WHERE action = 'sign-in-failed'`,
    );
    expect(Number(count)).toBe(20);
  });

  it('are checked 32 times at most from many addresses, and the others may come back soon', async () => {
    await service.get(Transactions).run((tx) => tx.query('DELETE FROM sign_in_delays'));
    const replies = await signInsAtOnce(
      service,
      { count: 50, refused: 18 },
      (i) => new StaffBrowser(service, 'Test/1.0', `192.0.2.${i}`),
    );
    const checked = replies.filter(({ status }) => status === 401).length;
    expect([checked, limitedBy('sign-ins', replies)]).toEqual([32, 18]);
    // The refused ones never reached the database.
    expect(await new Ledger(service.config).count('sign_in_delays')).toBe(2 * checked);
    const later = new StaffBrowser(service, 'Test/1.0', '192.0.2.200');
    expect((await later.signIn('unknown@x.example', WRONG)).status).toBe(401);
  });
});

describe('each way to prove a password, code or link', () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService('sqlite', {
      config: {
        failuresPerMinute: 2,
        staffInFlight: 20,
        staffKey: Buffer.alloc(32, 7),
        oidcIssuer: 'http://localhost:9',
        oidcClientId: 'x',
        trustProxy: ['loopback'],
      },
    });
  });
  /** Of each test: failures are counted by address. */
  let address: string;
  let tests = 0;
  beforeEach(() => void (address = `192.0.2.${(tests += 1)}`));
  const ways: [way: string, ask: (browser: StaffBrowser) => Promise<Reply<unknown>>][] = [
    ['a password', (browser) => browser.signIn('unknown@operator.example', WRONG)],
    ['a code', (browser) => browser.post('/staff/sign-in/code', { code: '123456' })],
    ['a first code', (browser) => browser.post('/staff/sign-in/enrolment', { code: '123456' })],
    ['a link that is opened', (browser) => browser.get('/staff/set-password/unknown')],
    [
      'a link that is used',
      (browser) =>
        browser.post('/staff/set-password/unknown', { password: PASSWORD, again: PASSWORD }),
    ],
    [
      'the answer of a provider',
      (browser) => browser.get('/staff/sign-in/callback?code=1&state=2'),
    ],
    [
      'the present password',
      (browser) =>
        browser.post('/staff/account/password', {
          current: WRONG,
          password: 'another fine lamp',
          again: 'another fine lamp',
        }),
    ],
  ];

  it.each(ways)('counts before the check: %s', async (_way, ask) => {
    const member = await service.given.member();
    const browser = await StaffBrowser.signedIn(service, {}, member, address);
    const replies = await atOnce(10, () => ask(browser));
    expect(limitedBy('failures', replies)).toBe(8);
  });

  it('counts no failure where the password or link is right', async () => {
    const { email } = await service.given.member();
    const attempt = async (password: string) =>
      (await new StaffBrowser(service, 'Test/1.0', address).signIn(email, password)).status;
    for (let i = 0; i < 5; i += 1) expect(await attempt(PASSWORD)).toBe(303);
    expect(await atOnce(2, () => attempt(PASSWORD))).toEqual([303, 303]);
    expect([await attempt(WRONG), await attempt(WRONG)]).toEqual([401, 401]);
    expect(await attempt(PASSWORD)).toBe(429);
  });

  it('counts an attempt that the service could not check', async () => {
    const failing = jest.spyOn(service.get(SignInService), 'withPassword');
    failing.mockRejectedValue(new Unavailable('away'));
    const statuses = [];
    for (let i = 0; i < 3; i += 1) {
      const browser = new StaffBrowser(service, 'Test/1.0', address);
      statuses.push((await browser.signIn('x@operator.example', WRONG)).status);
    }
    expect(statuses).toEqual([503, 503, 429]);
  });
});

describe('a sign-in over the limit', () => {
  const form = 'email=unknown%40operator.example&password=wrong';
  const headers = {
    'Content-Type': 'application/x-www-form-urlencoded',
    'Sec-Fetch-Site': 'same-origin',
  };
  let service: Service;

  beforeAll(async () => {
    service = await startService('sqlite', { config: { failuresPerMinute: 1 } });
  });
  const send = (path: string, more: OutgoingHttpHeaders = {}, body = form) =>
    service.http.send<string>({ method: 'POST', path, headers: { ...headers, ...more }, body });

  it.each([
    ['from another site', { 'Sec-Fetch-Site': 'cross-site' }, form, 403],
    ['with JSON', { 'Content-Type': 'application/json' }, '{', 400],
    ['in another encoding', { 'Content-Encoding': 'gzip' }, form, 415],
    ['of more than 16 KB', {}, 'x'.repeat(17_000), 413],
  ])('has the first fault as its answer: %s', async (_what, more, body, status) => {
    await send('/staff/sign-in');
    expect((await send('/staff/sign-in', more, body)).status).toBe(status);
  });
});

onOneEngine('a member whose name is attacked', (engine) => {
  let service: Service;
  beforeAll(async () => {
    const config = { rateLimits: false, trustProxy: ['loopback'] };
    service = await startService(engine, { config });
  });
  const from = (address: string) => new StaffBrowser(service, 'Test/1.0', address);
  const statusOf = async (address: string, email: string, password: string) =>
    (await from(address).signIn(email, password)).status;
  /** Fails once from each of this number of networks. */
  const failFrom = async (networks: number, name: string) => {
    const delays = service.get(SignInDelaysService);
    for (let i = 0; i < networks; i += 1) {
      expect(await delays.take(['password', name], `10.0.${i >> 8}.${i & 255}`)).toBe(0);
    }
  };

  it('signs in from another network than the attacker', async () => {
    const { email } = await service.given.member();
    for (let i = 0; i < 4; i += 1) expect(await statusOf('192.0.2.1', email, WRONG)).toBe(401);
    expect(await statusOf('192.0.2.1', email, PASSWORD)).toBe(429);
    expect(await statusOf('198.51.100.7', email, PASSWORD)).toBe(303);
    expect(await statusOf('192.0.2.1', email, PASSWORD)).toBe(429);
  });

  it('shares a count with all addresses of an IPv6 network, and with no other', async () => {
    const { email } = await service.given.member();
    for (let i = 0; i < 4; i += 1) {
      expect(await statusOf(`2001:db8:0:1::${i}`, email, WRONG)).toBe(401);
    }
    expect(await statusOf('2001:db8:0:1::9', email, PASSWORD)).toBe(429);
    expect(await statusOf('2001:db8:0:2::9', email, PASSWORD)).toBe(303);
  });

  it('signs in from a network where the member has signed in, while 500 networks attack', async () => {
    const { email } = await service.given.member();
    const home = '198.51.100.8';
    expect(await statusOf(home, email, PASSWORD)).toBe(303);
    await failFrom(500, email);
    expect(await statusOf('192.0.2.3', email, WRONG)).toBe(401);
    const stranger = await from('192.0.2.4').signIn(email, WRONG);
    expect([stranger.status, stranger.headers['retry-after']]).toEqual([429, '1']);
    expect(await statusOf(home, email, WRONG)).toBe(401);
    expect(await statusOf(home, email, PASSWORD)).toBe(303);
    service.clock.advance({ hours: 24 });
    expect(await statusOf('192.0.2.4', email, PASSWORD)).toBe(303);
  });

  it('is known in a network for 30 days', async () => {
    const { email } = await service.given.member();
    const home = '198.51.100.9';
    expect(await statusOf(home, email, PASSWORD)).toBe(303);
    service.clock.advance({ days: 29 });
    await failFrom(501, email);
    expect(await statusOf(home, email, WRONG)).toBe(401);
    service.clock.advance({ days: 2 });
    await failFrom(501, email);
    expect(await statusOf(home, email, PASSWORD)).toBe(429);
  });

  it('is guessed at fewer than 300 times a day by one network, which delays no other', async () => {
    const delays = service.get(SignInDelaysService);
    const target = ['password', 'attacked@operator.example'] as const;
    const end = service.clock.now().getTime() + DAY - 1_000;
    let guesses = 0;
    while (service.clock.now().getTime() < end) {
      const seconds = await delays.take(target, '192.0.2.5');
      if (seconds === 0) guesses += 1;
      else service.clock.advance({ seconds });
    }
    expect(guesses).toBeGreaterThan(200);
    expect(guesses).toBeLessThan(300);
    expect(await delays.take(target, '192.0.2.6')).toBe(0);
    // A day after the first guess, the count starts again.
    service.clock.advance({ seconds: 301 });
    for (let i = 0; i < 4; i += 1) expect(await delays.take(target, '192.0.2.5')).toBe(0);
  });
});

describe('a proxy that writes more or less than an address', () => {
  const entries = (forwarded: string) => async (i: number) =>
    (
      await new StaffBrowser(service, 'Test/1.0', forwarded.replace('#', String(i))).signIn(
        `unknown${i}@operator.example`,
        WRONG,
      )
    ).status;
  const inOrder = async (ask: (i: number) => Promise<number>) => {
    const statuses: number[] = [];
    for (let i = 1; i <= 3; i += 1) statuses.push(await ask(i));
    return statuses;
  };
  let service: Service;
  beforeAll(async () => {
    const config = { trustProxy: ['loopback', '10.0.0.0/8'], failuresPerMinute: 2 };
    service = await startService('sqlite', { config });
  });

  it.each([
    ['with a port', '198.51.100.9:4000#', '203.0.113.202:1234'],
    ['in brackets, with a port', '[2001:db8:0:1::9]:400#', '[2001:db8:0:2::9]:443'],
    [
      'through a second proxy with a port',
      '198.51.100.10:1, 10.0.0.5:400#',
      '203.0.113.2, 10.0.0.5:1',
    ],
  ])('counts each client for itself: %s', async (_what, one, other) => {
    expect(await inOrder(entries(one))).toEqual([401, 401, 429]);
    expect(await entries(other)(1)).toBe(401);
  });

  it('counts for the proxy what is no address, and logs it once', async () => {
    expect(await inOrder(entries('_hidden#, 10.0.0.5'))).toEqual([401, 401, 429]);
    expect(await entries('unknown, 10.0.0.6')(1)).toBe(401);
    expect(await entries('198.51.100.11')(1)).toBe(401);
    expect(service.log.lines.filter((line) => line.includes('TRUST_PROXY'))).toEqual([
      expect.stringContaining('The proxy 10.0.0.5 sent no address'),
    ]);
  });

  it('shows the address of a session without the port', async () => {
    const { email } = await service.given.member();
    const browser = new StaffBrowser(service, 'Test/1.0', '198.51.100.12:40001');
    expect((await browser.signIn(email, PASSWORD)).status).toBe(303);
    const { text } = await browser.get('/staff/account');
    expect(text).toContain('198.51.100.12');
    expect(text).not.toContain('40001');
  });
});
