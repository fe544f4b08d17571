import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';
import type { Server } from 'node:http';
import { DocumentationService } from '../../src/documentation/documentation.service.js';
import { flood, numberOf } from '../support/floods.js';
import { afterAMinute, stopWindows } from '../support/rate-limits.js';
import { type Service, startService } from '../support/service.js';

beforeEach(stopWindows);
afterEach(() => void jest.restoreAllMocks());

const searches = (number: number) =>
  Array.from({ length: number }, (_, i) => ({ path: `/docs/search?q=order${i}` }));

it('refuses searches of the documentation while ten wait', async () => {
  const service = await startService('sqlite', { config: { lookupBurst: 1_000 } });
  const documentation = service.get(DocumentationService);
  const search = documentation.search.bind(documentation);
  const refused = responses(service, 50);
  jest.spyOn(documentation, 'search').mockImplementation(async (...asked) => {
    await refused;
    return search(...asked);
  });
  const replies = await flood(service, searches(60));
  expect([numberOf(replies, 200), numberOf(replies, 503)]).toEqual([10, 50]);
  expect(replies.find(({ status }) => status === 503)?.retryAfter).toBe('1');
});

/** Resolves after the service has sent this many responses. */
function responses({ app }: Service, number: number): Promise<void> {
  const server: Server = app.getHttpServer();
  return new Promise((resolve) => {
    let missing = number;
    server.on('request', (_request, response) =>
      response.on('finish', () => {
        missing -= 1;
        if (missing === 0) resolve();
      }),
    );
  });
}

it('keeps the results of searches', async () => {
  const service = await startService('sqlite', { config: { lookupBurst: 1_000 } });
  const search = jest.spyOn(service.get(DocumentationService), 'search');
  const [first, second] = [
    await service.http.get('/docs/search?q=price+hold'),
    await service.http.get('/docs/search?q=%20price%20%20hold'),
  ];
  expect(second.text).toBe(first.text);
  expect(search).toHaveBeenCalledTimes(1);
  for (const { path } of searches(200)) await service.http.get(path);
  await service.http.get('/docs/search?q=price+hold');
  expect(search).toHaveBeenCalledTimes(202);
});

it.each(['/docs/search?q=order', '/staff/sign-in'])(
  'counts requests for %s by address',
  async (path) => {
    const service = await startService('sqlite', {
      config: { lookupsPerMinute: 30, trustProxy: ['loopback'] },
    });
    const replies = await flood(service, Array<{ path: string }>(60).fill({ path }));
    expect([numberOf(replies, 200), numberOf(replies, 429)]).toEqual([30, 30]);
    expect(replies.find(({ status }) => status === 429)?.retryAfter).toEqual(afterAMinute);
    const elsewhere = await service.http.get(path, { headers: { 'X-Forwarded-For': '192.0.2.7' } });
    expect(elsewhere.status).toBe(200);
  },
);
