import { beforeAll, describe, expect, it } from '@jest/globals';
import type { ParameterObject } from '@nestjs/swagger';
import { holderOf, usualClientScopes } from '../../src/platform/access/scopes.js';
import { type DescribedRoute, describedRoutes } from '../support/once/described-routes.js';
import type { Reply } from '../support/http.js';
import { expectProblem } from '../support/problems.js';
import { type Service, startService } from '../support/service.js';

let service: Service;
let tokens: Readonly<Record<'client' | 'staff', string>>;

beforeAll(async () => {
  service = await startService('sqlite', { config: { rateLimits: false } });
  await service.given.catalogue();
  tokens = {
    client: await service.given.token({ scopes: [...usualClientScopes, 'coverage:read'] }),
    staff: await service.given.staffToken(),
  };
});

/** The address of an operation, with the examples of its parameters. */
function addressOf({ path, operation }: DescribedRoute): string {
  const parameters = (operation.parameters ?? []) as readonly ParameterObject[];
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const parameter = parameters.find((one) => one.in === 'path' && one.name === name);
    const { example = 'x' } = (parameter?.schema ?? {}) as { example?: unknown };
    return encodeURIComponent(String(parameter?.example ?? example));
  });
}

function send(route: DescribedRoute, query: string): Promise<Reply<{ errors: object[] }>> {
  const scope = route.operation['x-required-scope'];
  return service.http.send({
    method: route.method,
    path: `${addressOf(route)}${query}`,
    ...(scope !== undefined && { token: tokens[holderOf(scope)] }),
    ...(route.method !== 'GET' && {
      headers: { 'Content-Type': 'application/json' },
      body: '{}',
    }),
  });
}

const unknown = (name: string) => ({
  pointer: `/${name}`,
  code: 'unknown-property',
  detail: 'This property is not known; remove it.',
});

describe('an unknown query parameter', () => {
  it.each(describedRoutes.map((route) => [`${route.method} ${route.path}`, route] as const))(
    'is refused: %s',
    async (_, route) => {
      const reply = await send(route, '?surprise=1&surprise=2');
      const { parameters = [] } = route.operation;
      const takesQuery = parameters.some((one) => 'in' in one && one.in === 'query');
      expectProblem(reply, takesQuery ? 'validation-error' : 'malformed-request');
      if (takesQuery) expect(reply.body.errors).toContainEqual(unknown('surprise'));
    },
  );

  it('is refused by a check, which a fast path answers without a query', async () => {
    const path = '/product-availability/postcode/EC2A%202BS';
    const { client: token } = tokens;
    const { status, body } = await service.http.get(`${path}?speed=1`, { token });
    expect([status, body]).toMatchObject([
      400,
      { code: 'validation-error', errors: [{ pointer: '/speed' }] },
    ]);
    expect((await service.http.get(`${path}?`, { token })).status).toBe(200);
  });

  it('is refused only after the token', async () => {
    const path = '/product-availability/order/018f0000-0000-7000-8000-000000000000?x=1';
    expect((await service.http.get(path)).status).toBe(401);
    expect((await service.http.get(path, { token: tokens.staff })).status).toBe(403);
  });

  it('does not replace the condition of a watch', async () => {
    const path = '/product-availability/watch/AB10%201AB';
    const put = (query: string, body: object) =>
      service.http.send<{ reference: string | null }>({
        method: 'PUT',
        path: `${path}${query}`,
        token: tokens.client,
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify(body),
      });
    expect((await put('', { reference: 'W1b', minBandwidth: 1, maxPrice: 600 })).status).toBe(201);
    expect((await put('?uprn=123', {})).status).toBe(400);
    const { body } = await service.http.get(path, { token: tokens.client });
    expect(body).toMatchObject({ reference: 'W1b', minBandwidth: 1, maxPrice: 600, uprn: null });
  });

  it('is ignored by pages, which are reached by links of others', async () => {
    for (const path of ['/docs', '/staff/sign-in', '/problems/not-found']) {
      expect((await service.http.get(`${path}?utm_source=mail`)).status).toBe(200);
    }
  });
});
