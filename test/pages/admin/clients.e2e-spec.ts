import { beforeAll, describe, expect, it } from '@jest/globals';
import { AccessService } from '../../../src/clients/access.service.js';
import { ClientsService } from '../../../src/clients/clients.service.js';
import {
  deedsOf,
  facts,
  faults,
  rows,
  signedIn,
  told,
  valueOf,
  way,
} from '../../support/admin-pages.js';
import { Ledger } from '../../support/ledger.js';
import { onOneEngine, type Service, startService } from '../../support/service.js';
import { StaffBrowser } from '../../support/staff-browser.js';
import { postAsStaff } from '../../support/moves.js';

onOneEngine('the pages of API clients', (engine) => {
  let service: Service;
  let ledger: Ledger;
  let admin: StaffBrowser;

  beforeAll(async () => {
    service = await startService(engine, { config: { rateLimits: false } });
    ledger = new Ledger(service.config);
    await service.given.catalogue();
    ({ admin } = await signedIn(service));
  });

  it('asks for the API version below a fold, with its default', async () => {
    const { text } = await admin.get('/staff/clients/new');
    const [, folded = ''] = /<summary>More<\/summary>(.*?)<\/details>/s.exec(text) ?? [];
    expect(folded).toContain('<option value="0.3" selected>');
    expect(folded).toContain('name="nearNet"');
    expect(folded).not.toContain('name="priceList"');
  });

  it('has interconnects, to be added, described again and removed', async () => {
    const { id } = await service.given.client();
    const path = `/staff/clients/${id}`;
    const fresh = (await admin.get(path)).text;
    expect(fresh).toContain('Add an interconnect');
    expect(fresh).not.toMatch(/<h2>(Interconnects|Webhook)/);
    const add = (code: string, label: string) =>
      admin.post(`${path}/interconnects`, { code, label });
    expect((await add('NNI-LON1', 'Telehouse North')).headers.location).toBe(
      `${path}?said=interconnect-added`,
    );
    await add('NNI-LON1', 'Telehouse North, 10G');
    const { text } = await admin.get(path);
    expect(text).toContain('<td>Telehouse North, 10G</td>');
    expect(text).not.toContain('<td>Telehouse North</td>');
    const refused = await add('nni lon', '');
    expect(refused.status).toBe(422);
    expect(refused.text).toContain('Enter a code of capital letters, digits and hyphens');
    const remove = () => admin.post(`${path}/interconnects/remove`, { code: 'NNI-LON1' });
    expect((await remove()).headers.location).toBe(`${path}?said=interconnect-removed`);
    expect((await remove()).status).toBe(404);
  });

  describe('the form that edits a client', () => {
    const typed = {
      name: 'Edited Ltd',
      contactName: 'Grace Hopper',
      contactEmail: 'grace@reseller.example',
      contactPhone: '+44 20 7946 0123',
      priceList: 'standard',
      compatibility: '0.3',
      nearNet: 'default',
      messageEmails: 'on',
    };
    const formOf = (id: string) => admin.get(`/staff/clients/${id}/edit`);
    const save = (id: string, fields: Record<string, string>) =>
      admin.post(`/staff/clients/${id}/edit`, { ...typed, ...fields });

    it('saves each field, for the next request of the client', async () => {
      const client = await service.given.client();
      const token = await service.given.token({ client });
      const version = valueOf(await formOf(client.id), 'version')!;
      const saved = await save(client.id, {
        ...{ version, name: 'Renamed Ltd', contactName: 'Joan Clarke', priceList: 'partner' },
        ...{ compatibility: '0.2', lookupsPerMinute: '120', inFlight: '4' },
      });
      const draft = encodeURIComponent(`clients/${client.id}/edit`);
      expect(way(saved)).toEqual([
        303,
        `/staff/clients/${client.id}?said=client-edited&saved=${draft}`,
      ]);
      expect(facts(await admin.get(`/staff/clients/${client.id}`))).toMatchObject({
        Contact: 'Joan Clarke',
        'Price list': 'partner',
        'API version': '0.2',
        Limits: 'Checks per minute: 120, Concurrent requests: 4',
      });
      const { body } = await service.http.get('/product-availability/me', { token });
      expect(body).toMatchObject({
        client: { name: 'Renamed Ltd', priceList: 'partner', compatibility: '0.2' },
      });
      const [, [action, actor, details]] = (await deedsOf(ledger, client.id)) as [[], string[]];
      expect([action, actor]).toEqual(['edited', 'Ada Admin']);
      expect(JSON.parse(details!)).toEqual({
        changed: expect.arrayContaining(['name', 'contactName', 'priceList', 'lookupsPerMinute']),
        before: expect.objectContaining({ priceList: 'standard', lookupsPerMinute: null }),
        after: expect.objectContaining({ priceList: 'partner', lookupsPerMinute: 120 }),
      });
      expect(details).not.toMatch(/Joan|Grace/);
    });

    it('empties a limit, and writes no entry if nothing changes', async () => {
      const client = await service.given.client({ name: typed.name });
      const { id } = client;
      await save(id, { version: '1', lookupsPerMinute: '7' });
      await save(id, { version: '2', lookupsPerMinute: '' });
      await save(id, { version: '3' });
      const { lookupsPerMinute, version } = await service.get(ClientsService).find(id);
      expect([lookupsPerMinute, version, await deedsOf(ledger, id)]).toEqual([
        null,
        3,
        [expect.anything(), expect.anything(), expect.anything()],
      ]);
    });

    it('keeps the typed text where it is wrong', async () => {
      const { id } = await service.given.client();
      await service.given.client({ name: 'Taken' });
      const wrong = await save(id, {
        version: '1',
        name: '',
        contactPhone: 'ring <me>',
        inFlight: '0',
      });
      expect(faults(wrong)).toEqual([
        422,
        {
          name: 'Enter the company name.',
          contactPhone:
            'Enter a phone number with digits, spaces, brackets, dots and hyphens only.',
          inFlight: 'Enter a whole number from 1 to 100,000.',
        },
      ]);
      const taken = await save(id, { version: '1', name: 'Taken', contactName: 'Joan' });
      expect(faults(taken)).toEqual([
        422,
        { name: 'There is an API client named "Taken" already.' },
      ]);
      expect([valueOf(taken, 'contactName'), valueOf(taken, 'version')]).toEqual(['Joan', '1']);
    });

    it('shows the second of two editors what the first has saved, and then saves', async () => {
      const { id } = await service.given.client({ name: 'Contested Ltd' });
      const first = await save(id, { version: '1', name: 'Contested Ltd', contactName: 'First' });
      const own = { name: 'Contested Ltd', contactName: 'Second' };
      const second = await save(id, { ...own, version: '1' });
      expect([first.status, ...told(second)]).toEqual([
        303,
        409,
        'Ada Admin has edited this client since you opened the form.',
      ]);
      expect(facts(second)).toEqual({ 'Contact name': 'First' });
      expect([valueOf(second, 'contactName'), valueOf(second, 'version')]).toEqual(['Second', '2']);
      expect((await service.get(ClientsService).find(id)).contactName).toBe('First');
      expect((await save(id, { ...own, version: '2' })).status).toBe(303);
      expect((await service.get(ClientsService).find(id)).contactName).toBe('Second');
    });

    it('puts nothing back that the second of two editors has not changed', async () => {
      const { id } = await service.given.client({ name: 'Shared Ltd' });
      const seen = valueOf(await formOf(id), 'seen')!;
      const before = JSON.parse(seen) as Record<string, string>;
      await save(id, {
        ...{ ...before, version: '1' },
        ...{ contactPhone: '020 7946 0999', contactEmail: 'joan@reseller.example' },
      });
      const own = {
        ...before,
        version: '1',
        seen,
        contactName: 'Joan',
        contactEmail: 'j@x.example',
      };
      const refused = await save(id, own);
      expect([refused.status, facts(refused)]).toEqual([409, { Email: 'joan@reseller.example' }]);
      expect(refused.text).toContain('You have not changed Phone: the form now has what is saved.');
      const kept = ['contactName', 'contactPhone', 'contactEmail', 'version', 'seen'].map(
        (name) => [name, valueOf(refused, name)!] as const,
      );
      expect((await save(id, { ...own, ...Object.fromEntries(kept) })).status).toBe(303);
      expect(await service.get(ClientsService).find(id)).toMatchObject({
        contactName: 'Joan',
        contactPhone: '020 7946 0999',
        contactEmail: 'j@x.example',
      });
    });

    it('offers the price lists of the live catalogue, and keeps one that is not there', async () => {
      const { id } = await service.given.client({ priceList: 'autumn' });
      const { text } = await formOf(id);
      const options = [...text.matchAll(/<option value="([a-z]*)"( selected)?>([^<]*)/g)];
      expect(options.map((one) => one.slice(1)).slice(0, 3)).toEqual([
        ['autumn', ' selected', 'autumn (not in the live catalogue)'],
        ['partner', undefined, 'partner'],
        ['standard', undefined, 'standard'],
      ]);
      const page = await admin.get(`/staff/clients/${id}`);
      expect(told(page)).toEqual([200, 'The live catalogue has no price list autumn.']);
      const list = rows(await admin.get('/staff/clients'));
      expect(list.find((row) => row[2]?.includes('autumn'))?.[2]).toBe(
        'autumn Not in the live catalogue',
      );
    });

    it('is not found for an unknown client', async () => {
      for (const id of ['unknown', '01890000-0000-7000-8000-000000000000']) {
        expect([(await formOf(id)).status, (await save(id, { version: '1' })).status]).toEqual([
          404, 404,
        ]);
      }
    });
  });

  it('a test and a live token are issued together, with a text to send', async () => {
    const client = await service.given.client({ name: 'Paired Ltd' });
    const page = await admin.post(`/staff/clients/${client.id}/tokens/pair`);
    expect(told(page)).toEqual([200, 'Tokens issued. Copy them now: they are not shown again.']);
    const [, text = ''] = /<textarea[^>]*>(.*?)<\/textarea>/s.exec(page.text) ?? [];
    expect(text.match(/pas_\w{44}/g)).toEqual([
      expect.stringMatching(/^pas_test_/),
      expect.stringMatching(/^pas_live_/),
      expect.stringMatching(/^pas_test_/),
    ]);
    expect(text).toContain(`Quick start: ${service.config.publicUrl}/docs/quick-start`);
    const statuses = [];
    for (const token of new Set(text.match(/pas_\w{44}/g))) {
      statuses.push((await service.http.get('/product-availability/me', { token })).status);
    }
    expect(statuses).toEqual([200, 200]);
    expect((await admin.get(`/staff/clients/${client.id}`)).text).not.toMatch(/pas_(?:test|live)_/);
    const everything = JSON.stringify(await ledger.rows('SELECT * FROM audit_entries'));
    expect(everything).not.toMatch(/pas_(?:test|live)_/);
  });

  it('the usage of the last 30 days counts checks, orders and errors of the client alone', async () => {
    const [client, other] = [await service.given.client(), await service.given.client()];
    const token = await service.given.token({ client });
    const test = await service.given.token({ client, kind: 'test' });
    const check = (postcode: string, by = token) =>
      service.http.get(`/product-availability/postcode/${postcode}`, { token: by });
    for (const postcode of ['EC2A2BS', 'EC2A2BS', 'AB101AB', 'nowhere', 'nothing'])
      await check(postcode);
    await check('nowhere', test);
    await check('EC2A2BS', await service.given.token({ client: other }));
    const { orderId } = await service.given.order({ token });
    const { orderId: repeated } = await service.given.order({ token });
    const marked = await postAsStaff(
      service.http,
      `/follow-up/orders/${repeated}/duplicate`,
      { version: 0, of: orderId },
      { token: await service.given.staffToken() },
    );
    expect(marked.status).toBe(200);
    await service.flushChecks();
    const page = await admin.get(`/staff/clients/${client.id}`);
    expect(facts(page)).toMatchObject({
      Checks: '3, of which 2 found a product',
      Orders: '1, of which 0 are won',
      Ordered: '50.0 % of the checks that found a product',
      Won: '0.0 % of the orders',
      'Open now': '2 orders and enquiries',
    });
    const errors = rows(page).filter(([code]) => code === 'invalid-postcode');
    expect(errors.map((cells) => cells.slice(0, 3))).toEqual([
      ['invalid-postcode', 'Live', '2'],
      ['invalid-postcode', 'Test', '1'],
    ]);
    expect(facts(await admin.get(`/staff/clients/${other.id}`)).Errors).toBe('None');
  });

  it('the list is sorted by last use, and searched when there are many', async () => {
    const names = ['Sorted Old', 'Sorted New', 'Sorted Never'];
    const [old, fresh] = [
      await service.given.client({ name: names[0]! }),
      await service.given.client({ name: names[1]! }),
      await service.given.client({ name: names[2]! }),
    ];
    for (const client of [old, fresh]) {
      const token = await service.given.token({ client });
      await service.http.get('/product-availability/me', { token });
      await service.get(AccessService).writeLastUse();
      service.clock.advance({ minutes: 1 });
    }
    const shown = async (query: string) => {
      const page = await admin.get(`/staff/clients?${query}`);
      const found = rows(page)
        .slice(1)
        .map(([name]) => name!);
      return [found.filter((name) => name.startsWith('Sorted')), page.text];
    };
    expect((await shown(''))[0]).toEqual(['Sorted Never', 'Sorted New', 'Sorted Old']);
    const [byUse, html] = await shown('sort=-used');
    expect(byUse).toEqual(['Sorted New', 'Sorted Old', 'Sorted Never']);
    expect(html).toContain('aria-sort="descending"');
    expect((await shown('sort=used'))[0]).toEqual(['Sorted Never', 'Sorted Old', 'Sorted New']);
    expect((await shown('q=sorted+nev'))[0]).toEqual(['Sorted Never']);
    expect((await shown('q=nothing-like-this'))[1]).toContain('No API client matches.');
  });
});
