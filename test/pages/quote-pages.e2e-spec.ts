import { beforeAll, expect, it } from '@jest/globals';
import { ClientsService } from '../../src/clients/clients.service.js';
import { operator } from '../../src/platform/audit/audit.service.js';
import { quoteRequest, quotesOf } from '../support/quotes.js';
import { onBothEngines, type Service, startService } from '../support/service.js';
import { StaffBrowser } from '../support/staff-browser.js';

onBothEngines('the pages of quotes', (engine) => {
  let service: Service;
  let agent: StaffBrowser;
  let reference: string;
  let client: ReturnType<typeof quotesOf>;

  beforeAll(async () => {
    service = await startService(engine, { config: { rateLimits: false } });
    await service.given.catalogue();
    agent = await StaffBrowser.signedIn(service, { role: 'agent' });
    const reseller = await service.given.client({ name: 'Quill & Sons' });
    client = quotesOf(service, await service.given.token({ client: reseller }));
  });

  it('say that there are none', async () => {
    const { text } = await agent.get('/staff/quotes');
    expect(text).toContain('No quotes yet.');
    expect(text).toContain('href="/docs/quotes"');
  });

  it('list the quotes of all clients with the states of their lines, but none of the sandbox', async () => {
    const { body } = await client.send({ ...quoteRequest, customer: '<Fernhill>' });
    reference = body.quoteReference;
    await client.accept(body.quoteId, { lines: ['1'] });
    const tester = quotesOf(service, await service.given.token({ kind: 'test' }));
    const test = await tester.send({ wanted: { bandwidth: 1 }, sites: [{ postcode: 'ZZ99 1AA' }] });
    const { text } = await agent.get('/staff/quotes');
    expect(text).toContain(`href="/staff/quotes/${reference}">${reference}</a>`);
    expect(text).toContain('Quill &amp; Sons');
    expect(text).toContain('&lt;Fernhill>');
    expect(text).toContain('7 lines: 1 priced, 3 not available, 2 invalid, 1 ordered');
    expect(text).not.toContain(test.body.quoteReference);
    expect((await agent.get(`/staff/quotes/${test.body.quoteReference}`)).status).toBe(404);
  });

  it('show a quote with its answers, its totals and what became of its lines', async () => {
    const { status, text } = await agent.get(`/staff/quotes/${reference.toLowerCase()}`);
    expect(status).toBe(200);
    expect(text).toContain(`<h1>${reference}, &lt;Fernhill></h1>`);
    expect(text).toContain('their reference RFQ-118');
    expect(text).toMatch(/<th scope="row"[^>]*>firm<\/th>/);
    expect(text).toContain('£1,175.00');
    expect(text).toContain('INT-1G-36, set-up not stated, 84 days, firm');
    expect(text).toContain('The operator does not cover this place.');
    expect(text).toContain('Did you mean EC2A 2DS?');
    const [, order] = /<a href="(\/staff\/orders\/[0-9a-f-]{36})">ordered<\/a>/.exec(text)!;
    const { location } = (await agent.get(order!)).headers;
    const { text: ordered } = await agent.get(location!);
    const [, quote] = /<a href="(\/staff\/quotes\/[0-9a-f-]{36})">line 1 of the quote<\/a>/.exec(
      ordered,
    )!;
    expect((await agent.get(quote!)).text).toContain(`<h1>${reference}`);
    expect(text).toContain('href="/staff/check?postcode=AB10+1AB">AB10 1AB</a>');
  });

  it('are found by the reference, and exported', async () => {
    const found = await agent.get(`/staff/search?q=${reference.toLowerCase()}`);
    expect([found.status, found.headers.location]).toEqual([303, `/staff/quotes/${reference}`]);
    const { text, headers } = await agent.get(`/staff/quotes/${reference}.csv`);
    expect(headers['content-disposition']).toBe(`attachment; filename="${reference}.csv"`);
    expect(text.trimEnd().split('\r\n')).toHaveLength(8);
    expect((await agent.get('/staff/quotes/QUO-000000')).status).toBe(404);
  });

  it('show many lines and many quotes in parts', async () => {
    const many = Array.from({ length: 201 }, (_, i) => ({ site: `Unit ${i}`, postcode: 'N1 1AA' }));
    const { body } = await client.send({ wanted: { bandwidth: 1 }, sites: many });
    const path = `/staff/quotes/${body.quoteReference}`;
    const first = (await agent.get(path)).text;
    expect([first.includes('Unit 199<'), first.includes('Unit 200<')]).toEqual([true, false]);
    expect(first).toContain(`href="${path}?from=200"`);
    const second = (await agent.get(`${path}?from=200`)).text;
    expect([second.includes('Unit 199<'), second.includes('Unit 200<')]).toEqual([false, true]);
    for (let i = 0; i < 50; i += 1) await client.made();
    const [, older] = /href="(\/staff\/quotes\?cursor=[^"]+)"/.exec(
      (await agent.get('/staff/quotes')).text,
    )!;
    expect((await agent.get(older!)).text).toContain(reference);
  });

  it('make a quote for a client from cells that were copied from a spreadsheet, once', async () => {
    const reseller = await service.given.client({ name: 'Larkspur' });
    const off = await service.given.client({ name: 'Gone' });
    await service.get(ClientsService).setEnabled(off.id, false, operator);
    const list = await agent.get('/staff/quotes');
    expect(list.text).toContain('href="/staff/quotes/new"');
    const form = await agent.get('/staff/quotes/new');
    expect(form.text).toContain('>Larkspur</option>');
    expect(form.text).not.toContain('>Gone</option>');
    const [, key] = /name="key" value="([^"]+)"/.exec(form.text)!;
    const rows = Array.from({ length: 600 }, (_row, n) => `Site ${n}\tEC2A 2BS\t1G\t36 months`);
    const sites = ['Site\tPostcode\tBandwidth\tTerm', ...rows, 'Typo\tEC2A 20S\t\t'].join('\r\n');
    const sent = { key: key!, client: reseller.id, customer: 'Fernhill', sites, bandwidth: '0.1' };
    const made = await agent.post('/staff/quotes', sent);
    const [, named] = /^\/staff\/quotes\/(QUO-\w+)\?said=quote-made/.exec(made.headers.location!)!;
    const again = await agent.post('/staff/quotes', sent);
    expect([made.status, again.headers.location]).toEqual([303, made.headers.location]);
    const { text } = await agent.get(made.headers.location!);
    expect(text).toContain('Quote made. The client can read it, too.');
    expect(text).toContain('601 lines: 600 priced, 1 invalid');
    const own = quotesOf(service, await service.given.token({ client: reseller }));
    const { items } = await own.list();
    expect(items.map(({ quoteReference, customer }) => [quoteReference, customer])).toEqual([
      [named, 'Fernhill'],
    ]);
    const refused = async (about: object) => {
      const { status, text: drawn } = await agent.post('/staff/quotes', { ...sent, ...about });
      return [status, /id="sites-fault"[^>]*>([^<]*)</.exec(drawn)?.[1]];
    };
    expect(await refused({ sites: 'Site\tSpeed\nHQ\t1G' })).toEqual([
      422,
      expect.stringContaining('Line 1, column 2: There is no column of this name.'),
    ]);
    expect(await refused({ sites: 'Postcode\n' })).toEqual([422, 'There is no row with a site.']);
    const many = Array.from({ length: 2_001 }, () => 'N1').join('\n');
    expect(await refused({ sites: `postcode\n${many}` })).toEqual([
      422,
      'Paste at most 2,000 sites.',
    ]);
    expect((await agent.post('/staff/quotes', { ...sent, client: off.id })).status).toBe(422);
  });
});
