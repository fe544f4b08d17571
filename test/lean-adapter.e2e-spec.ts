import { afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import express from 'express';
import { once } from 'node:events';
import { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { RouteTable } from '../src/common/route-table.js';
import { later } from './support/closing.js';
import { Http } from './support/http.js';
import { type Service, startService } from './support/service.js';

/** Whether each request and response had the prototype already that Express gives it. */
function watchPrototypes(): { request: boolean[]; response: boolean[] } {
  const seen = { request: [] as boolean[], response: [] as boolean[] };
  const setPrototypeOf = Object.setPrototypeOf.bind(Object);
  jest.spyOn(Object, 'setPrototypeOf').mockImplementation((object: object, prototype) => {
    const born = Object.getPrototypeOf(object) === prototype;
    if (object instanceof IncomingMessage) seen.request.push(born);
    if (object instanceof ServerResponse) seen.response.push(born);
    return setPrototypeOf(object, prototype) as unknown;
  });
  return seen;
}

afterEach(() => void jest.restoreAllMocks());

/**
 * Where this fails after an update of Express, requests have become several times slower: see
 * common/lean-express.adapter.ts. Where Express sets no prototypes any more, that file can go.
 */
describe('requests and responses have the prototypes of Express from birth', () => {
  let service: Service;
  let token: string;

  beforeAll(async () => {
    service = await startService('sqlite', { config: { rateLimits: false } });
    await service.given.catalogue();
    token = await service.given.token();
  });

  it('on every route', async () => {
    const { routes } = service.get(RouteTable);
    expect(routes.length).toBeGreaterThan(5);
    for (const { method, path } of routes) {
      const seen = watchPrototypes();
      const { status } = await service.http.send({ method, path: path.replaceAll(':', ''), token });
      jest.restoreAllMocks();
      expect([method, path, status, seen]).toEqual([
        method,
        path,
        expect.any(Number),
        { request: [true], response: [true] },
      ]);
    }
  });

  it.each([
    ['GET', '/openapi.json', 200],
    ['GET', '/docs', 200],
    ['HEAD', '/health/live', 200],
    ['GET', '/nowhere', 404],
    ['DELETE', '/health/live', 405],
    ['GET', '/product-availability/postcode/%', 400],
  ])('on %s %s', async (method, path, status) => {
    const seen = watchPrototypes();
    const answer = await service.http.send({ method, path, token });
    expect([answer.status, seen]).toEqual([status, { request: [true], response: [true] }]);
  });

  it('unlike those of Express alone', async () => {
    const app = express().use((_request, response) => void response.end());
    const server = app.listen(0, '127.0.0.1');
    later(() => Promise.resolve(server.close()));
    await once(server, 'listening');
    const http = new Http((server.address() as AddressInfo).port);
    later(() => Promise.resolve(http.close()));
    const seen = watchPrototypes();
    await http.get('/');
    expect(seen).toEqual({ request: [false], response: [false] });
  });
});
