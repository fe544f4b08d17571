import { beforeAll, beforeEach, expect, it } from '@jest/globals';
import { quotesOf } from '../support/quotes.js';
import { onBothEngines, type Service, startService } from '../support/service.js';
import { StaffBrowser } from '../support/staff-browser.js';

onBothEngines('the table of answers to a quote', (engine) => {
  let service: Service;
  let sam: StaffBrowser;
  let path: string;

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
  });

  const row = (line: number, price: string) => ({
    ...{ [`${line}.price`]: price, [`${line}.leadTimeDays`]: '60', [`${line}.term`]: '36' },
  });
  const common = { basis: 'firm', currency: 'GBP', note: 'From the mast.' };

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
