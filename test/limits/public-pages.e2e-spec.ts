import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';
import { DocumentationService } from '../../src/documentation/documentation.service.js';
import { flood, numberOf } from '../support/floods.js';
import { afterAMinute, stopWindows } from '../support/rate-limits.js';
import { startService } from '../support/service.js';

beforeEach(stopWindows);
afterEach(() => void jest.restoreAllMocks());

const searches = (number: number) =>
  Array.from({ length: number }, (_, i) => ({ path: `/docs/search?q=order${i}` }));

it('runs one search of the documentation at a time, and refuses those beyond ten', async () => {
  const service = await startService('sqlite', { config: { lookupBurst: 1_000 } });
  const replies = await flood(service, searches(60));
  expect([numberOf(replies, 200), numberOf(replies, 503)]).toEqual([10, 50]);
  expect(replies.find(({ status }) => status === 503)?.retryAfter).toBe('1');
});

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
