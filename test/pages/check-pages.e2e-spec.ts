import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { AuditEntry } from '../../src/platform/audit/audit-entry.entity.js';
import { CheckCodes } from '../../src/availability/check-numbers.js';
import { CheckRow } from '../../src/availability/check.entity.js';
import type { ApiClient } from '../../src/clients/api-client.entity.js';
import { Transactions } from '../../src/platform/database/transactions.js';
import type { Tx } from '../../src/platform/database/engine/tx.js';
import { nextDueOf, Order } from '../../src/orders/record/order.entity.js';
import { smallCatalogue } from '../support/given.js';
import type { Reply } from '../support/http.js';
import { onOneEngine, type Service, startService } from '../support/service.js';
import { StaffBrowser } from '../support/staff-browser.js';

const EVIL = '"><script>alert(1)</script>';

/** The order form, as a browser would send it. */
function formOf({ text }: Reply<string>): { action: string; fields: Record<string, string> } {
  const form = /<form method="post" action="(\/staff\/check\/[^"]*)"[^>]*>.*?<\/form>/s.exec(text);
  if (!form) throw new Error(`There is no form of an order: ${text.slice(-800)}`);
  const hidden = [...form[0].matchAll(/<input type="hidden" name="(\w+)" value="([^"]*)"/g)];
  return {
    action: form[1]!,
    fields: Object.fromEntries(hidden.map(([, name, value]) => [name!, value!])),
  };
}

/** In the address that follows: the draft that is saved. */
const draftOf = (action: string) => encodeURIComponent(action.replace('/staff/', ''));

onOneEngine('the page that checks a postcode', (engine) => {
  let service: Service;
  let browser: StaffBrowser;
  let client: ApiClient;
  const rows = <T>(work: (tx: Tx) => Promise<T>) => service.get(Transactions).read(work);
  const checks = async () => {
    await service.flushChecks();
    const found = await rows((tx) => tx.findBy(CheckRow, { clientId: client.id }));
    const codes = service.get(CheckCodes);
    return found.map((row) => ({ ...row, id: codes.codeOf(row.number) }));
  };
  const orders = () => rows((tx) => tx.findBy(Order, { clientId: client.id }));
  /** From the table of offers to the order form. */
  const choose = async (product = 'INT-1G-12', postcode = 'EC2A 2BS') => {
    const fields = { postcode, client: client.id, product };
    const { status, headers } = await browser.post('/staff/check', fields);
    expect(status).toBe(303);
    return browser.get(headers.location!);
  };

  beforeAll(async () => {
    service = await startService(engine, { config: { priceHoldMinutes: 30 } });
    browser = await StaffBrowser.signedIn(service, { name: 'Sam Okafor' });
  });
  beforeEach(async () => {
    await service.given.catalogue();
    client = await service.given.client({ priceList: 'partner' });
  });

  describe('shows', () => {
    it('the offers at the prices of the chosen client, and records nothing', async () => {
      const path = `/staff/check?postcode=ec2a2bs&client=${client.id}`;
      const { status, text } = await browser.get(path);
      expect([status, text.includes('£499.50'), text.includes('£550.00')]).toEqual([
        200,
        true,
        false,
      ]);
      expect(text).toContain('<h1>EC2A 2BS: 3 products</h1>');
      expect(text).toContain('The subdistrict EC2A is in the zone ONNET.');
      expect(await checks()).toEqual([]);
    });

    it('standard prices without a client, and no order buttons', async () => {
      const { text } = await browser.get('/staff/check?postcode=EC2A+2BS&client=');
      expect([text.includes('£550.00'), text.includes('name="product"')]).toEqual([true, false]);
      expect(text).toContain('To order, choose the client above');
    });

    it('bandwidths as rows and terms as columns, with the price in the cell that orders', async () => {
      const { text } = await browser.get(`/staff/check?postcode=EC2A+2BS&client=${client.id}`);
      const [, table = ''] = /<table class="matrix">(.*?)<\/table>/s.exec(text) ?? [];
      const words = (html: string) =>
        html
          .replaceAll(/<[^>]*>/g, ' ')
          .replaceAll(/\s+/g, ' ')
          .trim();
      const rows = [...table.matchAll(/<tr>(.*?)<\/tr>/gs)].map(([, row = '']) =>
        [...row.matchAll(/<t[hd][^>]*>(.*?)<\/t[hd]>/gs)].map(([, cell = '']) => words(cell)),
      );
      expect(rows).toEqual([
        ['Bandwidth, lead time', '12 months', '36 months'],
        [
          '100 Mbit/s on 1 Gbit/s, 10 days',
          expect.stringMatching(/^Order 12 months £[\d.]+ 100M Internet on a 1G bearer/),
          '',
        ],
        [
          '1 Gbit/s on 10 Gbit/s, 84 days',
          expect.stringMatching(/^Order 12 months £499\.50 1G Internet on a 10G bearer/),
          expect.stringMatching(/^Order 36 months £[\d.]+ 1G Internet on a 10G bearer/),
        ],
      ]);
      expect(table).toMatch(/<button type="submit" name="product" value="INT-1G-36"/);
    });

    it('the premises that are listed there, and the offers of the chosen one', async () => {
      const tower = '100023336956';
      await service.given.catalogue({
        prices: [...smallCatalogue.prices, 'INT-1G-12,LIT,standard,300.00,GBP,5'],
        premises: [`${tower},EC2A 2BS,Finsbury Tower,LIT`, '42,AB10 1AB,,LIT'],
      });
      const path = `/staff/check?client=${client.id}&postcode=`;
      const whole = await browser.get(`${path}EC2A+2BS`);
      expect(whole.text).toContain(`<option value="${tower}">Finsbury Tower (${tower})</option>`);
      expect([whole.text.includes('(42)'), whole.text.includes('£499.50')]).toEqual([false, true]);
      const chosen = await browser.get(`${path}EC2A+2BS&uprn=${tower}`);
      expect(chosen.text).toContain(`<option value="${tower}" selected>`);
      expect([chosen.text.includes('£300.00'), chosen.text.includes('£499.50')]).toEqual([
        true,
        false,
      ]);
      const fields = { postcode: 'EC2A 2BS', uprn: tower, client: client.id, product: 'INT-1G-12' };
      const { headers } = await browser.post('/staff/check', fields);
      const { action, fields: hidden } = formOf(await browser.get(headers.location!));
      await browser.post(action, hidden);
      expect(await orders()).toMatchObject([{ uprn: Number(tower), amountMinor: 30_000 }]);
      const elsewhere = await browser.get(`${path}SW1A+1AA&uprn=${tower}`);
      expect(elsewhere.text).not.toContain('<select id="uprn"');
    });

    it('the name of premises that are not served, and not their postcode as unavailable', async () => {
      await service.given.catalogue({
        premises: ['42,EC2A 2BS,Dark House,-', '43,EC2A 2BS,,-'],
      });
      const at = async (place: string) => {
        const { text } = await browser.get(`/staff/check?postcode=${place}`);
        return { title: /<h1[^>]*>([^<]*)/.exec(text)?.[1], text };
      };
      const named = await at('EC2A+2BS&uprn=42');
      expect(named.title).toBe('Dark House: no products available');
      expect(named.text).toContain('Dark House is not served.');
      expect(named.text).not.toContain('Not available at EC2A 2BS');
      expect((await at('EC2A+2BS&uprn=43')).title).toBe(
        'The building with the UPRN 43: no products available',
      );
      const excluded = await at('EC2A+2BR');
      expect(excluded.title).toBe('EC2A 2BR: no products available');
      expect(excluded.text).toContain('We do not serve EC2A 2BR.');
    });

    it('the first day of sale at a planned place', async () => {
      await service.given.catalogue({ zones: ['ONNET,Lit,onNetWithBuild,2099-09-01,'] });
      const { text } = await browser.get('/staff/check?postcode=EC2A+2BS');
      expect(/<h1[^>]*>([^<]*)/.exec(text)?.[1]).toBe('EC2A 2BS: from 1 September 2099');
      expect(text).toContain('Planned: orders can be placed from 1 September 2099.');
      expect(text).not.toContain('Not available');
    });

    it('a link to the suggestion for a mistyped postcode, and keeps the typed one', async () => {
      const { status, text } = await browser.get(
        `/staff/check?postcode=EC2A+2B5&client=${client.id}`,
      );
      expect([status, text.includes('value="EC2A 2B5"')]).toEqual([400, true]);
      expect(text).toContain(`href="/staff/check?postcode=EC2A+2BS&amp;client=${client.id}"`);
    });

    it('a fault for no postcode, an unknown client and an unknown check', async () => {
      const none = await browser.get('/staff/check?postcode=');
      expect([none.status, none.text.includes('Enter a postcode.')]).toEqual([400, true]);
      const unknown = await browser.get('/staff/check?postcode=EC2A2BS&client=unknown');
      expect([unknown.status, unknown.text.includes('This client is no longer there')]).toEqual([
        400,
        true,
      ]);
      const evil = await browser.get(`/staff/check?postcode=${encodeURIComponent(EVIL)}`);
      expect([evil.status, evil.text.includes('<script>alert')]).toEqual([400, false]);
      expect((await browser.get('/staff/check/0000000000')).status).toBe(404);
    });
  });

  it('records a check for the chosen client, with the staff member', async () => {
    const found = await browser.get(`/staff/check?postcode=AB10+1AB&client=${client.id}`);
    expect(found.text).toContain(`Record this check for ${client.name}`);
    const fields = { postcode: 'AB10 1AB', client: client.id };
    const { headers } = await browser.post('/staff/check', fields);
    const noted = await browser.get(headers.location!);
    expect([noted.status, noted.text.includes('Check recorded.')]).toEqual([200, true]);
    await browser.get(headers.location!);
    expect(await checks()).toMatchObject([
      { postcode: 'AB10 1AB', productCount: 0, priceList: 'partner', staffId: browser.member.id },
    ]);
  });

  describe('places an order for the caller', () => {
    it('on the terms shown, audits who placed it, and redirects to it', async () => {
      const shown = await choose();
      expect([shown.status, shown.text.includes('£499.50')]).toEqual([200, true]);
      const { action, fields } = formOf(shown);
      const { status, headers } = await browser.post(action, {
        ...fields,
        name: 'Grace Hopper',
        phone: '+44 20 7946 0123',
        email: 'grace@example.com',
        reference: 'PO-1',
        notes: 'Ring twice.\r\nThen wait.',
      });
      const [order] = await orders();
      expect([status, headers.location]).toEqual([
        303,
        `/staff/orders/${order!.id}?said=order-taken&saved=${draftOf(action)}`,
      ]);
      const [check] = await checks();
      expect(order).toMatchObject({
        amountMinor: 49_950,
        checkId: check!.id,
        contactName: 'Grace Hopper',
        clientReference: 'PO-1',
        notes: 'Ring twice.\nThen wait.',
        state: 'in_progress',
        ownerId: browser.member.id,
        claimedAt: order!.receivedAt,
        firstContactAt: order!.receivedAt,
        lastContactAt: order!.receivedAt,
        contactAttempts: 1,
        nextDueAt: nextDueOf(order!),
      });
      expect(order!.nextDueAt < order!.receivedAt).toBe(true);
      const entries = await rows((tx) => tx.findBy(AuditEntry, { subjectId: order!.id }));
      expect(entries).toMatchObject([
        {
          action: 'received',
          actorType: 'staff',
          actorId: browser.member.id,
          actorName: 'Sam Okafor',
          details: {
            to: 'in_progress',
            source: 'telephone',
            channel: 'phone',
            result: 'reached',
          },
        },
      ]);
      const token = await service.given.token({ client });
      const theirs = await service.http.get(`/product-availability/order/${order!.id}`, { token });
      expect([theirs.status, theirs.body]).toMatchObject([200, { state: 'inProgress' }]);
    });

    it('with the extra charges that the caller accepts in advance, where there can be any', async () => {
      const label = 'Extra charges accepted in advance';
      expect((await choose()).text).not.toContain(label);
      await service.given.catalogue({
        prices: ['INT-1G-12,ONNET,standard,550.00,GBP,84,,subjectToSurvey,yes'],
      });
      const shown = await choose();
      expect(shown.text).toContain(label);
      const { action, fields } = formOf(shown);
      const wrong = await browser.post(action, { ...fields, acceptExtraUpTo: '-1' });
      expect([wrong.status, wrong.text.includes('up to: </b>Enter an amount from 0.')]).toEqual([
        422,
        true,
      ]);
      await browser.post(action, { ...fields, acceptExtraUpTo: '500.50' });
      expect(await orders()).toMatchObject([{ acceptExtraMinor: 50_050 }]);
    });

    it('once, however often the form is sent', async () => {
      const { action, fields } = formOf(await choose());
      const sent = await Promise.all([1, 2, 3].map(() => browser.post(action, fields)));
      const again = await browser.post(action, fields);
      const places = [...sent, again].map(({ status, headers }) => `${status} ${headers.location}`);
      const [order, ...others] = await orders();
      expect(others).toEqual([]);
      expect(new Set(places)).toEqual(
        new Set([`303 /staff/orders/${order!.id}?said=order-taken&saved=${draftOf(action)}`]),
      );
    });

    it('and asks before a changed form places another one', async () => {
      const { action, fields } = formOf(await choose());
      await browser.post(action, fields);
      const other = await browser.post(action, { ...fields, notes: 'Other words.' });
      expect([other.status, (await orders()).length]).toEqual([422, 1]);
      expect(other.text).toContain('This form has already placed an order');
      expect(other.text).toContain('Other words.');
      const next = formOf(other);
      expect(next.fields.key).not.toBe(fields.key);
      expect((await browser.post(next.action, next.fields)).status).toBe(303);
    });

    it('and shows the faults of a form, with the typed values escaped', async () => {
      const { action, fields } = formOf(await choose());
      const typed = {
        name: EVIL,
        email: 'nonsense',
        notes: '</textarea><b>',
        reference: 'x'.repeat(65),
      };
      const { status, text } = await browser.post(action, { ...fields, ...typed });
      expect([status, (await orders()).length]).toEqual([422, 0]);
      expect(text).toContain('Enter an email address, such as ada@example.com.');
      expect(text).toContain('href="#reference"');
      expect(text).toContain('value="&quot;>&lt;script>alert(1)&lt;/script>"');
      expect(text).toContain('&lt;/textarea>&lt;b>');
      expect(text).toContain(fields.key);
    });

    it('and shows a changed offer before it places the order', async () => {
      const { action, fields } = formOf(await choose());
      await talk();
      await dearer();
      const changed = await browser.post(action, { ...fields, notes: 'Kept.' });
      expect([changed.status, (await orders()).length]).toEqual([409, 0]);
      expect(changed.text).toContain('The offer has changed since you looked');
      expect(changed.text).toContain('£520.00');
      expect(changed.text).toContain('£499.50');
      expect(changed.text).toContain('Kept.');
      const next = formOf(changed);
      const placed = await browser.post(next.action, next.fields);
      expect([placed.status, (await orders())[0]?.amountMinor]).toEqual([303, 52_000]);
    });

    it.each([
      ['JPY', '5000', 'JP¥5,000', '6000', 'JP¥6,000'],
      ['KWD', '12.345', 'KWD\u00a012.345', '13', 'KWD\u00a013.000'],
    ])(
      'with amounts in %s with its decimals',
      async (currency, amount, shown, dearer, shownDearer) => {
        const at = (price: string) => ({ prices: [`INT-1G-12,ONNET,,${price},${currency},84`] });
        await service.given.catalogue(at(amount));
        const { text } = await browser.get(`/staff/check?postcode=EC2A+2BS&client=${client.id}`);
        expect(text).toContain(`<strong>${shown}</strong>`);
        const form = await choose();
        expect(form.text).toContain(`<strong>${shown}</strong>`);
        await service.given.catalogue(at(dearer));
        await talk();
        const { action, fields } = formOf(form);
        const changed = await browser.post(action, fields);
        expect(changed.text).toContain(`<strong>${shownDearer}</strong> <del>${shown}</del>`);
      },
    );

    it('at the premises of the caller, also after their price has changed', async () => {
      const tower = '100023336956';
      const sell = (price: string) =>
        service.given.catalogue({
          prices: [...smallCatalogue.prices, `INT-1G-12,LIT,standard,${price},GBP,5`],
          premises: [`${tower},EC2A 2BS,Finsbury Tower,LIT`],
        });
      await sell('300.00');
      const place = { postcode: 'EC2A 2BS', uprn: tower };
      const chosen = { ...place, client: client.id, product: 'INT-1G-12' };
      const { headers } = await browser.post('/staff/check', chosen);
      const { action, fields } = formOf(await browser.get(headers.location!));
      await talk();
      await sell('310.00');
      const changed = await browser.post(action, fields);
      const next = formOf(changed);
      const placed = await browser.post(next.action, next.fields);
      expect([changed.status, placed.status]).toEqual([409, 303]);
      expect(await orders()).toMatchObject([{ uprn: Number(tower), amountMinor: 31_000 }]);
    });

    it('at the price shown while the price hold lasts', async () => {
      const { action, fields } = formOf(await choose());
      await dearer();
      expect((await browser.post(action, fields)).status).toBe(303);
      expect((await orders())[0]?.amountMinor).toBe(49_950);
    });

    it('and offers other products when the chosen one is no longer sold', async () => {
      const { action, fields } = formOf(await choose());
      await talk();
      const others = smallCatalogue.prices.filter((line) => !/^INT-1G-12,ONNET/.test(line));
      await service.given.catalogue({ prices: others });
      const gone = await browser.post(action, { ...fields, notes: 'Kept.' });
      expect([gone.status, (await orders()).length]).toEqual([409, 0]);
      expect(gone.text).toContain('This product is no longer sold there');
      expect(gone.text).toContain('<select required id="productCode" name="productCode"');
      const next = formOf(gone);
      const placed = await browser.post(next.action, { ...next.fields, productCode: 'INT-1G-36' });
      expect([placed.status, (await orders())[0]?.productCode]).toEqual([303, 'INT-1G-36']);
    });

    /** Longer than the price hold, in steps that keep the session alive. */
    const talk = async () => {
      for (const minutes of [20, 20]) {
        service.clock.advance({ minutes });
        await browser.get('/staff/check');
      }
    };
    const dearer = () =>
      service.given.catalogue({
        prices: smallCatalogue.prices.map((line) => line.replace('499.50', '520.00')),
      });
  });

  it('shows a check of a client’s own system, and orders on its terms', async () => {
    const token = await service.given.token({ client });
    const { body } = await service.http.get<{ id: string }>(
      '/product-availability/postcode/EC2A2BS',
      { token },
    );
    const shown = await browser.get(`/staff/check/${body.id.toLowerCase()}`);
    expect([shown.status, shown.text.includes(client.name)]).toEqual([200, true]);
    expect(shown.text).toContain(`/staff/check/${body.id}/order?product=INT-1G-12`);
    const wrong = await browser.get(`/staff/check/${body.id}/order?product=INT-100G-60`);
    expect(wrong.status).toBe(404);
  });

  it('requires a sign-in, and refuses forms of foreign pages', async () => {
    const visitor = new StaffBrowser(service);
    expect((await visitor.get('/staff/check')).headers.location).toMatch(/^\/staff\/sign-in/);
    const foreign = await browser.send({
      method: 'POST',
      path: '/staff/check',
      headers: {
        'Sec-Fetch-Site': 'cross-site',
        'Content-Type': 'application/x-www-form-urlencoded',
      },
      body: `postcode=EC2A2BS&client=${client.id}`,
    });
    expect([foreign.status, await checks()]).toEqual([403, []]);
  });
});
