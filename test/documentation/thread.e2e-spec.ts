import { afterEach, beforeAll, expect, it, jest } from '@jest/globals';
import hljs from 'highlight.js/lib/core';
import MiniSearch from 'minisearch';
import { DocumentationService } from '../../src/documentation/documentation.service.js';
import { type Service, startService } from '../support/service.js';

let service: Service;
beforeAll(async () => {
  service = await startService('sqlite');
});
afterEach(() => void jest.restoreAllMocks());

it('makes pages and searches outside the thread that answers requests', async () => {
  const spies = [
    jest.spyOn(hljs, 'highlight'),
    jest.spyOn(MiniSearch.prototype, 'addAll'),
    jest.spyOn(MiniSearch.prototype, 'search'),
  ];
  const { body: guide } = await service.http.get<string>('/docs/quick-start');
  const { body: found } = await service.http.get<string>('/docs/search?q=idempotency');
  expect([guide.includes('hljs-'), found.includes('<mark>')]).toEqual([true, true]);
  expect(spies.map(({ mock }) => mock.calls.length)).toEqual([0, 0, 0]);
});

it('answers the search after one that failed', async () => {
  const documentation = service.get(DocumentationService);
  const failed = documentation.search('order', 'clients');
  await documentation.onModuleDestroy();
  await expect(failed).rejects.toThrow('has ended');
  expect((await service.http.get('/docs/search?q=order')).status).toBe(200);
});
