import { beforeAll, describe, expect, it } from '@jest/globals';
import { operator } from '../../../src/platform/audit/audit.service.js';
import { TokensService } from '../../../src/clients/tokens.service.js';
import {
  deedsOf,
  facts,
  faults,
  HOSTILE,
  hostileElements,
  idIn,
  rows,
  signedIn,
  told,
  valueOf,
  way,
} from '../../support/admin-pages.js';
import { Ledger } from '../../support/ledger.js';
import { type Service, startService } from '../../support/service.js';
import { StaffBrowser } from '../../support/staff-browser.js';

let service: Service;
let ledger: Ledger;
let agent: StaffBrowser;
let manager: StaffBrowser;
let admin: StaffBrowser;

beforeAll(async () => {
  service = await startService('sqlite', { config: { rateLimits: false } });
  ledger = new Ledger(service.config);
  await service.given.catalogue();
  ({ agent, manager, admin } = await signedIn(service));
});

const deeds = (subject: string) => deedsOf(ledger, subject);

describe('roles', () => {
  const pages = [
    '/staff/clients',
    '/staff/clients/new',
    '/staff/members',
    '/staff/members/new',
    '/staff/catalogue',
    '/staff/catalogue/new',
    '/staff/catalogue/adjust',
    '/staff/catalogue/versions/1/prices',
    '/staff/catalogue/versions/1/files',
    '/staff/notifications',
  ];

  it.each(pages)('neither an agent nor a manager opens %s', async (path) => {
    const statuses = [];
    for (const browser of [agent, manager, admin, new StaffBrowser(service)]) {
      statuses.push((await browser.get(path)).status);
    }
    expect(statuses).toEqual([403, 403, 200, 303]);
  });

  it('managers read the audit trail too, without links to pages that they may not open', async () => {
    const [theirs, none] = [await manager.get('/staff/audit'), await agent.get('/staff/audit')];
    expect([theirs.status, none.status]).toEqual([200, 403]);
    expect(theirs.text).not.toContain('href="/staff/clients"');
  });

  it.each([
    '/staff/clients',
    '/staff/clients/ID/tokens',
    '/staff/clients/ID/tokens/ID/revoke',
    '/staff/clients/ID/tokens/pair',
    '/staff/clients/ID/edit',
    '/staff/clients/ID/enabled',
    '/staff/clients/ID/webhook',
    '/staff/members',
    '/staff/members/ID/link',
    '/staff/members/ID/role',
    '/staff/members/ID/forget-second-factor',
    '/staff/members/ID/end-sessions',
    '/staff/members/ID/enabled',
    '/staff/members/ID/tokens/ID/revoke',
    '/staff/catalogue/versions',
    '/staff/catalogue/versions/1/activate',
    '/staff/catalogue/versions/1/restore',
    '/staff/catalogue/versions/1/discard',
    '/staff/catalogue/versions/1/again',
    '/staff/catalogue/adjust',
    '/staff/notifications',
  ])('a manager cannot post to %s', async (path) => {
    const reply = await manager.post(path.replaceAll('ID', manager.member.id), { a: 'b' });
    expect(reply.status).toBe(403);
  });

  it.each([
    ['with no page', '/staff/nowhere', 404],
    ['that is not for their role', '/staff/clients', 403],
  ])('an address %s keeps the navigation and its numbers', async (_which, path, status) => {
    const headers = { Accept: 'text/html' };
    const [theirs, strangers] = await Promise.all([
      agent.get(path, headers),
      new StaffBrowser(service).get('/staff/nowhere', headers),
    ]);
    expect(theirs.status).toBe(status);
    expect(theirs.text).toMatch(/<nav class="places"[^]*?<span class="count waiting">\d/);
    expect(theirs.text).toContain('<span>Late</span><span class="count">0</span>');
    expect([strangers.status, strangers.text.includes('class="places"')]).toEqual([404, false]);
  });

  it.each([
    '/staff/clients/unknown',
    '/staff/clients/01890000-0000-7000-8000-000000000000',
    '/staff/members/unknown',
    '/staff/catalogue/versions/99',
    '/staff/catalogue/versions/first',
  ])('%s is not found', async (path) => {
    expect((await admin.get(path)).status).toBe(404);
  });
});

describe('API clients', () => {
  const right = {
    name: 'Added Ltd',
    contactName: 'Grace Hopper',
    contactEmail: 'grace@added.example',
    contactPhone: '+44 20 7946 0123',
    priceList: 'standard',
  };
  const check = (token: string) =>
    service.http.get('/product-availability/postcode/EC2A2BS', { token });

  it('are added, and shown', async () => {
    const added = await admin.post('/staff/clients', { ...right, compatibility: '0.2' });
    expect(way(added)).toEqual([
      303,
      expect.stringMatching(/^\/staff\/clients\/.{36}\?said=client-added&saved=clients%2Fnew$/),
    ]);
    const page = await admin.get(String(added.headers.location));
    expect(told(page)).toEqual([200, 'Client added. Issue its tokens next.']);
    expect(facts(page)).toMatchObject({
      Contact: 'Grace Hopper',
      Email: 'grace@added.example',
      'Price list': 'standard',
      'API version': '0.2',
    });
    const list = rows(await admin.get('/staff/clients'));
    expect(list).toContainEqual([
      'Added Ltd',
      'Grace Hopper',
      'standard',
      '0',
      'Never',
      'None',
      'Enabled',
    ]);
    expect(await deeds(idIn(added.headers.location))).toEqual([['added', 'Ada Admin', null]]);
  });

  it('are not added with faults, and the typed text stays', async () => {
    const typed = {
      ...right,
      name: '',
      contactEmail: 'grace "at" home',
      contactPhone: 'ring <me>',
    };
    const page = await admin.post('/staff/clients', { ...typed, compatibility: '0.2' });
    expect(faults(page)).toEqual([
      422,
      {
        name: 'Enter the company name.',
        contactEmail: 'Enter an email address, such as ada@example.com.',
        contactPhone: 'Enter a phone number with digits, spaces, brackets, dots and hyphens only.',
      },
    ]);
    expect([valueOf(page, 'contactEmail'), valueOf(page, 'contactPhone')]).toEqual([
      'grace "at" home',
      'ring <me>',
    ]);
    expect(page.text).toMatch(
      /name="contactEmail" aria-describedby="contactEmail-hint contactEmail-fault" aria-invalid="true"/,
    );
    expect(page.text).toContain('<option value="0.2" selected>');
  });

  it('have unique names', async () => {
    await service.given.client({ name: 'Twin' });
    const page = await admin.post('/staff/clients', {
      ...right,
      compatibility: '0.3',
      name: 'Twin',
    });
    expect(faults(page)).toEqual([422, { name: 'There is an API client named "Twin" already.' }]);
    expect(valueOf(page, 'contactName')).toBe('Grace Hopper');
  });

  it('get tokens that work at once and are shown once', async () => {
    const { id } = await service.given.client();
    const scope = ['availability:read', 'orders:read'];
    const fields = { label: 'web', days: '30', scopes: scope };
    const page = await admin.post(`/staff/clients/${id}/tokens`, fields);
    const [token = ''] = /pas_live_\w{39}/.exec(page.text) ?? [];
    expect([told(page), (await check(token)).status]).toEqual([
      [200, 'Token issued. Copy it now: it is not shown again.'],
      200,
    ]);
    expect(page.headers['cache-control']).toContain('no-store');
    const again = await admin.get(`/staff/clients/${id}`);
    expect(again.text).not.toContain(token);
    expect(
      rows(again)
        .find(([ending]) => ending === `…${token.slice(-4)} live`)
        ?.slice(1, 3),
    ).toEqual(['web', 'availability:read orders:read']);
    const everything = JSON.stringify(await ledger.rows('SELECT * FROM audit_entries'));
    expect(everything).not.toContain(token);
    const placed = await service.http.post(
      '/product-availability/order',
      { postcode: 'EC2A 2BS', productCode: 'INT-1G-12' },
      { token },
    );
    expect(placed.status).toBe(403);
  });

  it('get tokens for the sandbox', async () => {
    const { id } = await service.given.client();
    const fields = { days: '1', scopes: 'availability:read', test: 'yes' };
    const page = await admin.post(`/staff/clients/${id}/tokens`, fields);
    expect(page.text).toMatch(/pas_test_\w{39}/);
  });

  it.each([
    [
      { days: '0', scopes: 'orders:read' },
      { days: 'Enter a whole number of days from 1 to 3,650.' },
    ],
    [
      { days: '3651', scopes: 'orders:read' },
      { days: 'Enter a whole number of days from 1 to 3,650.' },
    ],
    [
      { days: '1.5', scopes: 'orders:read' },
      { days: 'Enter a whole number of days from 1 to 3,650.' },
    ],
    [{ days: '365' }, { 'scopes-availability-read': 'Choose at least one scope.' }],
    [
      { days: '365', scopes: 'clients:write' },
      { 'scopes-availability-read': 'Choose at least one scope.' },
    ],
    [
      { days: '365', scopes: 'orders:read', label: 'x'.repeat(121) },
      { label: 'Use at most 120 characters; these are 121.' },
    ],
  ])('get no token for %j', async (fields: Record<string, string>, expected) => {
    const { id } = await service.given.client();
    const page = await admin.post(`/staff/clients/${id}/tokens`, fields);
    expect(faults(page)).toEqual([422, expected]);
    expect(await service.get(TokensService).list({ clientId: id })).toEqual([]);
  });

  it('lose a revoked token at once, with a reason', async () => {
    const client = await service.given.client();
    const { id, token } = await service.given.issuedToken({ client });
    const place = `/staff/clients/${client.id}/tokens/${id}/revoke`;
    const unsaid = await admin.post(place, { reason: ' ' });
    expect([faults(unsaid), (await check(token)).status]).toEqual([
      [422, { [`reason-${id}`]: 'Enter a reason.' }],
      200,
    ]);
    expect(unsaid.text).toContain('<details class="with-reason" open');
    const revoked = await admin.post(place, { reason: 'It leaked.' });
    expect([way(revoked), (await check(token)).status]).toEqual([
      [303, `/staff/clients/${client.id}?said=token-revoked`],
      401,
    ]);
    expect((await deeds(id)).at(-1)).toEqual(['revoked', 'Ada Admin', '{"reason":"It leaked."}']);
    const twice = await admin.post(place, { reason: 'It leaked.' });
    expect(way(twice)).toEqual([303, `/staff/clients/${client.id}`]);
  });

  it('cannot revoke a token of another client', async () => {
    const [client, other] = [await service.given.client(), await service.given.client()];
    const { id, token } = await service.given.issuedToken({ client: other });
    const reply = await admin.post(`/staff/clients/${client.id}/tokens/${id}/revoke`, {
      reason: 'Wrong.',
    });
    expect([reply.status, (await check(token)).status]).toEqual([404, 200]);
  });

  it('are disabled and enabled', async () => {
    const client = await service.given.client();
    const token = await service.given.token({ client });
    const set = (enabled: string) => admin.post(`/staff/clients/${client.id}/enabled`, { enabled });
    expect([way(await set('no')), (await check(token)).status]).toEqual([
      [303, `/staff/clients/${client.id}?said=client-disabled`],
      401,
    ]);
    expect((await admin.get(`/staff/clients/${client.id}`)).text).toContain('is disabled.');
    expect([way(await set('yes')), (await check(token)).status]).toEqual([
      [303, `/staff/clients/${client.id}?said=client-enabled`],
      200,
    ]);
  });

  it('and their tokens have escaped names', async () => {
    const client = await service.given.client({ name: HOSTILE, contactName: HOSTILE });
    await service.get(TokensService).issue(
      {
        holder: { clientId: client.id },
        kind: 'live',
        label: HOSTILE,
        scopes: ['orders:read'],
        days: 1,
      },
      operator,
    );
    for (const path of ['/staff/clients', `/staff/clients/${client.id}`]) {
      const page = await admin.get(path);
      expect(page.text).toContain('&lt;script>alert(1)&lt;/script>');
      expect(hostileElements(page)).toEqual([]);
    }
    const refused = await admin.post('/staff/clients', { name: HOSTILE, contactEmail: HOSTILE });
    expect([refused.status, hostileElements(refused)]).toEqual([422, []]);
  });
});
