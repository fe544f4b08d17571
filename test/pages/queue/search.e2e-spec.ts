import { beforeAll, describe, expect, it } from '@jest/globals';
import { onBothEngines, ruleOn, type Service, startService } from '../../support/service.js';
import { StaffBrowser } from '../../support/staff-browser.js';
import { claimedOrder, textOf, titleOf, waitingOrder } from './orders.given.js';

onBothEngines('the search', (engine) => {
  const rule = ruleOn(engine);
  let service: Service;
  let browser: StaffBrowser;
  beforeAll(async () => {
    service = await startService(engine);
    await service.given.catalogue();
    browser = await StaffBrowser.signedIn(service);
  });

  rule('redirects to the order of a reference in any spelling', async () => {
    const { reference } = await waitingOrder(service);
    const spelt = encodeURIComponent(` ${reference.toLowerCase().replace('ord-', '')} `);
    const { status, headers } = await browser.get(`/staff/search?q=${spelt}`);
    expect([status, headers.location]).toEqual([303, `/staff/orders/${reference}`]);
  });

  rule('lists its results, and links to the check of a postcode', async () => {
    const { reference } = await waitingOrder(service, {
      postcode: 'SW1A 1AA',
      contact: { name: 'Zebedee <script>' },
    });
    const found = await browser.get('/staff/search?q=sw1a1aa');
    expect(titleOf(found.text)).toBe('1 found');
    expect(found.text).toContain(`/staff/orders/${reference}`);
    expect(found.text).toContain('/staff/check?postcode=SW1A%201AA');
    // A single result opens. A postcode does not: it may be for a check.
    expect((await browser.get('/staff/search?q=zebedee')).headers.location).toBe(
      `/staff/orders/${reference}`,
    );
  });

  it('finds the first or last characters of a reference', async () => {
    const { reference } = await waitingOrder(service, { postcode: 'N1 9GU' });
    const code = reference.slice(4);
    for (const part of [reference.slice(0, 7), code.slice(0, 4).toLowerCase(), code.slice(2)]) {
      const { headers } = await browser.get(`/staff/search?q=${part}`);
      expect([part, headers.location]).toEqual([part, `/staff/orders/${reference}`]);
    }
    for (const part of [code.slice(0, 3), 'ORD-', `${code.slice(2)}U`]) {
      const { text } = await browser.get(`/staff/search?q=${part}`);
      expect([part, text]).toEqual([
        part,
        expect.not.stringContaining(`/staff/orders/${reference}`),
      ]);
    }
  });

  it('suggests orders and the check of a postcode while it is typed', async () => {
    const { reference } = await waitingOrder(service, {
      postcode: 'EC2A 2DS',
      contact: { name: 'Grace <script>' },
    });
    const { status, text } = await browser.get('/staff/search/suggestions?q=ec2a2ds');
    expect([status, textOf(text).trim()]).toEqual([
      200,
      expect.stringMatching(
        new RegExp(
          `^Check availability at EC2A 2DS ${reference} .*, Grace <script> EC2A 2DS, Waiting$`,
        ),
      ),
    ]);
    expect(text).toContain('data-href="/staff/check?postcode=EC2A%202DS"');
    expect(text).toContain(`data-href="/staff/orders/${reference}"`);
    expect(text).not.toContain('<script>');
    expect((await browser.get('/staff/search/suggestions?q=')).text).toBe('');
    expect((await new StaffBrowser(service).get('/staff/search/suggestions?q=x')).status).toBe(303);
  });

  it('suggests the newest of many orders', async () => {
    const references: string[] = [];
    for (let n = 0; n < 9; n += 1) {
      const { reference } = await waitingOrder(service, { contact: { name: 'Perpetua' } });
      references.unshift(reference);
    }
    const { text } = await browser.get('/staff/search/suggestions?q=perpetua');
    const found = [...text.matchAll(/data-href="\/staff\/orders\/([^"]+)"/g)].map(([, one]) => one);
    expect(found).toEqual(references.slice(0, 7));
  });

  rule('asks whether a mistyped postcode means the likely one, if it finds no order', async () => {
    const { text } = await browser.get('/staff/search?q=ec2a%2020s');
    expect(textOf(text)).toMatch(/No orders found\. Did you mean EC2A 2DS ?\?/);
    expect(text).toContain('<a href="/staff/search?q=EC2A%202DS">EC2A 2DS</a>');
    const typed = await browser.get('/staff/search/suggestions?q=ec2a%2020s');
    expect(textOf(typed.text).trim()).toBe('Did you mean EC2A 2DS?');
    expect(typed.text).toContain('data-href="/staff/search?q=EC2A%202DS"');
    await waitingOrder(service, { contact: { name: 'EC2A 20S' } });
    expect((await browser.get('/staff/search?q=ec2a%2020s')).status).toBe(303);
  });

  rule('says what can be searched for, without a query and without results', async () => {
    const blank = await browser.get('/staff/search');
    expect(textOf(blank.text)).toContain('What are you looking for?');
    const q = '"><script>alert(1)</script>';
    const none = await browser.get(`/staff/search?q=${encodeURIComponent(q)}`);
    expect([none.status, titleOf(none.text)]).toEqual([200, '0 found']);
    expect(textOf(none.text)).toContain('No orders found.');
    expect(none.text).not.toContain('<script>alert');
  });
});

describe('the last note of a row', () => {
  it('is the latest note, or else what the client wrote, with the last event', async () => {
    const service = await startService('sqlite');
    await service.given.catalogue();
    const kim = await StaffBrowser.signedIn(service, { name: 'Kim' });
    const { reference } = await claimedOrder(service, kim, { notes: 'Riser <b>only</b>.' });
    const note = async () => {
      const { text } = await kim.get(`/staff/queue/notes/${reference}`);
      return textOf(text).trim();
    };
    expect(await note()).toBe('Riser <b>only</b>. Kim claimed this, 09:00');
    await kim.post(`/staff/orders/${reference}/note`, { note: 'Ask for Ada.' });
    const contact = { version: '1', channel: 'phone', result: 'no_answer' };
    await kim.post(`/staff/orders/${reference}/contact`, contact);
    expect(await note()).toBe('Ask for Ada. Kim added a note, 09:00');
    expect((await kim.get('/staff/queue/notes/ORD-000000')).status).toBe(404);
  });
});
