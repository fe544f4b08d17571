import { beforeAll, describe, expect, it } from '@jest/globals';
import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import { RoutesService } from '../../src/http/routes.service.js';
import { type Service, startService } from '../support/service.js';

/**
 * The rules for every answer are a class of responses, whose prototype is put in front of Express's
 * own. This fails when an Express release gives responses another prototype.
 */
describe('Responses', () => {
  let service: Service;
  const prototypes: { before: object; after: object }[] = [];

  beforeAll(async () => {
    service = await startService('sqlite');
    const server: http.Server = service.app.getHttpServer();
    server.prependListener('request', (_request: IncomingMessage, response: ServerResponse) => {
      const before = Object.getPrototypeOf(response) as object;
      response.on('finish', () => {
        prototypes.push({ before, after: Object.getPrototypeOf(response) as object });
      });
    });
  });

  it('keep the prototype with the rules, on every route', async () => {
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
        ...[method, path, expect.any(Number), 1],
      ]);
      for (const { before, after } of prototypes) expect(after).toBe(before);
    }
  });

  it("have Express's methods, and Node's constructor", () => {
    const express = service.app.getHttpAdapter().getInstance() as { response: object };
    expect(express.response).toHaveProperty('send');
    expect(express.response).toBeInstanceOf(http.ServerResponse);
  });

  it('carry no ETag and no sign of Express', async () => {
    const { headers } = await service.http.get('/openapi.json');
    expect(headers).not.toHaveProperty('etag');
    expect(headers).not.toHaveProperty('x-powered-by');
  });
});
