import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type ApiClient, DIRECT_CLIENT } from '../../src/clients/api-client.entity.js';
import { ClientsService } from '../../src/clients/clients.service.js';
import type { OfferedProduct } from '../../src/catalogue/content/offer-fields.js';
import { newId } from '../../src/platform/database/new-id.js';
import { operator } from '../../src/platform/audit/audit.service.js';
import { Transactions } from '../../src/platform/database/transactions.js';
import { BespokeOffer } from '../../src/orders/record/bespoke-offer.entity.js';
import type { OfferState } from '../../src/orders/record/offer-states.js';
import { Order } from '../../src/orders/record/order.entity.js';
import type { Reply } from '../support/http.js';
import { type Service, startService } from '../support/service.js';
import { StaffBrowser } from '../support/staff-browser.js';

/** The form of a caller, as a browser would send it. */
function formOf({ text }: Reply<string>): { action: string; fields: Record<string, string> } {
  const form = /<form method="post" action="(\/staff\/check\/[^"]*)"[^>]*>.*?<\/form>/s.exec(text);
  if (!form) throw new Error(`There is no form: ${text.slice(-800)}`);
  const hidden = [...form[0].matchAll(/<input type="hidden" name="(\w+)" value="([^"]*)"/g)];
  return {
    action: form[1]!,
    fields: Object.fromEntries(hidden.map(([, name, value]) => [name!, value!])),
  };
}

/** The buttons of an order's page. */
function actionsIn(text: string): string {
  return /<div class="moves".*?<\/div>/s.exec(text)?.[0].replaceAll(/<[^>]*>/g, ' ') ?? 'no order';
}

describe('enquiries on the pages of staff', () => {
  let service: Service;
  let browser: StaffBrowser;
  let client: ApiClient;

  beforeAll(async () => {
    service = await startService('sqlite');
    browser = await StaffBrowser.signedIn(service, { name: 'Sam Okafor', role: 'manager' });
    await service.given.catalogue();
  });
  beforeEach(async () => {
    client = await service.given.client({ priceList: 'partner' });
  });

  describe('logs an enquiry', () => {
    const typed = {
      bandwidth: '10',
      term: '36',
      description: 'Dark fibre to the data centre.',
      name: 'Grace Hopper',
      phone: '+44 20 7946 0123',
      notes: 'Met at a fair.',
    };
    const open = async (of: string) => {
      const fields = { postcode: 'AB10 1AB', client: of, next: 'enquiry' };
      const { headers } = await browser.post('/staff/check', fields);
      return browser.get(headers.location!);
    };
    const enquiriesOf = (clientId: string) =>
      service
        .get(Transactions)
        .read((tx) => tx.find(Order, { where: { clientId }, order: { id: 'ASC' } }));

    it('for a client, once, as work of the person on the phone', async () => {
      const found = await browser.get(`/staff/check?postcode=AB10+1AB&client=${client.id}`);
      expect(found.text).toContain(`Log enquiry for ${client.name}`);
      const { action, fields } = formOf(await open(client.id));
      const sent = await Promise.all(
        [1, 2].map(() => browser.post(action, { ...fields, ...typed })),
      );
      const [enquiry, ...others] = await enquiriesOf(client.id);
      expect(others).toEqual([]);
      const draft = action.replace('/staff/', '');
      expect(sent.map(({ status, headers }) => `${status} ${headers.location}`)).toEqual(
        Array(2).fill(
          `303 /staff/orders/${enquiry!.id}?said=enquiry-logged&saved=${encodeURIComponent(draft)}`,
        ),
      );
      expect(enquiry).toMatchObject({
        kind: 'enquiry',
        reference: expect.stringMatching(/^ENQ-/),
        postcode: 'AB10 1AB',
        checkId: /check\/(\w+)\//.exec(action)?.[1],
        wanted: { bandwidth: 10, term: 36, description: typed.description },
        contactName: 'Grace Hopper',
        notes: 'Met at a fair.',
        state: 'in_progress',
        ownerId: browser.member.id,
        contactAttempts: 1,
      });
      const said = await browser.get(sent[0]!.headers.location!);
      const { text } = await browser.get(said.headers.location!);
      expect(text).toContain('Enquiry logged. It is yours');
      expect(text).toContain('logged this enquiry during a call');
      expect(text).toContain(typed.description);
      expect(text).toContain('nothing available (catalogue version 1)');
      expect([/\border\b/i.test(actionsIn(text)), text.includes('value="win"')]).toEqual([
        false,
        false,
      ]);
      const cancel = await browser.get(`/staff/orders/${enquiry!.reference}/cancel`);
      expect(cancel.text).toContain('The client will see that the enquiry is cancelled.');
      expect(cancel.text).toContain('Keep enquiry');
      const list = await browser.get(`/staff/queue?view=mine&client=${client.id}&kind=enquiry`);
      expect(list.text).toMatch(
        /<span class="state kind">.*?Enquiry<\/span><small> 10 Gbit\/s<\/small>/s,
      );
      expect(list.text).toContain('aria-label="Remove filter: Kind"');
      const orders = await browser.get(`/staff/queue?view=mine&client=${client.id}&kind=order`);
      expect(orders.text).not.toContain(enquiry!.reference);
    });

    it('for a caller who is no client, with name and contact', async () => {
      const form = await open('');
      expect(form.text).toContain('No client yet');
      const { action, fields } = formOf(form);
      const anonymous = { ...typed, name: '', phone: '' };
      const refused = await browser.post(action, { ...fields, ...anonymous });
      expect([refused.status, await enquiriesOf(DIRECT_CLIENT.id)]).toEqual([422, []]);
      expect(refused.text).toContain('Enter the name of the caller.');
      expect(refused.text).toContain('Enter a phone number or an email address.');
      expect(refused.text).toContain(typed.description);
      await browser.post(action, { ...fields, ...typed });
      const second = formOf(await open(''));
      await browser.post(second.action, { ...second.fields, ...typed, name: 'Ada' });
      const found = await enquiriesOf(DIRECT_CLIENT.id);
      const ways = await Promise.all(
        ['cancel', 'lose'].map((way) => browser.get(`/staff/orders/${found[0]!.reference}/${way}`)),
      );
      for (const way of ways) expect(way.text).toContain('The caller is not notified: call them.');
      expect(found).toMatchObject([
        { kind: 'enquiry', contactName: 'Grace Hopper', priceList: 'standard' },
        { kind: 'enquiry', contactName: 'Ada' },
      ]);
      const { text } = await browser.get('/staff/check');
      expect(text).not.toContain(DIRECT_CLIENT.id);
      const direct = { ...client, ...DIRECT_CLIENT };
      await expect(service.given.token({ client: direct })).rejects.toThrow('has no tokens');
    });

    it('and shows the faults of a form, and a changed form that was already sent', async () => {
      const { action, fields } = formOf(await open(client.id));
      const wrong = { ...fields, ...typed, bandwidth: 'much', notes: '</textarea><b>' };
      const refused = await browser.post(action, wrong);
      expect([refused.status, await enquiriesOf(client.id)]).toEqual([422, []]);
      expect(refused.text).toContain('href="#bandwidth"');
      expect(refused.text).toContain('&lt;/textarea>&lt;b>');
      const vague = { ...fields, ...typed, bandwidth: '', description: ' ' };
      const empty = await browser.post(action, vague);
      expect([empty.status, await enquiriesOf(client.id)]).toEqual([422, []]);
      expect(empty.text).toContain('href="#description"');
      expect(empty.text).toContain('Describe it, or enter a bandwidth.');
      expect(empty.text).toContain('Met at a fair.');
      await browser.post(action, { ...fields, ...typed });
      const changed = await browser.post(action, { ...fields, ...typed, term: '12' });
      expect([changed.status, (await enquiriesOf(client.id)).length]).toEqual([422, 1]);
      expect(changed.text).toContain('This form has already logged an enquiry');
      expect(formOf(changed).fields.key).not.toBe(fields.key);
    });
  });

  it('takes no order for a client that was disabled after the check', async () => {
    const own = await service.given.client();
    const check = { postcode: 'EC2A 2BS', uprn: '', client: own.id, product: 'INT-1G-12' };
    const opened = await browser.post('/staff/check', check);
    const address = opened.headers.location!;
    expect((await browser.get(address)).status).toBe(200);
    await service.get(ClientsService).setEnabled(own.id, false, operator);
    expect((await browser.get(address)).status).toBe(404);
    const sent = await browser.post(address, { productCode: 'INT-1G-12', key: 'k' });
    expect(sent.status).toBe(404);
  });

  it('reports enquiries by area, with the time to an offer and what was won', async () => {
    const tell = async (postcode: string) => {
      const token = await service.given.token({ client });
      const { body } = await service.http.post<{ enquiryId: string }>(
        '/product-availability/enquiry',
        { postcode },
        { token },
      );
      return body.enquiryId;
    };
    const [won, expired] = [await tell('EC2A 2BS'), await tell('EC2A 2BS')];
    const third = await tell('AB10 1AB');
    // In steps that keep the session alive.
    for (const minutes of [20, 20, 20, 20, 10]) {
      service.clock.advance({ minutes });
      await browser.get('/staff/check');
    }
    const openedAt = service.clock.now();
    const anHourLater = new Date(openedAt.getTime() + 3_600_000);
    const offer = (enquiryId: string, monthlyMinor: number, state: OfferState, openedAt: Date) => ({
      id: newId(),
      reference: String(monthlyMinor).padStart(6, '0'),
      enquiryId,
      answer: 1,
      state,
      terms: {} as OfferedProduct,
      monthlyMinor,
      setupMinor: null,
      currency: 'GBP',
      termMonths: 36,
      validUntil: openedAt,
      note: null,
      createdAt: openedAt,
      createdBy: null,
      openedAt,
      approverId: null,
      endedAt: openedAt,
      orderId: null,
    });
    await service.get(Transactions).run(async (tx) => {
      await tx.insert(BespokeOffer, offer(won, 120_000, 'declined', openedAt));
      await tx.insert(BespokeOffer, offer(won, 90_050, 'accepted', anHourLater));
      // The client saw neither of these.
      const unseen = { openedAt: null, createdAt: openedAt };
      await tx.insert(BespokeOffer, { ...offer(won, 999_000, 'refused', openedAt), ...unseen });
      await tx.insert(BespokeOffer, { ...offer(third, 888_000, 'refused', openedAt), ...unseen });
      // The largest is the first of one enquiry, and the last of the other.
      await tx.insert(BespokeOffer, offer(expired, 30_000, 'expired', anHourLater));
      await tx.insert(BespokeOffer, offer(expired, 50_000, 'expired', anHourLater));
      const closed = { closedAt: openedAt };
      await tx.update(Order, { id: won }, { ...closed, state: 'won' });
      const reason = { state: 'lost', closeReason: 'offer_expired' } as const;
      await tx.update(Order, { id: expired }, { ...closed, ...reason });
    });
    const { text } = await browser.get(`/staff/reports/enquiries.csv?client=${client.id}`);
    expect(text.trim().split(/\r?\n/)).toEqual([
      'Area,Received,With an offer,Half offered within (minutes),Won,Lost,Expired,Cancelled,GBP per month offered,GBP per month won',
      'All areas,3,2,90,1,0,1,0,1700,900.5',
      'EC,2,2,90,1,0,1,0,1700,900.5',
      'AB,1,0,,0,0,0,0,0,0',
    ]);
    const shown = await browser.get(`/staff/reports/deals?client=${client.id}`);
    expect(shown.text).toContain(
      '3 enquiries, 2 with an offer; half of these had their first offer within 1 h 30 min',
    );
  });
});
