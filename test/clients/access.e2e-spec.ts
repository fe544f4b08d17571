import { LIVE } from '../../src/platform/database/sides.js';
import { beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { OpenAPIObject } from '@nestjs/swagger';
import { AuditEntry } from '../../src/platform/audit/audit-entry.entity.js';
import { operator } from '../../src/platform/audit/audit.service.js';
import { AccessToken } from '../../src/clients/access-token.entity.js';
import { AccessService } from '../../src/clients/access.service.js';
import { ClientsService } from '../../src/clients/clients.service.js';
import { newToken } from '../../src/clients/token-format.js';
import { TokensService } from '../../src/clients/tokens.service.js';
import { RoutesService } from '../../src/platform/http/routes.service.js';
import { isSessionRule } from '../../src/platform/access/rules.js';
import {
  clientScopes,
  holderOf,
  type Scope,
  staffScopes,
} from '../../src/platform/access/scopes.js';
import { RevisionsService } from '../../src/platform/database/revisions.service.js';
import { Transactions } from '../../src/platform/database/transactions.js';
import { StaffService } from '../../src/staff/staff.service.js';
import { routesOf } from '../support/once/described-routes.js';
import { type DatabaseSettings, newDatabase } from '../support/databases.js';
import type { RawRequest, Reply, RequestOptions } from '../support/http.js';
import { expectProblem } from '../support/problems.js';
import { onBothEntrances } from '../support/entrances.js';
import { type Service, startService } from '../support/service.js';

const realm = 'Bearer realm="product-availability"';
const check = '/product-availability/postcode/EC2A2BS';

/** Public, and not in the OpenAPI documents. */
const undescribed = [
  'GET /docs/search',
  'GET /docs/try',
  'GET /docs',
  'GET /docs/assets/:file',
  'GET /docs/examples/:folder/:file',
  'GET /docs/examples/:file',
  'GET /docs/packages/:file',
  'GET /docs/reference/:group',
  'GET /docs/:page',
  'GET /problems',
  'GET /llms.txt',
  'GET /problems/:code',
  'GET /docs/*path',
  'GET /',
];

interface Described extends RawRequest {
  readonly name: string;
  readonly scope: Scope | 'client' | undefined;
}

/** Every operation of the OpenAPI documents, as a request with their examples. */
function requestsOf(document: OpenAPIObject): Described[] {
  return routesOf(document).map(({ method, path, operation }) => {
    const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
      const parameter = operation.parameters?.find((it) => 'in' in it && it.name === name);
      return encodeURIComponent(String((parameter as { example?: unknown }).example));
    });
    return {
      name: `${method} ${path}`,
      scope: operation['x-required-scope'],
      method,
      path: filled,
      ...(operation.requestBody && {
        body: '{}',
        headers: { 'Content-Type': 'application/json' },
      }),
    };
  });
}

onBothEntrances('the access to each operation', (engine) => {
  let service: Service;
  let operations: Described[];
  let tokens: Record<
    'unknown' | 'expired' | 'revoked' | 'disabledClient' | 'disabledStaff' | 'client' | 'staff',
    string
  >;
  const sent: string[] = [];
  const answered: string[] = [];

  beforeAll(async () => {
    service = await startService(engine, { config: { rateLimits: false } });
    const { given } = service;
    await given.catalogue();
    const expired = await given.token({ days: 1 });
    const revoked = await given.issuedToken();
    await service.get(TokensService).revoke(revoked.id, operator);
    const client = await given.client();
    const staff = await given.staff();
    tokens = {
      unknown: newToken('live'),
      expired,
      revoked: revoked.token,
      disabledClient: await given.token({ client }),
      disabledStaff: await given.token({ staff }),
      client: await given.token(),
      staff: await given.token({ staff: await given.staff({ role: 'admin' }) }),
    };
    await service.get(ClientsService).setEnabled(client.id, false, operator);
    await service.get(StaffService).setEnabled(staff.id, false, operator);
    service.clock.advance({ days: 2 });
    const clients = await service.http.get<OpenAPIObject>('/openapi.json');
    const staffs = await service.http.get<OpenAPIObject>('/openapi-staff.json');
    operations = [...requestsOf(clients.body), ...requestsOf(staffs.body)];
  });

  const send = async (operation: RawRequest, { token, headers }: RequestOptions = {}) => {
    if (token !== undefined) sent.push(token);
    const reply = await service.http.send({
      ...operation,
      ...(token !== undefined && { token }),
      headers: { ...operation.headers, ...headers },
    });
    answered.push(reply.text, JSON.stringify(reply.headers));
    return reply;
  };
  const seen = ({ status, body, headers }: Reply<unknown>) =>
    `${status} ${(body as { code?: string }).code} ${headers['www-authenticate']}`;
  const isScope = (scope: Described['scope']): scope is Scope =>
    scope !== undefined && scope !== 'client';
  const guarded = () =>
    operations.flatMap((it) => (isScope(it.scope) ? [{ ...it, scope: it.scope }] : []));

  /** Expects a response of each guarded operation to these credentials. */
  const expectOfEach = async (
    credentials: RequestOptions | ((scope: Scope) => Promise<RequestOptions> | RequestOptions),
    expected: (scope: Scope) => string,
  ) => {
    const found: Record<string, string> = {};
    const wanted: Record<string, string> = {};
    for (const operation of guarded()) {
      const { scope } = operation;
      const with_ = typeof credentials === 'function' ? await credentials(scope) : credentials;
      found[operation.name] = seen(await send(operation, with_));
      wanted[operation.name] = expected(scope);
    }
    expect(Object.keys(found).length).toBeGreaterThanOrEqual(5);
    expect(found).toEqual(wanted);
  };

  const missing = () => `401 missing-token ${realm}`;
  const invalid = () => `401 invalid-token ${realm}, error="invalid_token"`;
  const insufficient = (scope: Scope) =>
    `403 insufficient-scope ${realm}, error="insufficient_scope", scope="${scope}"`;

  it('is refused without credentials, or with credentials other than a bearer token', async () => {
    await expectOfEach({}, missing);
    await expectOfEach({ headers: { Authorization: 'Basic cGFzOnBhcw==' } }, missing);
  });

  it('may have several spaces before the token (RFC 9110, 11.4)', async () => {
    const headers = { Authorization: `bearer   ${tokens.client}` };
    expect((await send({ method: 'GET', path: check }, { headers })).status).toBe(200);
  });

  it.each(['unknown', 'expired', 'revoked', 'disabledClient', 'disabledStaff'] as const)(
    'is refused to a token that is %s, with the same text',
    async (kind) => {
      await expectOfEach({ token: tokens[kind] }, invalid);
      const { body } = await send({ method: 'GET', path: check }, { token: tokens[kind] });
      expect(body).toHaveProperty(
        'detail',
        'The token is unknown, has expired or was revoked, or its API client is disabled. Check that you copied the whole token, or ask the operator for a new one.',
      );
    },
  );

  it('is refused to a token with a typing error', async () => {
    const last = tokens.client.at(-1) === '0' ? '1' : '0';
    await expectOfEach({ token: `${tokens.client.slice(0, -1)}${last}` }, invalid);
    await expectOfEach({ token: 'pas_live_short' }, invalid);
  });

  it('is refused to a token with every scope of its kind except the required one', async () => {
    await expectOfEach(async (scope) => {
      const isClient = holderOf(scope) === 'client';
      const all: readonly Scope[] = isClient ? clientScopes : staffScopes;
      const scopes = all.filter((other) => other !== scope);
      const staff = isClient ? undefined : await service.given.staff({ role: 'admin' });
      return { token: await service.given.token({ scopes, ...(staff && { staff }) }) };
    }, insufficient);
  });

  it('is refused to a client on a staff route, and to staff on a client’s', async () => {
    await expectOfEach(
      (scope) => ({ token: holderOf(scope) === 'client' ? tokens.staff : tokens.client }),
      insufficient,
    );
  });

  it('is granted to a token with only the required scope', async () => {
    // A stream does not end; the test of its content covers access.
    for (const operation of guarded().filter(({ name }) => !name.endsWith('/follow-up/changes'))) {
      const { scope } = operation;
      const staff =
        holderOf(scope) === 'staff' ? await service.given.staff({ role: 'admin' }) : undefined;
      const token = await service.given.token({ scopes: [scope], ...(staff && { staff }) });
      const { status } = await send(operation, { token });
      expect([operation.name, [401, 403].includes(status) || status >= 500]).toEqual([
        operation.name,
        false,
      ]);
    }
  });

  it('needs no token for a public operation, which ignores a wrong token', async () => {
    const open = operations.filter(({ scope }) => scope === undefined);
    expect(open.length).toBeGreaterThan(0);
    for (const operation of open)
      for (const credentials of [{}, { token: tokens.unknown }])
        expect([operation.name, (await send(operation, credentials)).status]).toEqual([
          operation.name,
          200,
        ]);
  });

  it('has a rule for every route: the documents have all but a few public pages', () => {
    const described = new Map(operations.map(({ name, scope }) => [name, scope ?? 'public']));
    const rules = service
      .get(RoutesService)
      // test/staff/sessions.e2e-spec covers the pages for staff.
      .routes.filter(({ path }) => !/^\/staff(?:\/|$)/.test(path))
      .map(({ method, path, access }) => ({
        route: `${method} ${path}`,
        name: `${method} ${path.replaceAll(/:(\w+)/g, '{$1}')}`,
        access: isSessionRule(access) ? 'session' : access,
      }));
    const left = rules.filter(({ name }) => !described.has(name));
    expect(left.map(({ route, access }) => `${route}: ${access}`)).toEqual(
      undescribed.map((route) => `${route}: public`),
    );
    const ruled = rules.filter(({ name }) => described.has(name));
    expect(new Map(ruled.map(({ name, access }) => [name, access]))).toEqual(described);
  });

  describe('accepts the token in one place only', () => {
    const order = { postcode: 'EC2A 2BS', productCode: 'INT-1G-12' };

    it.each(['alone', 'next to the header'])('not in the query, %s', async (how) => {
      const path = `${check}?access_token=${tokens.client}`;
      const credentials = how === 'alone' ? {} : { token: tokens.client };
      expectProblem(await send({ method: 'GET', path }, credentials), 'malformed-request');
      const encoded = `${check}?%61ccess_token=${tokens.client}`;
      expectProblem(await send({ method: 'GET', path: encoded }, credentials), 'malformed-request');
    });

    it.each(['alone', 'next to the header'])('not in the body, %s', async (how) => {
      const credentials = how === 'alone' ? {} : { token: tokens.client };
      const request = {
        method: 'POST',
        path: '/product-availability/order',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ ...order, access_token: tokens.client }),
      };
      expectProblem(await send(request, credentials), 'malformed-request');
    });

    it('not in two headers, even if both are right', async () => {
      const one = `Bearer ${tokens.client}`;
      for (const both of [
        [one, one],
        [one, `Bearer ${tokens.unknown}`],
        ['Basic cGFzOnBhcw==', one],
      ]) {
        const reply = await send(
          { method: 'GET', path: check },
          { headers: { Authorization: both } },
        );
        expectProblem(reply, 'malformed-request');
      }
    });

    it('with a scheme in upper or lower case', async () => {
      const headers = { Authorization: `bEARER ${tokens.client}` };
      expect((await send({ method: 'GET', path: check }, { headers })).status).toBe(200);
    });
  });

  it('logs a refusal with the reason, and never with the token', async () => {
    // Expired while it is in memory: until tokens are loaded again.
    const expired = await service.given.token({ days: 1 });
    service.clock.advance({ days: 2 });
    for (const token of [...Object.values(tokens), expired, 'pas_live_short'])
      await send({ method: 'GET', path: check }, { token });
    const log = service.log.lines.join('\n');
    for (const reason of ['malformed', 'expired', 'unknown, revoked or disabled'])
      expect(log).toContain(`A token was refused: ${reason}.`);
    const told = [log, ...answered].join('\n');
    const leaked = [...new Set([...sent, ...Object.values(tokens)])].filter((token) =>
      told.includes(token),
    );
    expect(leaked).toEqual([]);
  });
});

onBothEntrances('a token', (engine) => {
  let service: Service;
  let other: Service;
  let database: DatabaseSettings;
  beforeAll(async () => {
    database = await newDatabase(engine);
    other = await startService(engine, { database });
    service = await startService(engine, { database, clock: other.clock });
    await service.given.catalogue();
    await other.get(RevisionsService).look();
  });
  const statusAt = async (instance: Service, token: string) =>
    (await instance.http.get(check, { token })).status;
  const tokenOf = (id: string) =>
    service
      .get(TokensService)
      .list()
      .then((all) => all.find((token) => token.id === id));

  it('works at once on an instance that did not issue it', async () => {
    const { token } = await service.given.issuedToken();
    expect([await statusAt(service, token), await statusAt(other, token)]).toEqual([200, 200]);
  });

  it('is refused at once on the instance that revoked it, and on others after their next look', async () => {
    const { id, token } = await service.given.issuedToken();
    expect([await statusAt(service, token), await statusAt(other, token)]).toEqual([200, 200]);
    await service.get(TokensService).revoke(id, operator);
    expect(await statusAt(service, token)).toBe(401);
    await other.get(RevisionsService).look();
    expect(await statusAt(other, token)).toBe(401);
  });

  it.each([
    ['accepted', 'refused', [200, 401]],
    ['refused', 'accepted', [401, 200]],
  ])('is %s on its own while one that is %s is looked up, too', async (_first, _second, both) => {
    const good = await service.given.token();
    const tokens = both[0] === 200 ? [good, newToken('live')] : [newToken('live'), good];
    const access = service.get(AccessService);
    const original = access.callerOf.bind(access);
    const gates = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const arrivals = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const looking = jest.spyOn(access, 'callerOf').mockImplementation(async (token) => {
      const at = tokens.indexOf(token);
      arrivals[at]!.resolve();
      await gates[at]!.promise;
      return original(token);
    });
    const answers = [statusAt(service, tokens[0]!)];
    await arrivals[0]!.promise;
    answers.push(statusAt(service, tokens[1]!));
    await arrivals[1]!.promise;
    for (const { resolve } of gates) resolve();
    const statuses = await Promise.all(answers);
    looking.mockRestore();
    expect(statuses).toEqual(both);
  });

  it('is refused while its client is disabled, and works again afterwards', async () => {
    const client = await service.given.client();
    const token = await service.given.token({ client });
    const clients = service.get(ClientsService);
    const statuses = [await statusAt(service, token)];
    for (const enabled of [false, false, true]) {
      await clients.setEnabled(client.id, enabled, operator);
      statuses.push(await statusAt(service, token));
    }
    expect(statuses).toEqual([200, 401, 401, 200]);
    const entries = await service
      .get(Transactions)
      .read((tx) => tx.find(AuditEntry, { where: { subjectId: client.id }, order: { id: 'ASC' } }));
    // To disable it twice is one change.
    expect(entries.map(({ action }) => action)).toEqual(['added', 'disabled', 'enabled']);
  });

  it.each(['live', 'test'] as const)(
    'is refused where its prefix says %s and its record says the other kind',
    async (kind) => {
      const { id, token } = await service.given.issuedToken({ kind });
      expect(await statusAt(service, token)).toBe(200);
      await service.get(Transactions).run(async (tx) => {
        await tx.update(AccessToken, { id }, { isTest: kind === 'live' });
        await service.get(RevisionsService).bump(tx, 'access');
      });
      await service.learnChanges();
      expect(await statusAt(service, token)).toBe(401);
    },
  );

  it('needs one database read if it was revoked, like an unknown token', async () => {
    const { id, token } = await service.given.issuedToken();
    await service.get(TokensService).revoke(id, operator);
    const reads = jest.spyOn(service.get(Transactions), 'read');
    const fewest = async (refused: string) => {
      const counts = [];
      // The service also reads once a second by itself, during some of the attempts only.
      for (let i = 0; i < 5; i += 1) {
        reads.mockClear();
        expect(await statusAt(service, refused)).toBe(401);
        counts.push(reads.mock.calls.length);
      }
      return Math.min(...counts);
    };
    expect([await fewest(token), await fewest(newToken('live'))]).toEqual([1, 1]);
    reads.mockRestore();
  });

  it('works until it expires', async () => {
    const client = await service.given.client();
    const token = await service.given.token({ client, days: 1 });
    const hasToken = () =>
      service
        .get(AccessService)
        .clientsWith('orders:read', LIVE)
        .some((one) => one.clientId === client.id);
    service.clock.advance({ hours: 23, minutes: 59, seconds: 59, milliseconds: 999 });
    expect([await statusAt(service, token), hasToken()]).toEqual([200, true]);
    service.clock.advance({ milliseconds: 1 });
    expect([await statusAt(service, token), hasToken()]).toEqual([401, false]);
  });

  it('records its last use, later or at a stop', async () => {
    const [used, unused] = [await service.given.issuedToken(), await service.given.issuedToken()];
    service.clock.advance({ minutes: 5 });
    await statusAt(service, used.token);
    expect((await tokenOf(used.id))?.lastUsedAt).toBeNull();
    await service.get(AccessService).writeLastUse();
    expect((await tokenOf(used.id))?.lastUsedAt).toEqual(service.clock.now());
    expect((await tokenOf(unused.id))?.lastUsedAt).toBeNull();

    // The service now recognises the header, and still records the use.
    service.clock.advance({ minutes: 5 });
    await statusAt(service, used.token);
    await service.get(AccessService).writeLastUse();
    expect((await tokenOf(used.id))?.lastUsedAt).toEqual(service.clock.now());

    service.clock.advance({ minutes: 5 });
    const stopped = await startService(engine, { database, clock: service.clock });
    await statusAt(stopped, used.token);
    await stopped.close();
    expect((await tokenOf(used.id))?.lastUsedAt).toEqual(service.clock.now());
  });
});
