import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { ApiClient } from '../../src/clients/api-client.entity.js';
import { DIRECT_CLIENT } from '../../src/clients/direct-client.js';
import { Transactions } from '../../src/database/transactions.js';
import { Order } from '../../src/orders/order.entity.js';
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
      expect(sent.map(({ status, headers }) => `${status} ${headers.location}`)).toEqual(
        Array(2).fill(`303 /staff/orders/${enquiry!.id}?said=enquiry-logged`),
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
      expect(text).toContain('sent the enquiry for the client, and');
      expect(text).toContain(typed.description);
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
      expect([refused.status, await enquiriesOf(DIRECT_CLIENT.id)]).toEqual([400, []]);
      expect(refused.text).toContain('Name: enter the name of the caller.');
      expect(refused.text).toContain('Phone: enter a phone number or an email address.');
      expect(refused.text).toContain(typed.description);
      await browser.post(action, { ...fields, ...typed });
      const second = formOf(await open(''));
      await browser.post(second.action, { ...second.fields, ...typed, name: 'Ada' });
      expect(await enquiriesOf(DIRECT_CLIENT.id)).toMatchObject([
        { kind: 'enquiry', contactName: 'Grace Hopper', priceList: 'standard' },
        { kind: 'enquiry', contactName: 'Ada' },
      ]);
      const { text } = await browser.get('/staff/check');
      expect(text).not.toContain(DIRECT_CLIENT.id);
    });

    it('and shows the faults of a form, and a changed form that was already sent', async () => {
      const { action, fields } = formOf(await open(client.id));
      const wrong = { ...fields, ...typed, bandwidth: 'much', notes: '</textarea><b>' };
      const refused = await browser.post(action, wrong);
      expect([refused.status, await enquiriesOf(client.id)]).toEqual([400, []]);
      expect(refused.text).toContain('href="#bandwidth"');
      expect(refused.text).toContain('&lt;/textarea>&lt;b>');
      await browser.post(action, { ...fields, ...typed });
      const changed = await browser.post(action, { ...fields, ...typed, term: '12' });
      expect([changed.status, (await enquiriesOf(client.id)).length]).toEqual([422, 1]);
      expect(changed.text).toContain('This form has already logged an enquiry');
      expect(formOf(changed).fields.key).not.toBe(fields.key);
    });
  });
});
