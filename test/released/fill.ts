import { TOTP } from 'otpauth';
import type { AddressInfo } from 'node:net';
import { DemoClock } from '../../demo/week/clock.js';
import { viewer } from '../../demo/week/people.js';
import { fillDemoWeek } from '../../demo/week/week.js';
import { createApp } from '../../src/app.js';
import { ChecksService } from '../../src/availability/checks.service.js';
import { operator } from '../../src/platform/audit/audit.service.js';
import { clientScopes, staffScopes } from '../../src/platform/access/scopes.js';
import type { Config } from '../../src/platform/config/config.js';
import { ClientsService } from '../../src/clients/clients.service.js';
import type { TokenKind } from '../../src/clients/token-format.js';
import { TokensService } from '../../src/clients/tokens.service.js';
import { PasswordsService } from '../../src/staff/sign-in/passwords.service.js';
import { SecondFactorService } from '../../src/staff/sign-in/second-factor.service.js';
import { StaffService } from '../../src/staff/staff.service.js';
import type { ReleasedFacts } from './facts.js';

/** A working day, so that the same week is told each time. */
const NOW = new Date('2026-11-27T10:30:00Z');
const PASSWORD = 'brass kettle window';
const API = '/product-availability';
const ORDER = { postcode: 'EC2A 2BS', productCode: 'INT-1G-12', reference: 'PO-1' };

type Answer = Record<string, string> & { readonly items: readonly Record<string, string>[] };

/** What is sent to the running service. @throws for an answer other than a success */
class Client {
  constructor(
    private readonly address: string,
    private readonly token: string,
  ) {}

  async send(method: string, path: string, body?: object, key?: string): Promise<Answer> {
    const response = await fetch(this.address + path, {
      method,
      headers: {
        Authorization: `Bearer ${this.token}`,
        ...(body && { 'Content-Type': 'application/json' }),
        ...(key !== undefined && { 'Idempotency-Key': key }),
      },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return JSON.parse(text) as Answer;
  }

  get(path: string): Promise<Answer> {
    return this.send('GET', path);
  }

  post(path: string, body: object, key?: string): Promise<Answer> {
    return this.send('POST', path, body, key);
  }
}

/** Fills an empty database: the week of the demo, then one of each thing whose stored form a later release has to read. */
export async function fillRelease(
  release: string,
  config: Config,
): Promise<Omit<ReleasedFacts, 'rows'>> {
  const clock = new DemoClock(NOW);
  const app = await createApp(config, clock);
  try {
    await app.listen(0, '127.0.0.1');
    await fillDemoWeek(app, NOW);
    const { port } = app.getHttpServer().address() as AddressInfo;
    const address = `http://127.0.0.1:${port}`;
    const tokens = await issueTokens(app);
    const client = new Client(address, tokens.token);
    const tester = new Client(address, tokens.testToken);
    const staff = new Client(address, tokens.staffToken);

    const asked = await askAndOrder(client);
    const tested = await test(tester);
    const recoveryCode = await signUp(app, tokens.staffId, clock);
    const { secret } = await client.send('PUT', `${API}/webhook`, { url: 'http://127.0.0.1:9/' });
    await client.send('PUT', `${API}/watch/E7%209RT`, { reference: 'W-1' });
    const { nextCursor } = await client.get(`${API}/order?limit=1`);
    const claimedOrderId = await claimNew(client, staff, 'PO-2');
    // Last, because it can be undone for ten seconds.
    const undoableOrderId = await claimNew(client, staff, 'PO-3');
    const loss = { move: 'lose', version: 1, reason: 'price' };
    await staff.post(`/follow-up/orders/${undoableOrderId}/moves`, loss);
    await app.get(ChecksService, { strict: false }).flush();
    const { token, testToken, staffToken } = tokens;
    return {
      ...{ release, at: NOW.toISOString(), token, testToken, staffToken },
      ...{ staffEmail: viewer.email, staffPassword: PASSWORD, recoveryCode },
      ...{ webhookSecret: secret!, ...asked, ...tested, cursor: nextCursor! },
      ...{ claimedOrderId, undoableOrderId },
    };
  } finally {
    await app.close();
  }
}

type App = Awaited<ReturnType<typeof createApp>>;

async function issueTokens(app: App) {
  const client = await app.get(ClientsService, { strict: false }).add(
    {
      name: 'Released Reseller',
      contactName: 'Rosa Reseller',
      contactEmail: 'rosa@reseller.example',
      contactPhone: '+44 20 7946 0958',
      priceList: 'standard',
      compatibility: '0.3',
    },
    operator,
  );
  const people = await app.get(StaffService, { strict: false }).list();
  const staffId = people.find(({ email }) => email === viewer.email)!.id;
  const issue = async (
    kind: TokenKind,
    holder: { clientId: string } | { staffMemberId: string },
  ) => {
    const scopes = 'clientId' in holder ? clientScopes : staffScopes;
    const about = { holder, kind, label: 'released', scopes, days: 365 };
    return (await app.get(TokensService, { strict: false }).issue(about, operator)).token;
  };
  return {
    staffId,
    token: await issue('live', { clientId: client.id }),
    testToken: await issue('test', { clientId: client.id }),
    staffToken: await issue('live', { staffMemberId: staffId }),
  };
}

/** A check, an order that cites it, and a quote of which one line is ordered, and one is asked for. */
async function askAndOrder(client: Client) {
  const check = await client.get(`${API}/postcode/EC2A%202BS`);
  const body = { ...ORDER, checkId: check.id! };
  const key = 'released-order';
  const order = await client.post(`${API}/order`, body, key);
  const quote = await client.post(
    `${API}/quote`,
    {
      reference: 'RFQ-1',
      customer: 'Fernhill Schools Trust',
      wanted: { bandwidth: 1, term: 36 },
      sites: [
        { site: 'HQ', postcode: 'EC2A 2BS', notes: 'Ask for Ola.' },
        { site: 'Depot', postcode: 'SW1A 1AA' },
        { site: 'Mast', postcode: 'AB10 1AB' },
      ],
    },
    'released-quote',
  );
  const quoteId = quote.quoteId!;
  await client.post(`${API}/quote/${quoteId}/acceptance`, { lines: ['1'] });
  await client.post(`${API}/quote/${quoteId}/enquiry`, {});
  const unused = await client.get(`${API}/postcode/EC2A%202BS`);
  return { checkId: unused.id!, order: { id: order.orderId!, key, body }, quoteId };
}

async function test(tester: Client) {
  const check = await tester.get(`${API}/postcode/ZZ99%201AA`);
  const place = { postcode: 'ZZ99 1AA', productCode: 'TEST-1G-12' };
  const order = await tester.post(`${API}/order`, place);
  const quote = await tester.post(`${API}/quote`, {
    wanted: { bandwidth: 1, term: 12 },
    sites: [{ postcode: 'ZZ99 1AA' }],
  });
  return { testCheckId: check.id!, testOrderId: order.orderId!, testQuoteId: quote.quoteId! };
}

/** Sets a password and a second factor. @returns a recovery code */
async function signUp(app: App, staffId: string, clock: DemoClock): Promise<string> {
  const passwords = app.get(PasswordsService, { strict: false });
  await passwords.set(staffId, PASSWORD, 'command', operator);
  const factors = app.get(SecondFactorService, { strict: false });
  const people = await app.get(StaffService, { strict: false }).list();
  const { key } = (await factors.offer(people.find(({ id }) => id === staffId)!))!;
  const secret = key.replaceAll(' ', '');
  const code = new TOTP({ secret }).generate({ timestamp: clock.now().getTime() });
  const codes = await factors.confirm(staffId, code, operator);
  return codes![0]!;
}

async function claimNew(client: Client, staff: Client, reference: string): Promise<string> {
  const { orderId } = await client.post(`${API}/order`, { ...ORDER, reference });
  await staff.post(`/follow-up/orders/${orderId}/moves`, { move: 'claim', version: 0 });
  return orderId!;
}
