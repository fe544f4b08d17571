import { beforeAll, expect, it } from '@jest/globals';
import { operator } from '../../src/platform/audit/audit.service.js';
import { staffScopes } from '../../src/platform/access/scopes.js';
import { TokensService } from '../../src/clients/tokens.service.js';
import { StaffService } from '../../src/staff/staff.service.js';
import { facts, rows } from '../support/admin-pages.js';
import { CLIENT, OidcServer } from '../support/oidc-server.js';
import { onOneEngine, type Service, startService } from '../support/service.js';
import { StaffBrowser } from '../support/staff-browser.js';

onOneEngine('the scopes of a staff token', (engine) => {
  let service: Service;
  let other: Service;
  beforeAll(async () => {
    service = await startService(engine, { config: { rateLimits: false } });
    other = await startService(engine, {
      database: service.config,
      config: { rateLimits: false },
      clock: service.clock,
    });
  });

  /** The statuses of requests that need the role of an administrator, a manager and an agent. */
  const statuses = async (token: string, at = service) => {
    const paths = ['/catalogue/versions', '/follow-up/reports/people', '/follow-up/orders'];
    const replies = await Promise.all(paths.map((path) => at.http.get(path, { token })));
    return replies.map(({ status }) => status);
  };
  const all = [200, 200, 200];

  it('end with the role on every instance, and return with it', async () => {
    const staff = await service.given.staff({ role: 'admin' });
    const token = await service.given.token({ staff });
    await other.learnChanges();
    expect([await statuses(token), await statuses(token, other)]).toEqual([all, all]);

    const admin = await StaffBrowser.signedIn(service, { role: 'admin' });
    const place = `/staff/members/${staff.id}`;
    await admin.post(`${place}/role`, { role: 'manager' });
    await other.learnChanges();
    const asManager = [403, 200, 200];
    expect([await statuses(token), await statuses(token, other)]).toEqual([asManager, asManager]);
    const page = await admin.get(place);
    expect(facts(page).Role).toBe('Manager');
    expect(rows(page)[1]?.[2]).toContain('catalogue:write (beyond the role)');

    await admin.post(`${place}/role`, { role: 'agent' });
    expect(await statuses(token)).toEqual([403, 403, 200]);
    await admin.post(`${place}/role`, { role: 'admin' });
    expect(await statuses(token)).toEqual(all);
  });

  it('end with the role that the sign-in provider gives', async () => {
    const { publicUrl } = service.config;
    const provider = await OidcServer.start(`${publicUrl}/staff/sign-in/callback`);
    const signIns = await startService(engine, {
      database: service.config,
      clock: service.clock,
      config: {
        rateLimits: false,
        oidcIssuer: provider.issuer,
        oidcClientId: CLIENT.id,
        oidcClientSecret: CLIENT.secret,
        oidcMembers: 'all',
        oidcRoles: [
          { role: 'admin', value: 'it' },
          { role: 'agent', value: 'sales' },
        ],
      },
    });
    const signIn = async (group: string) => {
      const email = 'sam@operator.example';
      provider.accounts.set('sam', { email, email_verified: true, groups: [group] });
      const browser = new StaffBrowser(signIns);
      const left = await browser.get('/staff/sign-in/provider');
      const back = await provider.signIn(String(left.headers.location), 'sam');
      expect((await browser.get(back.pathname + back.search)).status).toBe(303);
    };
    await signIn('it');
    const staff = await signIns.get(StaffService).find('sam@operator.example');
    const token = await signIns.given.token({ staff });
    expect(await statuses(token, signIns)).toEqual(all);
    await signIn('sales');
    expect(await statuses(token, signIns)).toEqual([403, 403, 200]);
    await service.learnChanges();
    expect(await statuses(token)).toEqual([403, 403, 200]);
  });

  it('are refused beyond the role when a token is issued', async () => {
    const { id: staffMemberId } = await service.given.staff({ name: 'Kay', role: 'manager' });
    const request = { holder: { staffMemberId }, kind: 'live', label: '', days: 1 } as const;
    const tokens = service.get(TokensService);
    await expect(tokens.issue({ ...request, scopes: staffScopes }, operator)).rejects.toThrow(
      'Kay is manager: a token of this member cannot have catalogue:write, clients:write.',
    );
    expect(await tokens.list({ staffMemberId })).toEqual([]);
    await tokens.issue({ ...request, scopes: ['reports:read'] }, operator);
    expect(await tokens.list({ staffMemberId })).toHaveLength(1);
  });
});
