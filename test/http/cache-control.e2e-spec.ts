import { beforeAll, describe, expect, it } from '@jest/globals';
import { isSessionRule } from '../../src/platform/access/rules.js';
import { RoutesService } from '../../src/platform/http/routes.service.js';
import { type Service, startService } from '../support/service.js';
import { StaffBrowser } from '../support/staff-browser.js';

describe('Cache-Control', () => {
  let service: Service;
  let browser: StaffBrowser;
  let token: string;
  let clientToken: string;

  beforeAll(async () => {
    service = await startService('sqlite', { config: { staffHeavyInFlight: 100 } });
    await service.given.catalogue();
    browser = await StaffBrowser.signedIn(service, { role: 'admin' });
    token = await service.given.token({ staff: browser.member });
    clientToken = await service.given.token();
  });

  it.each([
    '/staff/queue.csv',
    '/staff/audit.csv',
    '/staff/catalogue/versions/1/files',
    '/staff/catalogue/versions/1/changes.csv',
    '/staff/reports/age.csv',
  ])('of the file %s in a browser is no-store', async (path) => {
    const { status, headers } = await browser.get(path);
    expect([status, headers['cache-control']]).toEqual([200, 'no-store']);
  });

  it.each(['/follow-up/orders.csv', '/catalogue/versions/1/files'])(
    'of the file %s by token is no-store',
    async (path) => {
      const { status, headers } = await service.http.get(path, { token });
      expect([status, headers['cache-control']]).toEqual([200, 'no-store']);
    },
  );

  it('is on the answer of every route, and no answer with a session or token is public', async () => {
    const answers: Record<string, unknown> = {};
    for (const { method, path, access } of service.get(RoutesService).routes) {
      if (method !== 'GET' || path.endsWith('/changes')) continue;
      const address = path.replaceAll(/:\w+/g, '1');
      const caller = path.startsWith('/product-availability') ? clientToken : token;
      const { headers } = isSessionRule(access)
        ? await browser.get(address)
        : await service.http.get(address, { token: access === 'public' ? undefined : caller });
      const cache = headers['cache-control'];
      const isRight = access === 'public' ? !!cache : /\bno-store\b|^private\b/.test(cache ?? '');
      if (!isRight) answers[path] = cache;
    }
    expect(answers).toEqual({});
  });
});
