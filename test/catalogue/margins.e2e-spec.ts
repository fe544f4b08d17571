import { beforeAll, expect, it } from '@jest/globals';
import type { Scope } from '../../src/platform/access/scopes.js';
import { operator } from '../../src/platform/audit/audit.service.js';
import { ImportService } from '../../src/catalogue/versions/import.service.js';
import { folderWithBook } from '../support/cost-books.js';
import { onOneEngine, type Service, startService } from '../support/service.js';
import { StaffBrowser } from '../support/staff-browser.js';
import { postAsStaff } from '../support/moves.js';

onOneEngine('margins', (engine) => {
  let service: Service;

  beforeAll(async () => {
    service = await startService(engine);
    await service.get(ImportService).importFiles(await folderWithBook(), {
      ...{ label: 'test', actor: operator, activate: true, accept: 'test' },
    });
  });

  /** An enquiry of a member of staff who answers it. */
  const enquiryAt = async (postcode: string, bandwidth: number) => {
    const client = await service.given.token();
    const { body } = await service.http.post<{ enquiryId: string; message: string }>(
      '/product-availability/enquiry',
      { postcode, wanted: { bandwidth, term: 24 } },
      { token: client },
    );
    const author = await service.given.staff({ role: 'agent' });
    const token = await service.given.token({ staff: author });
    const path = `/follow-up/orders/${body.enquiryId}`;
    await postAsStaff(service.http, `${path}/claim`, { version: 0 }, { token });
    const { body: claimed } = await service.http.get<{ order: { version: number } }>(path, {
      token,
    });
    const reference = /ENQ-[0-9A-Z]{6}/.exec(body.message)![0];
    const { version } = claimed.order;
    const accept = async (offerId: string) => {
      const acceptance = `/product-availability/enquiry/${body.enquiryId}/acceptance`;
      const { status } = await service.http.post(acceptance, { offerId }, { token: client });
      expect(status).toBe(201);
    };
    return { author, token, path, version, accept, page: `/staff/orders/${reference}` };
  };

  /** An offer at `M1 1AE`: there, 100 Mbit/s cost 100.00 a month, and the floor of the margin is 5 %. */
  const offerAt = async (price: number, bandwidth = 0.1, postcode = 'M1 1AE') => {
    const { token, path, version, accept, page } = await enquiryAt(postcode, bandwidth);
    const line = {
      ...{ name: 'Over copper', bandwidthProvisioned: bandwidth, term: 24, price },
      ...{ currency: 'GBP', leadTimeDays: 40, basis: 'firm' },
    };
    const sent = await service.http.post<{
      offers: { offerId: string; state: string; approvalReason: string | null }[];
    }>(`${path}/offers`, { version, offers: [line] }, { token });
    expect(sent.status).toBe(201);
    const { offerId, state, approvalReason } = sent.body.offers[0]!;
    expect(sent.text).not.toMatch(/"cost|100\.00/);
    return { state, approvalReason, page, accept: () => accept(offerId) };
  };

  it('let a manager approve an offer below the floor, and only managers see them', async () => {
    expect(await offerAt(105)).toMatchObject({ state: 'open', approvalReason: null });
    const below = await offerAt(104.99);
    expect(below).toMatchObject({
      state: 'awaitingApproval',
      approvalReason: 'below the floor of the margin',
    });
    const words = 'cost £100.00, margin £4.99 (5.0 %)';
    const manager = await StaffBrowser.signedIn(service, { role: 'manager' });
    expect((await manager.get('/staff/approvals')).text).toContain(words);
    expect((await manager.get(below.page)).text).toContain(words);
    const agent = await StaffBrowser.signedIn(service, { role: 'agent' });
    const { text } = await agent.get(below.page);
    expect(text).toContain('below the floor of the margin');
    expect(text).not.toMatch(/£100\.00|margin £/);
  });

  it('are in the check of an offer before it is sent, for those who may see them', async () => {
    const { author, version, page } = await enquiryAt('M1 1AE', 0.1);
    const agent = await StaffBrowser.signedIn(service, {}, author);
    const manager = await StaffBrowser.signedIn(service, { role: 'manager' });
    const checked = async (browser: StaffBrowser, price: string) => {
      const { status, text } = await browser.post(`${page}/answer`, {
        ...{ version: String(version), currency: 'GBP', 'name-1': 'Over copper' },
        ...{ 'bandwidthProvisioned-1': '0.1', 'term-1': '24', 'price-1': price },
        ...{ 'leadTimeDays-1': '40', 'basis-1': 'firm' },
      });
      expect([status, text.includes('Check before you send')]).toEqual([200, true]);
      return {
        isBelow: text.includes('below the floor of the margin'),
        margin: /cost £[^<]*%\)/.exec(text)?.[0],
      };
    };
    expect(await checked(agent, '104.99')).toEqual({ isBelow: true, margin: undefined });
    expect(await checked(agent, '105')).toEqual({ isBelow: false, margin: undefined });
    expect(await checked(manager, '104.99')).toEqual({
      isBelow: true,
      margin: 'cost £100.00, margin £4.99 (5.0 %)',
    });
  });

  it.each([
    ['of another bandwidth', 0.2, 'M1 1AE'],
    ['where the supplier sells nothing', 0.1, 'YO1 7HH'],
  ])('are unknown for an offer %s', async (_words, bandwidth, postcode) => {
    const offer = await offerAt(104.99, bandwidth, postcode);
    expect(offer).toMatchObject({ state: 'open', approvalReason: null });
    const manager = await StaffBrowser.signedIn(service, { role: 'manager' });
    const { text } = await manager.get(offer.page);
    expect(text).toContain('£104.99');
    expect(text).not.toContain('cost £');
  });

  it('are reported by supplier to those who may see them', async () => {
    const order = { postcode: 'M1 1AE', productCode: 'INT-100M-12' };
    await service.given.order(order);
    await service.given.order(order);
    await service.given.order({ postcode: 'EC2A 2BS', productCode: 'INT-1G-12' });
    // An accepted offer has the cost that it was compared with; at another bandwidth, there is none.
    for (const offer of [await offerAt(150), await offerAt(150, 0.2)]) await offer.accept();
    const path = '/follow-up/reports/margins';
    const report = async (...scopes: Scope[]) =>
      service.http.get<{ margins: object[] }>(path, {
        token: await service.given.staffToken(...scopes),
      });
    expect((await report('reports:read')).status).toBe(403);
    expect((await report('reports:read', 'margins:read')).body.margins).toEqual([
      {
        supplier: 'pxc',
        received: 4,
        unknown: 1,
        amounts: [{ currency: 'GBP', amount: 400 }],
        costs: [{ currency: 'GBP', amount: 300 }],
        margins: [{ currency: 'GBP', amount: 100 }],
        share: 0.25,
      },
    ]);
    const manager = await StaffBrowser.signedIn(service, { role: 'manager' });
    const { text } = await manager.get('/staff/reports/deals');
    expect(text).toContain('4, margin £100 of £400 a month');
    const csv = await manager.get('/staff/reports/margins.csv');
    expect(csv.text).toContain('pxc,4,1,400,300,100,0.25');
  });
});
