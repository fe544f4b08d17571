import { beforeAll, describe, expect, it } from '@jest/globals';
import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import { RoutesService } from '../../src/platform/http/routes.service.js';
import { type Service, startService } from '../support/service.js';

/**
 * Node creates requests and responses with Express's prototypes; the rules for every answer are in
 * front of that of responses. This fails when an Express release sets other prototypes.
 */
describe('requests and responses', () => {
  let service: Service;
  const prototypes: { before: object; after: object }[] = [];

  beforeAll(async () => {
    service = await startService('sqlite');
    const server: http.Server = service.app.getHttpServer();
    server.prependListener('request', (request: IncomingMessage, response: ServerResponse) => {
      const both = [request, response].map((one) => ({
        one,
        before: Object.getPrototypeOf(one) as object,
      }));
      response.on('finish', () => {
        for (const { one, before } of both) {
          prototypes.push({ before, after: Object.getPrototypeOf(one) as object });
        }
      });
    });
  });

  it('keep their prototypes on every route', async () => {
    const { routes } = service.get(RoutesService);
    const own = routes.map(({ method, path }) => ({ method, path: path.replace(/:\w+/g, 'x') }));
    const others = ['/openapi.json', '/docs', '/docs/orders', '/no/such/path'].map((path) => ({
      method: 'GET',
      path,
    }));
    expect(own.length).toBeGreaterThan(5);
    for (const { method, path } of [...own, ...others]) {
      prototypes.length = 0;
      const { status } = await service.http.send({ method, path });
      expect([method, path, status, prototypes.length]).toEqual([
        ...[method, path, expect.any(Number), 2],
      ]);
      for (const { before, after } of prototypes) expect(after).toBe(before);
    }
  });

  it("have Express's methods, and Node's constructors", () => {
    const express = service.app.getHttpAdapter().getInstance() as {
      request: object;
      response: object;
    };
    expect(express.request).toHaveProperty('get');
    expect(express.request).toBeInstanceOf(http.IncomingMessage);
    expect(express.response).toHaveProperty('send');
    expect(express.response).toBeInstanceOf(http.ServerResponse);
  });

  it('have neither an ETag nor X-Powered-By', async () => {
    const { headers } = await service.http.get('/openapi.json');
    expect(headers).not.toHaveProperty('etag');
    expect(headers).not.toHaveProperty('x-powered-by');
  });
});

it('a response that fails after its end, such as by a late write, does not end the process', async () => {
  const { app, http: client } = await startService('sqlite');
  const server: http.Server = app.getHttpServer();
  const late = Promise.withResolvers<boolean>();
  server.prependListener('request', (_: IncomingMessage, response: ServerResponse) => {
    response.on('finish', () => late.resolve(response.emit('error', new Error('late'))));
  });
  await client.get('/health/live');
  expect(await late.promise).toBe(true);
});
