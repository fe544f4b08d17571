import { beforeAll, describe, expect, it } from '@jest/globals';
import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import { RouteTable } from '../../src/http/route-table.js';
import { type Service, startService } from '../support/service.js';

/**
 * Express calls `Object.setPrototypeOf` on every request and response, which costs more than all the
 * rest, unless they have Express's prototypes already. This fails when an Express release looks for
 * other prototypes, or makes something of its own of them.
 */
describe('Requests and responses', () => {
  let service: Service;
  const born: { before: object; after: object }[] = [];

  beforeAll(async () => {
    service = await startService('sqlite');
    const server: http.Server = service.app.getHttpServer();
    const before = new WeakMap<object, object>();
    server.prependListener('request', (request: IncomingMessage, response: ServerResponse) => {
      for (const one of [request, response]) {
        before.set(one, Object.getPrototypeOf(one) as object);
      }
      response.on('finish', () => {
        for (const one of [request, response]) {
          born.push({ before: before.get(one)!, after: Object.getPrototypeOf(one) as object });
        }
      });
    });
  });

  it('have their prototypes from birth, on every route', async () => {
    const { routes } = service.get(RouteTable);
    const own = routes.map(({ method, path }) => ({ method, path: path.replace(/:\w+/g, 'x') }));
    const others = ['/openapi.json', '/docs', '/docs/orders', '/no/such/path'].map((path) => ({
      method: 'GET',
      path,
    }));
    expect(own.length).toBeGreaterThan(5);
    for (const { method, path } of [...own, ...others]) {
      born.length = 0;
      const { status } = await service.http.send({ method, path });
      expect([method, path, status, born.length]).toEqual([method, path, expect.any(Number), 2]);
      for (const { before, after } of born) expect(after).toBe(before);
    }
  });

  it("have Express's methods, and Node's constructors", () => {
    const express = service.app.getHttpAdapter().getInstance() as {
      request: object;
      response: object;
    };
    expect(express.request).toHaveProperty('get');
    expect(express.request).toHaveProperty('app');
    expect(express.response).toHaveProperty('send');
    expect(express.request).toBeInstanceOf(http.IncomingMessage);
    expect(express.response).toBeInstanceOf(http.ServerResponse);
  });

  it('carry no ETag and no sign of Express', async () => {
    const { headers } = await service.http.get('/openapi.json');
    expect(headers).not.toHaveProperty('etag');
    expect(headers).not.toHaveProperty('x-powered-by');
  });
});
