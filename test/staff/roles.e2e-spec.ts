import { beforeAll, describe, expect, it } from '@jest/globals';
import { RoutesService } from '../../src/platform/http/routes.service.js';
import { isSessionRule } from '../../src/platform/access/rules.js';
import { scopesOfRole, type StaffRole, staffRoles } from '../../src/platform/access/scopes.js';
import { type Service, startService } from '../support/service.js';
import { StaffBrowser } from '../support/staff-browser.js';

/** The pages that a role has beyond the roles before it, by the start of their paths. */
const pagesFrom: Readonly<Partial<Record<StaffRole, RegExp>>> = {
  admin: /^\/staff\/(?:clients|members|notifications)(?:\/|$)/,
  commercial: /^\/staff\/catalogue(?:\/|$)/,
  manager: /^\/staff\/(?:approvals|delivery-updates|reports|map|audit)(?:[/.]|$)/,
};

/** Written here again, so that a page with the wrong role in its code fails. */
function leastRoleFor(path: string): StaffRole {
  const found = staffRoles.toReversed().find((role) => pagesFrom[role]?.test(path));
  return found ?? 'agent';
}

describe('the roles of staff', () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService('sqlite', { config: { rateLimits: false } });
  });

  it.each(staffRoles)('open their pages, and no others, to the role %s', async (role) => {
    const browser = await StaffBrowser.signedIn(service, { role });
    const [refused, expected]: string[][] = [[], []];
    for (const { method, path, access } of service.get(RoutesService).routes) {
      if (!isSessionRule(access) || !/^\/staff(?:\/|$)/.test(path)) continue;
      if (staffRoles.indexOf(leastRoleFor(path)) > staffRoles.indexOf(role)) {
        expected!.push(`${method} ${path}`);
      }
      if (method === 'POST' && !expected!.includes(`${method} ${path}`)) continue;
      if (path.endsWith('/changes') && !expected!.includes(`${method} ${path}`)) continue;
      const at = path.replaceAll(/:\w+/g, 'x');
      const { text } = method === 'POST' ? await browser.post(at, {}) : await browser.get(at);
      if (text.includes('insufficient-role')) refused!.push(`${method} ${path}`);
    }
    expect(refused).toEqual(expected);
  });

  it('give the catalogue to commercial managers, and tokens and people to administrators only', () => {
    const scopes = Object.fromEntries(staffRoles.map((role) => [role, [...scopesOfRole(role)]]));
    const agent = ['follow-up:read', 'follow-up:write'];
    const manager = [...agent, 'reports:read', 'margins:read'];
    const commercial = [...manager, 'catalogue:write'];
    expect(scopes).toEqual({ agent, manager, commercial, admin: [...commercial, 'clients:write'] });
  });
});
