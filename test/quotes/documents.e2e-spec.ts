import { buffer } from 'node:stream/consumers';
import { beforeAll, expect, it } from '@jest/globals';
import { extractText, getDocumentProxy } from 'unpdf';
import type { QuoteView } from '../../src/quotes/record/quotes.dto.js';
import { priceInWords } from '../../src/platform/kernel/money.js';
import { DocumentsService } from '../../src/quotes/document/documents.service.js';
import { StaffQuotesService } from '../../src/quotes/staff-quotes.service.js';
import { QUOTE, quoteRequest, quotesOf } from '../support/quotes.js';
import { onOneEngine, type Service, startService } from '../support/service.js';
import { StaffBrowser } from '../support/staff-browser.js';

const config = {
  rateLimits: false,
  brandName: 'Northline Networks',
  brandColour: { light: '#00665e', dark: '#4fd1c5' },
};

onOneEngine('documents of quotes', (engine) => {
  let service: Service;
  let token: string;
  let client: ReturnType<typeof quotesOf>;

  beforeAll(async () => {
    service = await startService(engine, { config });
    await service.given.catalogue({
      prices: [
        'INT-1G-36,ONNET,standard,450.00,GBP,84,250.00',
        'INT-1G-12,ONNET,standard,550.00,GBP,84,',
        'INT-1G-12,NEARNET,standard,725.00,GBP,120,100.00',
      ],
    });
    token = await service.given.token();
    client = quotesOf(service, token);
  });

  /** Each page's text in one line. */
  const textOf = async (bytes: Buffer): Promise<string[]> => {
    const { text } = await extractText(await getDocumentProxy(new Uint8Array(bytes)));
    return text.map((one) => one.replaceAll(/\s+/g, ' '));
  };
  const pdfAt = async (path: string) => {
    const headers = { Accept: 'application/pdf' };
    const response = await service.http.open(path, { token, headers });
    const { 'content-type': type, 'content-disposition': name } = response.headers;
    expect([response.statusCode, type]).toEqual([200, 'application/pdf']);
    return { name, text: await textOf(await buffer(response)) };
  };
  const money = (amount: number | null, currency: string) =>
    amount === null ? 'not stated' : priceInWords(amount, currency);

  const expectAll = (text: string, { lines, totals }: QuoteView) => {
    for (const { site, postcode, product, totalContractValue, problem, reasons } of lines) {
      for (const one of [site, postcode, problem?.detail, ...reasons.map(({ detail }) => detail)]) {
        expect(text).toContain((one ?? '').trim());
      }
      if (!product) continue;
      const { name, price, setupPrice, currency } = product;
      expect(text).toContain(name);
      const amounts = [price, setupPrice, totalContractValue];
      expect(text).toContain(amounts.map((amount) => money(amount, currency)).join(' '));
    }
    for (const { lines: count, monthly, setup, contract, currency } of totals) {
      const amounts = [monthly, setup, contract].map((amount) => money(amount, currency));
      expect(text).toContain(`${count} ${amounts.join(' ')}`);
    }
  };

  it('say what the JSON says, and what the words mean', async () => {
    const id = await client.made();
    const quote = await client.read(id);
    const { name, text } = await pdfAt(`${QUOTE}/${id}`);
    expect(name).toBe(`attachment; filename="${quote.quoteReference}.pdf"`);
    const [all] = [text.join(' ')];
    expectAll(all, quote);
    expect(all).toMatch(/^Northline Networks Quote QUO-/);
    for (const words of [
      'Fernhill Schools Trust',
      'RFQ-118',
      'Firm: the connection is delivered',
    ]) {
      expect(all).toContain(words);
    }
    expect(all).toContain(
      'Each line has the product of the wanted service with the least bandwidth',
    );
    expect(all).not.toContain('Subject to survey:');
    const staff = await StaffBrowser.signedIn(service, { role: 'agent' });
    const page = await staff.get(`/staff/quotes/${quote.quoteReference}`);
    expect(page.text).toContain(`href="/staff/quotes/${quote.quoteReference}.pdf"`);
    const { status, headers } = await staff.get(`/staff/quotes/${quote.quoteReference}.pdf`);
    expect([status, headers['content-type']]).toEqual([200, 'application/pdf']);
    expect(headers['content-disposition']).toBe(name);
  });

  it('have numbered pages, and repeat what the columns are', async () => {
    const sites = Array.from({ length: 60 }, (_site, n) => ({
      site: `S${n}`,
      postcode: 'EC2A 2BS',
    }));
    const { text } = await pdfAt(`${QUOTE}/${await client.made({ ...quoteRequest, sites })}`);
    expect(text.length).toBeGreaterThan(2);
    for (const [n, page] of text.entries()) {
      expect(page).toContain(`Page ${n + 1} of ${text.length}`);
      expect(page).toContain('Monthly Set-up Over the term');
    }
  });

  it('draw any text, and read no file that it names', async () => {
    const hostile = [
      ...['<script>alert()</script>', '{{image:/etc/passwd}}', '=1+1', 'x'.repeat(120)],
      ...['\u202eevil\u2066', '東京 😀 Łódź Київ', 'a\u0301', '\u200b\u200b'],
    ];
    const id = await client.made({
      ...{ ...quoteRequest, customer: hostile[0], reference: hostile[2] },
      sites: hostile.map((site) => ({ site, postcode: 'EC2A 2BS', notes: site })),
    });
    const [all] = [(await pdfAt(`${QUOTE}/${id}`)).text.join(' ')];
    for (const words of [
      '<script>alert()</script>',
      '{{image:/etc/passwd}}',
      '=1+1',
      'Łódź Київ',
    ]) {
      expect(all).toContain(words);
    }
    expect(all).toContain('\ufffd\ufffd \ufffd Łódź');
    expect(all).toContain('Some letters cannot be printed in this document.');
    expect(all).not.toMatch(/[\u202e\u2066]/);
    expect(all).toContain('evil');
  });

  it('are refused while many wait, of all callers or of one', async () => {
    const quote = await service.get(StaffQuotesService).find(await client.made());
    const documents = service.get(DocumentsService);
    const draw = (caller: string) =>
      documents.draw(caller, () =>
        Promise.resolve({ quote, client: 'Any', brand: documents.brand }),
      );
    const drawn = Array.from({ length: 19 }, (_, n) => draw(`caller ${Math.floor(n / 2)}`));
    await expect(draw('caller 0')).rejects.toMatchObject({ code: 'rate-limited' });
    const settled = await Promise.allSettled(drawn);
    expect(settled.at(-1)).toMatchObject({
      reason: { status: 503, headers: { 'Retry-After': '2' } },
    });
    const outcomes = settled.map(({ status }) => status);
    const [few, many] = [outcomes.slice(0, 16), outcomes.slice(16)];
    expect([new Set(few), new Set(many)]).toEqual([new Set(['fulfilled']), new Set(['rejected'])]);
    expect((await draw('caller 0')).subarray(0, 4).toString()).toBe('%PDF');
  });

  it('propose the sites to the end customer with nothing of the operator', async () => {
    const id = await client.made();
    const about = 'markupPercent=15&setupMarkupPercent=10&roundTo=1&name=Acme%20Telecom';
    const { name, text } = await pdfAt(`${QUOTE}/${id}/proposal?${about}`);
    expect(name).toBe('attachment; filename="proposal.pdf"');
    const [all] = [text.join(' ')];
    expect(all).toMatch(/^Acme Telecom Proposal For Fernhill Schools Trust/);
    expect(all).toContain(
      '1 Gbit/s, 36 months firm, delivered in 84 days £518.00 £275.00 £18,923.00',
    );
    expect(all).toContain(
      '1 Gbit/s, 12 months firm, delivered in 120 days £834.00 £110.00 £10,118.00',
    );
    const quote = await client.read(id);
    const secret = [
      ...['Northline', 'Reseller', quote.quoteReference, 'bearer', 'INT-'],
      ...['450', '725', '16,450', 'Mast', 'Ask for Ola'],
    ];
    for (const word of secret) expect([word, all.includes(word)]).toEqual([word, false]);
  });

  it('propose the named lines as CSV, never below the price', async () => {
    const id = await client.made();
    const csv = async (query: string) => {
      const headers = { Accept: 'text/csv' };
      return service.http.get<string>(`${QUOTE}/${id}/proposal${query}`, { token, headers });
    };
    const { text, headers } = await csv('?markupPercent=0.01&roundTo=50&lines=2');
    expect(text.split('\r\n').slice(1)).toEqual([
      'Depot,N1 1AA,1 Gbit/s,12,750,100,9100,GBP,firm,120,',
      '',
    ]);
    expect(headers).toMatchObject({
      'content-disposition': 'attachment; filename="proposal.csv"',
      vary: 'Accept, Accept-Encoding',
    });
    expect((await csv('')).text).toContain('HQ,EC2A 2BS,1 Gbit/s,36,450,250,16450,GBP,firm,84');
    const refused = [
      '?markupPercent=-1',
      '?roundTo=3',
      '?lines=x',
      '?markupPercent=1.234',
      '?other=1',
    ];
    for (const query of refused) expect([query, (await csv(query)).status]).toEqual([query, 400]);
    const other = await service.given.token();
    const path = `${QUOTE}/${id}/proposal`;
    expect((await service.http.get(path, { token: other })).status).toBe(404);
  });
});
