import type { INestApplicationContext } from '@nestjs/common';
import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { createApp, serve } from '../src/app.js';
import { operator } from '../src/platform/audit/audit.service.js';
import { AccessService } from '../src/clients/access.service.js';
import { ClientsService } from '../src/clients/clients.service.js';
import type { TokenKind } from '../src/clients/token-format.js';
import { TokensService } from '../src/clients/tokens.service.js';
import {
  type ClientScope,
  type Scope,
  staffScopes,
  usualClientScopes,
} from '../src/platform/access/scopes.js';
import { type Config, ConfigError, readConfig } from '../src/platform/config/config.js';
import { isPassword } from '../src/staff/sign-in/password-hash.js';
import { PasswordsService } from '../src/staff/sign-in/passwords.service.js';
import type { StaffMember } from '../src/staff/member/staff-member.entity.js';
import { StaffService } from '../src/staff/staff.service.js';
import { viewer } from './week/people.js';
import { APPROVAL_OVER, fillDemoWeek, loadCatalogue } from './week/week.js';

const CREDENTIALS = 'demo/credentials.json';
const CLIENT = 'Demo Reseller';
const CLIENT_SCOPES: readonly ClientScope[] = [...usualClientScopes, 'coverage:read'];

interface Credentials {
  readonly baseUrl: string;
  readonly token: string;
  readonly staffToken: string;
  readonly staffUrl: string;
  readonly staffUser: string;
  readonly staffPassword: string;
  /** For the sandbox. */
  readonly testToken: string;
  /** Encrypts the secrets of webhooks in the demo database. */
  readonly webhookKey: string;
}

/** Serves the demo catalogue to a demo API client and a demo manager. Can be run repeatedly. */
async function demo(): Promise<void> {
  const port = process.env.PORT || '3000';
  const baseUrl = process.env.PUBLIC_URL || `http://localhost:${port}`;
  const earlier = await readCredentials();
  const webhookKey = earlier?.webhookKey ?? randomBytes(32).toString('base64');
  const config = readConfig({
    SQLITE_FILE: 'demo/data/demo.sqlite',
    MAIL_FROM: 'Demo Operator <orders@demo.example>',
    SALES_INBOX: 'sales@demo.example',
    NEAR_NET: 'all',
    MCP: 'on',
    WEBHOOK_KEY: webhookKey,
    WEBHOOK_NETWORKS: '127.0.0.0/8,::1/128',
    ACCEPTANCE_ALONE_UP_TO: '1000 GBP',
    OFFER_APPROVAL_OVER: `${APPROVAL_OVER.amount} ${APPROVAL_OVER.currency}`,
    ...process.env,
    NODE_ENV: 'development',
    OPS_PORT: process.env.OPS_PORT || 'off',
    PUBLIC_URL: baseUrl,
  });
  const app = await createApp(config);
  await app.init();
  await refuseSecond(app, earlier, baseUrl);
  const week = await fillDemoWeek(app);
  if (week) {
    console.log(
      `A week was made up: ${week.orders} orders, ${week.enquiries} enquiries, ${week.moves} moves, ${week.checks} checks.`,
    );
  }
  // What was published on the demo stays.
  await loadCatalogue(app);
  const credentials: Credentials = {
    baseUrl,
    token: await clientToken(app, earlier?.token),
    staffToken: await staffToken(app, earlier?.staffToken),
    staffUrl: `${baseUrl}/staff`,
    staffUser: viewer.email,
    staffPassword: await staffPassword(app, earlier?.staffPassword),
    testToken: await clientToken(app, earlier?.testToken, 'test'),
    webhookKey,
  };
  await writeFile(CREDENTIALS, `${JSON.stringify(credentials, null, 2)}\n`, { mode: 0o600 });
  await serve(app, config);
  console.log(welcome(credentials, config));
}

async function readCredentials(): Promise<Partial<Credentials> | undefined> {
  try {
    return JSON.parse(await readFile(CREDENTIALS, 'utf8')) as Partial<Credentials>;
  } catch {
    return undefined;
  }
}

class AlreadyServing extends Error {}

/** Two demos of one database would write over each other's tokens. @throws {AlreadyServing} */
async function refuseSecond(
  app: INestApplicationContext,
  { baseUrl: other, token }: Partial<Credentials> = {},
  baseUrl: string,
): Promise<void> {
  if (other === undefined || other === baseUrl || token === undefined) return;
  if (!(await isUsable(app, token))) return;
  const response = await fetch(`${other}/product-availability/me`, {
    headers: { Authorization: `Bearer ${token}` },
    signal: AbortSignal.timeout(2_000),
  }).catch(() => null);
  if (!response?.ok) return;
  throw new AlreadyServing(
    `A demo serves this database at ${other}. Use that one, or stop it first (Ctrl-C).`,
  );
}

async function isUsable(
  app: INestApplicationContext,
  token: string,
  scopes: readonly Scope[] = [],
): Promise<boolean> {
  return app
    .get(AccessService)
    .callerOf(token)
    .then(
      (caller) => scopes.every((scope) => caller.scopes.has(scope)),
      () => false,
    );
}

async function clientToken(
  app: INestApplicationContext,
  earlier?: string,
  kind: TokenKind = 'live',
): Promise<string> {
  if (earlier && (await isUsable(app, earlier, CLIENT_SCOPES))) return earlier;
  const clients = app.get(ClientsService);
  const client =
    (await clients.list()).find(({ name }) => name === CLIENT) ??
    (await clients.add(
      {
        name: CLIENT,
        contactName: 'Rosa Reseller',
        contactEmail: 'rosa@reseller.example',
        contactPhone: '+44 20 7946 0958',
        priceList: 'standard',
        compatibility: '0.3',
      },
      operator,
    ));
  const issued = await app.get(TokensService).issue(
    {
      holder: { clientId: client.id },
      kind,
      label: 'demo',
      scopes: CLIENT_SCOPES,
      days: 365,
    },
    operator,
  );
  return issued.token;
}

/** A member with access to every page. */
async function manager(app: INestApplicationContext): Promise<StaffMember> {
  const staff = app.get(StaffService);
  const known = (await staff.list()).find(({ email }) => email === viewer.email);
  if (!known) return staff.add(viewer, operator);
  if (known.role !== viewer.role) await staff.setRole(known.id, viewer.role, operator);
  return known;
}

async function staffToken(app: INestApplicationContext, earlier?: string): Promise<string> {
  if (earlier && (await isUsable(app, earlier))) return earlier;
  const issued = await app.get(TokensService).issue(
    {
      holder: { staffMemberId: (await manager(app)).id },
      kind: 'live',
      label: 'demo',
      scopes: staffScopes,
      days: 365,
    },
    operator,
  );
  return issued.token;
}

async function staffPassword(app: INestApplicationContext, earlier?: string): Promise<string> {
  const { id } = await manager(app);
  const passwords = app.get(PasswordsService);
  const stored = (await passwords.credentialOf(id))?.passwordHash ?? null;
  if (earlier && (await isPassword(stored, earlier))) return earlier;
  const password = randomBytes(12).toString('base64url');
  await passwords.set(id, password, 'command', operator);
  return password;
}

function welcome(credentials: Credentials, config: Config): string {
  const { baseUrl, token, testToken, staffToken, staffUrl, staffUser, staffPassword } = credentials;
  return `
The demo is serving at ${baseUrl}
Documentation:         ${baseUrl}/docs
API client's token:    ${token}
Its test token:        ${testToken}
Staff token:           ${staffToken}
Pages for staff:       ${staffUrl}
  sign in as           ${staffUser}
  with the password    ${staffPassword}
All of these are in ${CREDENTIALS}. Stop with Ctrl-C; what you order stays.

Check a postcode:

  curl -H 'Authorization: Bearer ${token}' \\
    ${baseUrl}/product-availability/postcode/EC2A%202BS

Order one of its products; then look at the pages for staff:

  curl -H 'Authorization: Bearer ${token}' -H 'Content-Type: application/json' \\
    -d '{"postcode":"EC2A 2BS","productCode":"INT-1G-12"}' ${baseUrl}/product-availability/order

Receive a webhook: print what arrives in a second terminal, register its address, and order again:

  node -e "require('http').createServer((q, r) => q.on('end', () => r.end()).pipe(process.stdout)).listen(8080)"
  curl -X PUT -H 'Authorization: Bearer ${token}' -H 'Content-Type: application/json' \\
    -d '{"url":"http://localhost:8080/"}' ${baseUrl}/product-availability/webhook

Coverage and prices as one file, and agents (Model Context Protocol, ${baseUrl}/docs/agents):

  curl -H 'Authorization: Bearer ${token}' ${baseUrl}/product-availability/coverage
  ${baseUrl}/mcp

More postcodes: SW1A 1AA (lit building), N1 9GU (near-net), EC2A 2BR (excluded), E7 9RT (priced by
its distance to the network), AB10 1AB (outside); with the test token ZZ99 1AA and those of /docs/sandbox.

Run an operator's command on the demo database:

  ${databaseSetting(config)} npm run cli -- catalogue list
`;
}

function databaseSetting({ databaseUrl, sqliteFile }: Config): string {
  return databaseUrl === null ? `SQLITE_FILE=${sqliteFile}` : `DATABASE_URL='${databaseUrl}'`;
}

try {
  await demo();
} catch (error) {
  const reason = (error as NodeJS.ErrnoException).code;
  console.error(
    reason === 'EADDRINUSE'
      ? 'The port is in use. Choose another one: PORT=3001 npm run demo'
      : error instanceof ConfigError || error instanceof AlreadyServing
        ? error.message
        : error,
  );
  process.exit(1);
}
