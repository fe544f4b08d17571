import { beforeAll, beforeEach, expect, it, jest } from '@jest/globals';
import { StaffOffersService } from '../../src/orders/offers/staff-offers.service.js';
import { NotPermitted } from '../../src/orders/record/orders.errors.js';
import { quotesOf } from '../support/quotes.js';
import { onOneEngine, type Service, startService } from '../support/service.js';
import { StaffBrowser } from '../support/staff-browser.js';

onOneEngine('the table of answers to a quote', (engine) => {
  let service: Service;
  let sam: StaffBrowser;
  let path: string;
  let states: () => Promise<string[]>;

  beforeAll(async () => {
    service = await startService(engine, { config: { rateLimits: false } });
    await service.given.catalogue();
    sam = await StaffBrowser.signedIn(service, { name: 'Sam', role: 'agent' });
  });

  beforeEach(async () => {
    const own = quotesOf(service, await service.given.token());
    const gap = { postcode: 'AB10 1AB' };
    const { body } = await own.send({ wanted: { bandwidth: 1, term: 36 }, sites: [gap, gap] });
    await own.ask(body.quoteId);
    path = `/staff/quotes/${body.quoteReference}`;
    await sam.post(`${path}/claim`, {});
    states = async () => (await own.read(body.quoteId)).lines.map(({ state }) => state);
  });

  const row = (line: number, price: string) => ({
    ...{ [`${line}.price`]: price, [`${line}.leadTimeDays`]: '60', [`${line}.term`]: '36' },
  });
  const common = { basis: 'firm', currency: 'GBP', note: 'From the mast.' };
  const valueOf = (text: string, name: string) =>
    new RegExp(`<input [^>]*name="${name}"[^>]*value="([^"]*)"`).exec(text)?.[1];

  it.each([
    ['validUntil', { validUntil: '2026-03-01' }, 'Enter a day from 2026-03-02 to '],
    ['validUntil', { validUntil: '2028-03-01' }, 'Enter a day from 2026-03-02 to '],
    ['currency', { currency: 'XQQ' }, 'Enter the ISO 4217 code of a currency'],
  ])('sends nothing where %s is wrong for all sites: %j', async (field, wrong, words) => {
    const sent = { ...common, ...wrong, ...row(1, '450'), ...row(2, '520') };
    const { status, text } = await sam.post(`${path}/answer`, sent);
    expect(status).toBe(422);
    expect(new RegExp(`id="${field}-fault"[^>]*>([^<]*)<`).exec(text)?.[1]).toContain(words);
    expect(text.split(`<a href="#${field}">`)).toHaveLength(2);
    expect([valueOf(text, '1.price'), valueOf(text, '2.price')]).toEqual(['450', '520']);
    expect(text).not.toContain('Line validUntil');
    expect(await states()).toEqual(['enquired', 'enquired']);
  });

  it('sends nothing where an amount of one site has too many decimals', async () => {
    const sent = { ...common, ...row(1, '450'), ...row(2, '520.555'), '2.setupPrice': '0.001' };
    const { status, text } = await sam.post(`${path}/answer`, sent);
    expect(status).toBe(422);
    for (const label of ['Monthly', 'Set-up']) {
      expect(text).toMatch(
        new RegExp(`Line 2, ${label}: Enter an amount from 0 to [^<]* 2 decimals`),
      );
    }
    expect([valueOf(text, '1.price'), valueOf(text, '2.price')]).toEqual(['450', '520.555']);
    expect(await states()).toEqual(['enquired', 'enquired']);
  });

  it('keeps what was typed for the sites whose answers could not be sent', async () => {
    const offers = service.get(StaffOffersService);
    jest.spyOn(offers, 'send').mockRejectedValueOnce(new NotPermitted('Not allowed any more.'));
    const sent = { ...common, ...row(1, '450'), ...row(2, '520') };
    const { status, text } = await sam.post(`${path}/answer`, sent);
    jest.restoreAllMocks();
    expect([status, text.includes('1 site answered, 1 not.')]).toEqual([200, true]);
    expect([valueOf(text, '1.price'), valueOf(text, '1.leadTimeDays')]).toEqual(['450', '60']);
    expect(valueOf(text, '2.price')).toBeUndefined();
    expect(text).toContain('>From the mast.</textarea>');
    expect(text).not.toContain('There is a problem');
    expect(await states()).toEqual(['enquired', 'offered']);
  });

  it('keeps a draft until all answers are sent, also while a call is recorded', async () => {
    const draft = `data-draft="quotes/${path.slice(-10)}/enquiries"`;
    expect((await sam.get(`${path}/enquiries`)).text).toContain(draft);
    const refused = await sam.post(`${path}/contact`, { channel: 'phone', note: 'Private.' });
    expect(refused.status).toBe(422);
    // A form with typed values replaces its draft.
    expect(refused.text).toMatch(new RegExp(`<form [^>]*${draft}(?![^>]*data-typed)[^>]*>`));
    const rest = await sam.post(`${path}/answer`, { ...common, ...row(1, '450') });
    expect(rest.text).toContain(`data-saved="quotes/${path.slice(-10)}/enquiries"`);
    expect(rest.text).toContain('name="2.price"');
  });

  it('keeps the note of a call apart from the note for the client', async () => {
    const { text } = await sam.get(`${path}/enquiries`);
    const ids = [...text.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id);
    expect(ids.filter((id, i) => ids.indexOf(id) !== i)).toEqual([]);
    const refused = await sam.post(`${path}/contact`, { channel: 'phone', note: 'Private.' });
    expect(refused.status).toBe(422);
    expect(refused.text.split('>Private.</textarea>')).toHaveLength(2);
    expect(refused.text).toMatch(/<textarea[^>]*id="note-call"[^>]*>Private\.</);
    expect(refused.text).toContain('<a href="#result-call">Choose a result.</a>');
    const answer = await sam.post(`${path}/answer`, { ...common, ...row(1, 'much') });
    expect(answer.text.split('>From the mast.</textarea>')).toHaveLength(2);
  });
});
