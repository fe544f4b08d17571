import { beforeAll, expect, it } from '@jest/globals';
import { ClientsService } from '../../src/clients/clients.service.js';
import { operator } from '../../src/platform/audit/audit.service.js';
import { quoteRequest, quotesOf } from '../support/quotes.js';
import { onOneEngine, type Service, startService } from '../support/service.js';
import { StaffBrowser } from '../support/staff-browser.js';

onOneEngine('the pages of quotes', (engine) => {
  let service: Service;
  let agent: StaffBrowser;
  let reference: string;
  let client: ReturnType<typeof quotesOf>;

  beforeAll(async () => {
    const config = { rateLimits: false, offerApprovalOver: { amount: 100_000, currency: 'GBP' } };
    service = await startService(engine, { config });
    await service.given.catalogue();
    agent = await StaffBrowser.signedIn(service, { role: 'agent' });
    const reseller = await service.given.client({ name: 'Quill & Sons' });
    client = quotesOf(service, await service.given.token({ client: reseller }));
  });

  it('say that there are none', async () => {
    const { text } = await agent.get('/staff/quotes');
    expect(text).toContain('No quotes yet.');
    expect(text).toContain('Quote a client to make one.');
  });

  it.each([
    ['/staff/quotes', '/staff/quotes/new'],
    ['/staff/quotes/QUO-7KT2-9XWB/answer', '/staff/quotes/QUO-7KT2-9XWB/enquiries'],
  ])(
    'lead back to the form of %s, which the browser has kept, after the end of a session',
    async (path, form) => {
      const { status, text } = await new StaffBrowser(service).send({
        method: 'POST',
        path,
        headers: { Accept: 'text/html', 'Sec-Fetch-Site': 'same-origin' },
      });
      expect(status).toBe(401);
      expect(text).toContain('Your browser has kept what you typed.');
      expect(text).toContain(`next=${encodeURIComponent(`${form}?resend`)}"`);
    },
  );

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
    expect(text).toContain('We do not cover this place.');
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

  it('are found by customer, and by the reference of the client', async () => {
    const { body } = await client.send({
      ...quoteRequest,
      customer: '100%_Wool',
      reference: 'W-7',
    });
    for (const q of ['%_wool', 'w-7', body.quoteReference.toLowerCase()]) {
      const { text } = await agent.get(`/staff/quotes?q=${encodeURIComponent(q)}`);
      expect([q, text.match(/QUO-\w{6}(?=<)/g)]).toEqual([q, [body.quoteReference]]);
    }
    const { text } = await agent.get('/staff/search?q=100%25_W');
    expect(text.match(/QUO-\w{6}(?=<)/g)).toEqual([body.quoteReference]);
    expect((await agent.get('/staff/quotes?q=wood')).text).toContain('No quotes found.');
  });

  it('are found by a customer with other letters than those of ASCII', async () => {
    const { body } = await client.send({ ...quoteRequest, customer: 'École Nord' });
    for (const q of ['École Nord', 'école nord', 'ÉCOLE']) {
      const { text } = await agent.get(`/staff/quotes?q=${encodeURIComponent(q)}`);
      expect([q, text.match(/QUO-\w{6}(?=<)/g)]).toEqual([q, [body.quoteReference]]);
    }
  });

  it('are none of a client whose id is none', async () => {
    const { status, text } = await agent.get('/staff/quotes?client=abc');
    expect([status, text.match(/QUO-\w{6}(?=<)/g)]).toEqual([200, null]);
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
    const many = Array.from({ length: 501 }, (_, i) => ({ site: `Unit ${i}`, postcode: 'N1 1AA' }));
    const { body } = await client.send({ wanted: { bandwidth: 1 }, sites: many });
    const path = `/staff/quotes/${body.quoteReference}`;
    const first = (await agent.get(path)).text;
    expect([first.includes('Unit 499<'), first.includes('Unit 500<')]).toEqual([true, false]);
    expect(first).toContain(`href="${path}?from=500"`);
    const second = (await agent.get(`${path}?from=500`)).text;
    expect([second.includes('Unit 499<'), second.includes('Unit 500<')]).toEqual([false, true]);
    const none = (await agent.get(`${path}/enquiries`)).text;
    expect(none).toContain('No site of this quote has an enquiry.');
    for (let i = 0; i < 50; i += 1) await client.made();
    const [, older] = /href="(\/staff\/quotes\?cursor=[^"]+)"/.exec(
      (await agent.get('/staff/quotes')).text,
    )!;
    expect((await agent.get(older!)).text).toContain(reference);
  });

  it('list older quotes of the same client and the same search', async () => {
    const [one, other] = [await service.given.client(), await service.given.client()];
    const [own, others] = [
      quotesOf(service, await service.given.token({ client: one })),
      quotesOf(service, await service.given.token({ client: other })),
    ];
    const made = async (by: typeof own, customer: string) =>
      (await by.send({ ...quoteRequest, customer })).body.quoteReference;
    const first = await made(own, 'Oak');
    for (let i = 0; i < 50; i += 1) await made(own, i % 2 ? 'oak and elm' : 'OAK');
    await made(own, 'Ash');
    await made(others, 'Oak');
    const query = `client=${one.id}&q=oak`;
    const { text } = await agent.get(`/staff/quotes?${query}`);
    expect(text.match(/QUO-\w{6}(?=<)/g)).toHaveLength(50);
    const [, older] = /href="(\/staff\/quotes\?[^"]*cursor=[^"]*)"/.exec(text)!;
    expect(older).toContain(query.replace('&', '&amp;'));
    const last = (await agent.get(older!.replaceAll('&amp;', '&'))).text;
    expect(last.match(/QUO-\w{6}(?=<)/g)).toEqual([first]);
    expect(last).not.toContain('Older quotes');
    const long = (await agent.get(`/staff/quotes?q=+${'x'.repeat(101)}+`)).text;
    expect(long).toContain(`value="${'x'.repeat(100)}"`);
  });

  it('start with the first line where the address names none', async () => {
    const { body } = await client.send();
    const path = `/staff/quotes/${body.quoteReference}`;
    for (const from of ['', 'x', '12345', '-1']) {
      expect((await agent.get(`${path}?from=${from}`)).text).toContain('HQ');
    }
    expect((await agent.get(`${path}?from=1`)).text).not.toContain('HQ');
  });

  it('make a draft for a client from cells that were copied from a spreadsheet, once', async () => {
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
    const sent = { key: key!, client: reseller.id, customer: 'Fernhill', sites };
    const made = await agent.post('/staff/quotes', sent);
    expect(made.headers.location).toBe(
      `/staff/quotes/drafts/${key}?said=draft-made&saved=quotes%2Fnew`,
    );
    const again = await agent.post('/staff/quotes', sent);
    expect([made.status, again.headers.location]).toEqual([303, made.headers.location]);
    const { text } = await agent.get(made.headers.location!);
    expect(text).toContain('Draft made. Check what we read, then send it.');
    expect(text).toContain('600 of 601 sites have a price.');
    const refused = async (about: object) => {
      const other = { ...sent, key: crypto.randomUUID(), ...about };
      const { status, text: drawn } = await agent.post('/staff/quotes', other);
      return [status, /id="sites-fault"[^>]*>([^<]*)</.exec(drawn)?.[1]];
    };
    expect(await refused({ sites: '' })).toEqual([422, 'Choose a file, or paste the sites.']);
    expect(await refused({ sites: 'Postcode\n' })).toEqual([422, 'There is no row with a site.']);
    const many = Array.from({ length: 2_001 }, () => 'N1').join('\n');
    expect(await refused({ sites: `postcode\n${many}` })).toEqual([
      422,
      'Must have at most 2,000 sites.',
    ]);
    const gone = { ...sent, key: crypto.randomUUID(), client: off.id };
    expect((await agent.post('/staff/quotes', gone)).status).toBe(422);
  });

  it('make a draft from a file, and show its text again where it cannot be read', async () => {
    const reseller = await service.given.client({ name: 'Foxglove' });
    const upload = (bytes: Buffer) => {
      const form = new FormData();
      form.append('client', reseller.id);
      form.append('sites', '');
      form.append('file', new Blob([new Uint8Array(bytes)]), 'sites.csv');
      return agent.upload('/staff/quotes', form);
    };
    const excel = Buffer.from('\ufeffSite;Postcode;Bandwidth\r\nCafé;EC2A 2BS;1G\r\n', 'utf16le');
    const made = await upload(excel);
    expect(made.status).toBe(303);
    const { text } = await agent.get(made.headers.location!);
    expect(text).toContain('1 of 1 site has a price.');
    expect((await upload(excel)).headers.location).not.toBe(made.headers.location);
    expect(text).toContain('Café');
    const refused = await upload(Buffer.from('Site,Postcode\nHQ,"N1\n'));
    expect(refused.status).toBe(422);
    expect(refused.text).toContain('>Site,Postcode\nHQ,&quot;N1</textarea>');
    for (const [bytes, words] of [
      [Buffer.alloc(512 * 1_024 + 1, 'a'), 'The file has more than 512 KB.'],
      [Buffer.from('PK\x03\x04 damaged'), 'The workbook is damaged'],
    ] as const) {
      const { status, text } = await upload(bytes);
      expect([status, /id="sites-fault"[^>]*>([^<]*)</.exec(text)?.[1]]).toEqual([
        422,
        expect.stringContaining(words),
      ]);
      expect(text).toContain(`<option value="${reseller.id}" selected`);
    }
  });

  it('take the answers of a table of 2,000 sites', async () => {
    const own = quotesOf(service, await service.given.token());
    const { body } = await own.send({
      ...{ wanted: { bandwidth: 1 }, sites: [{ postcode: 'AB10 1AB' }] },
    });
    await own.ask(body.quoteId);
    const path = `/staff/quotes/${body.quoteReference}`;
    await agent.post(`${path}/claim`, {});
    const typed = (first: number) =>
      Array.from({ length: 2_000 }, (_site, i) => {
        const cells = { price: '1234.50', setupPrice: '1250', leadTimeDays: '60', term: '36' };
        return Object.entries(cells).map(([cell, text]) => [`${first + i}.${cell}`, text] as const);
      }).flat();
    const common = { basis: 'firm', currency: 'GBP' };
    // No line has these numbers: the table is refused for its content, not for its size.
    const strange = { ...common, ...Object.fromEntries(typed(3_000)) };
    expect((await agent.post(`${path}/answer`, strange)).status).toBe(422);
    const sent = await agent.post(`${path}/answer`, { ...common, ...Object.fromEntries(typed(1)) });
    expect([sent.status, sent.text.includes('1 site answered.')]).toEqual([200, true]);
    const answered = Array.from({ length: 2_000 }, (_site, i) => `${i + 3_000}:12`).join(' ');
    expect((await agent.post(`${path}/undo`, { answered })).status).toBe(303);
    const long = { ...common, note: 'x'.repeat(512 * 1_024) };
    expect((await agent.post(`${path}/answer`, long)).status).toBe(413);
    expect((await agent.post(`${path}/claim`, { note: 'x'.repeat(17_000) })).status).toBe(413);
    const sheet = await agent.send({
      ...{ method: 'POST', path: `${path}/answer`, body: 'postcode\nN1 1AA\n' },
      headers: {
        ...{ 'Sec-Fetch-Site': 'same-origin', 'Sec-Fetch-Mode': 'navigate' },
        'Content-Type': 'text/csv',
      },
    });
    expect(sheet.status).toBe(415);
  });

  it('show the enquiries of a quote as one row, to be claimed, called about and answered together', async () => {
    const own = quotesOf(service, await service.given.token());
    const places = ['AB10 1AB', 'AB10 1AB', 'AB10 1AB'].map((postcode, i) => ({
      ...{ postcode, site: `Mast ${i + 1}` },
    }));
    const wanted = { bandwidth: 1, term: 36, service: 'Internet' };
    const { body } = await own.send({ wanted, sites: places });
    const { enquiries } = (await own.ask(body.quoteId)).body;
    const references = enquiries.map(({ enquiryReference }) => enquiryReference);
    const shownIn = (text: string) => references.filter((one) => text.includes(`id="${one}"`));
    const queue = (await agent.get('/staff/queue?view=waiting')).text;
    expect(shownIn(queue)).toEqual([references[0]]);
    const path = `/staff/quotes/${body.quoteReference}`;
    expect(queue).toContain(`<a href="${path}/enquiries">${body.quoteReference}</a>`);
    expect(queue).toContain('<small>3 sites</small>');
    expect(queue).toMatch(/<h1>Waiting \d+<\/h1>/);
    const filtered = (await agent.get('/staff/queue?view=waiting&kind=enquiry')).text;
    expect(shownIn(filtered)).toEqual(references);

    const before = (await agent.get(`${path}/enquiries`)).text;
    expect(before).toContain('Claim 3 sites');
    const claimed = await agent.post(`${path}/claim`, {});
    expect(claimed.headers.location).toBe(`${path}/enquiries?said=enquiries-claimed`);
    expect(shownIn((await agent.get('/staff/queue?view=mine')).text)).toEqual([references[0]]);
    const call = { channel: 'phone', result: 'reached', note: 'Decides on Friday.' };
    expect((await agent.post(`${path}/contact`, call)).status).toBe(303);
    expect((await agent.post(`${path}/contact`, {})).status).toBe(422);
    const common = { basis: 'firm', currency: 'GBP' };
    const bad = { ...common, '1.price': 'much', '1.leadTimeDays': '60', '1.term': '36' };
    const refused = await agent.post(`${path}/answer`, bad);
    expect(refused.status).toBe(422);
    expect(refused.text).toContain('Line 1, Monthly: Enter an amount from 0');
    expect((await agent.post(`${path}/answer`, common)).text).toContain(
      'Enter the monthly price of a site, or tick one that you cannot provide.',
    );
    const both = { ...common, '1.price': '450', '1.none': 'yes' };
    expect((await agent.post(`${path}/answer`, both)).text).toContain(
      'Line 1, Cannot provide: Enter a price or choose that it cannot be provided, not both.',
    );
    const answers = { '1.price': '450', '1.setupPrice': '£1,250', '3.price': '520.50' };
    const days = { '1.leadTimeDays': '60', '3.leadTimeDays': '90', '1.term': '36', '3.term': '24' };
    const send = async (more: object) => {
      const reply = await agent.post(`${path}/answer`, { ...common, ...answers, ...days, ...more });
      expect(reply.status).toBe(200);
      return reply;
    };
    const statesNow = async () => (await own.read(body.quoteId)).lines.map(({ state }) => state);
    const first = await send({ '2.none': 'yes' });
    expect(first.text).toContain('3 sites answered.');
    expect(first.text).toContain('in 10 seconds the client will see that you cannot provide it');
    expect(first.text).toContain('<span data-later="sent">will be sent in 10 seconds</span>');
    expect(await statesNow()).toEqual(['offered', 'unableToProvide', 'offered']);
    const [, answered] = /name="answered" value="([^"]*)"/.exec(first.text)!;
    const undone = async () =>
      (await agent.post(`${path}/undo`, { answered: answered! })).headers.location;
    expect(await undone()).toBe(`${path}/enquiries?said=answers-undone`);
    expect(await statesNow()).toEqual(['enquired', 'enquired', 'enquired']);
    expect(await undone()).toBe(`${path}/enquiries?said=answers-partly-undone`);

    const dear = { '2.price': '9999', '2.leadTimeDays': '60', '2.term': '36' };
    const sent = await send(dear);
    expect(sent.text).toContain('3 sites answered.');
    expect(sent.text.match(/waits for approval/g)).toHaveLength(2);
    expect(sent.text).not.toContain('name="2.price"');
    const manager = await StaffBrowser.signedIn(service, { role: 'manager' });
    expect((await manager.get('/staff/approvals')).text).toContain(references[1]);
    expect(sent.text).not.toContain('name="1.price"');
    const { lines } = await own.read(body.quoteId);
    expect(lines.map(({ state, product }) => [state, product?.price, product?.setupPrice])).toEqual(
      [
        ['offered', 450, 1_250],
        ['enquired', undefined, undefined],
        ['offered', 520.5, null],
      ],
    );
    expect(lines[0]!.product!.name).toBe('1 Gbit/s Internet');
    const page = (await agent.get(`/staff/orders/${references[0]}`)).text;
    expect(page).toContain('Decides on Friday.');
  });
});
