import { expect, it, jest } from '@jest/globals';
import { StaffOffersService } from '../../src/orders/offers/staff-offers.service.js';
import { NotPermitted } from '../../src/orders/record/orders.errors.js';
import { Unavailable } from '../../src/platform/problems/problem.js';
import { QuoteEnquiriesService } from '../../src/quotes/quote-enquiries.service.js';
import { readRows } from '../support/drawn-tables.js';
import { quotesOf } from '../support/quotes.js';
import { onOneEngine, startService } from '../support/service.js';
import { StaffBrowser } from '../support/staff-browser.js';
import { postAsStaff } from '../support/moves.js';

onOneEngine('the enquiries of one quote', (engine) => {
  it('let each colleague claim, call about and answer only what is theirs', async () => {
    const service = await startService(engine, { config: { rateLimits: false } });
    await service.given.catalogue();
    const kim = await StaffBrowser.signedIn(service, { name: 'Kim', role: 'agent' });
    const kimsToken = await service.given.token({ staff: kim.member });
    const sam = await StaffBrowser.signedIn(service, { name: 'Sam', role: 'agent' });
    const own = quotesOf(service, await service.given.token());
    const gap = { postcode: 'AB10 1AB' };
    const { body } = await own.send({
      wanted: { bandwidth: 1, term: 36 },
      sites: [gap, gap, gap, gap, { postcode: 'EC2A 2BS' }],
    });
    const { orders } = (await own.accept(body.quoteId, { lines: ['5'] })).body;
    const { enquiries } = (await own.ask(body.quoteId)).body;
    const path = `/staff/quotes/${body.quoteReference}`;
    const claimAsKim = async (line: number) => {
      const order = `/follow-up/orders/${enquiries[line - 1]!.enquiryId}/claim`;
      expect(
        (await postAsStaff(service.http, order, { version: 0 }, { token: kimsToken })).status,
      ).toBe(200);
    };
    const groupIn = async (view: string, by = sam) => {
      const { text } = await by.get(`/staff/queue?view=${view}`);
      const row = text.split('<tr').find((one) => one.includes(body.quoteReference));
      return row && /<small>(\d+ sites)<\/small>/.exec(row)?.[1];
    };
    await claimAsKim(1);
    expect(await groupIn('waiting')).toBe('3 sites');
    // One site is a row as any other, and so is an order of the quote.
    expect(await groupIn('mine', kim)).toBeUndefined();
    const [{ orderReference }] = orders as [(typeof orders)[0]];
    const waiting = (await sam.get('/staff/queue?view=waiting')).text.split('<tr');
    const row = waiting.find((one) => one.includes(`id="${orderReference}"`));
    expect([row === undefined, row?.includes(' sites</small>')]).toEqual([false, false]);
    const together = service.get(QuoteEnquiriesService);
    const claim = together.claim.bind(together);
    jest.spyOn(together, 'claim').mockImplementationOnce(async (...seen) => {
      await claimAsKim(2);
      return claim(...seen);
    });
    const claimed = await sam.post(`${path}/claim`, {});
    expect(claimed.headers.location).toBe(`${path}/enquiries?said=enquiries-partly-claimed`);
    expect([await groupIn('mine'), await groupIn('mine', kim)]).toEqual(['2 sites', '2 sites']);
    const { text } = await sam.get(claimed.headers.location!);
    expect(text).toContain('A colleague has claimed some of the sites. The others are yours.');
    expect(
      readRows(text, 'Other sites of the quote').map(({ Line, Owner }) => [Line, Owner]),
    ).toEqual([
      ['1', 'Kim'],
      ['2', 'Kim'],
    ]);
    const call = { channel: 'phone', result: 'reached', note: 'About the mast.' };
    const recorded = await sam.post(`${path}/contact`, call);
    expect(recorded.headers.location).toBe(`${path}/enquiries?said=call-recorded`);
    const noted = await Promise.all(
      enquiries.map(async ({ enquiryReference: one }) =>
        (await sam.get(`/staff/orders/${one}`)).text.includes('About the mast.'),
      ),
    );
    expect(noted).toEqual([false, false, true, true]);
    const silent = { channel: 'email', result: 'no_answer' };
    expect((await sam.post(`${path}/contact`, silent)).status).toBe(303);
    // None waits any more: there is nothing that a colleague could have claimed.
    expect((await sam.post(`${path}/claim`, {})).headers.location).toContain('=enquiries-claimed');

    const common = { basis: 'firm', currency: 'GBP' };
    const priced = (line: number) => ({
      ...{ [`${line}.price`]: '€1,234.5', [`${line}.leadTimeDays`]: '60', [`${line}.term`]: '36' },
    });
    const notOwn = await sam.post(`${path}/answer`, { ...common, ...priced(1), '2.none': 'yes' });
    expect(notOwn.text).toContain('Enter the monthly price of a site, or tick one');
    const wrong = { ...common, ...priced(3), basis: 'other', '3.setupPrice': 'x'.repeat(30) };
    const refused = await sam.post(`${path}/answer`, wrong);
    expect(refused.status).toBe(422);
    for (const shown of [`value="${'x'.repeat(30)}"`, 'id="basis-fault"']) {
      expect(refused.text).toContain(shown);
    }
    expect(
      (await sam.post(`${path}/answer`, { ...common, ...priced(3), '3.term': '1.x' })).text,
    ).toContain('Line 3, Term, months: ');
    // As in the form of a single offer: a decimal comma does not separate thousands.
    for (const [cell, text] of [
      ['price', '450,00'],
      ['setupPrice', '12,50'],
      ['leadTimeDays', '1,5'],
    ] as const) {
      const typed = { ...common, ...priced(3), [`3.${cell}`]: text };
      expect([cell, (await sam.post(`${path}/answer`, typed)).status]).toEqual([cell, 422]);
    }
    const offers = service.get(StaffOffersService);
    jest.spyOn(offers, 'send').mockRejectedValueOnce(new Unavailable('The database is away.'));
    expect((await sam.post(`${path}/answer`, { ...common, ...priced(3) })).status).toBe(503);
    jest.spyOn(offers, 'send').mockRejectedValueOnce(new NotPermitted('Not allowed any more.'));
    const both = await sam.post(`${path}/answer`, { ...common, ...priced(3), ...priced(4) });
    expect(both.text).toContain('1 site answered, 1 not.');
    expect(both.text).toContain('Not allowed any more.');
    const lines = (await own.read(body.quoteId)).lines.slice(0, 4);
    expect(lines.map(({ product }) => product?.name)).toEqual([
      ...[undefined, undefined, undefined, '1 Gbit/s connection'],
    ]);
    expect(lines[3]!.product).toMatchObject({
      ...{ price: 1_234.5, bandwidthProvisioned: 1, term: 36, leadTimeDays: 60, basis: 'firm' },
    });
    const answer = together.answer.bind(together);
    jest.spyOn(together, 'answer').mockImplementationOnce(async (seen, ...more) => {
      const { enquiry } = seen.rows.find(({ lineId }) => lineId === '3')!;
      const move = { reason: 'Not my region.', version: enquiry.version };
      const release = `/follow-up/orders/${enquiry.orderId}/release`;
      const token = await service.given.token({ staff: sam.member });
      expect((await postAsStaff(service.http, release, move, { token })).status).toBe(200);
      return answer(seen, ...more);
    });
    const late = await sam.post(`${path}/answer`, { ...common, '3.none': 'yes' });
    expect(late.text).toContain('0 sites answered, 1 not.');
    expect(late.text).toMatch(/Line 3<\/a>: <span>The order has moved on: it is waiting/);
    jest.restoreAllMocks();
  });

  it('are one row only while the same is due for all of them', async () => {
    const service = await startService(engine, { config: { rateLimits: false } });
    await service.given.catalogue();
    const kim = await StaffBrowser.signedIn(service, { name: 'Kim', role: 'agent' });
    const own = quotesOf(service, await service.given.token());
    const gap = { postcode: 'AB10 1AB' };
    const wanted = { bandwidth: 1, term: 36 };
    const { body } = await own.send({ wanted, sites: [gap, gap, gap, gap] });
    const ask = async (lines: string[]) => (await own.ask(body.quoteId, { lines })).body.enquiries;
    const early = await ask(['2', '3', '4']);
    service.clock.advance({ minutes: 5 });
    const enquiries = [...(await ask(['1'])), ...early];
    /** Of each row its line, how many sites it shows, and whether it can be selected. */
    const rowsIn = async (view: string) => {
      const { text } = await kim.get(`/staff/queue?view=${view}`);
      return enquiries
        .flatMap(({ lineId, enquiryReference: id }) => {
          const row = text.split('<tr').find((one) => one.includes(`id="${id}"`));
          const sites = /<small>(\d+) sites<\/small>/.exec(row ?? '')?.[1] ?? '1';
          const selects = row?.includes('name="order"') ? '' : ' of a quote';
          return row === undefined ? [] : [`${lineId}: ${sites}${selects}`];
        })
        .sort();
    };
    const single = ['1: 1', '2: 1', '3: 1', '4: 1'];
    // The one whose deadline is first.
    expect(await rowsIn('waiting')).toEqual(['2: 4 of a quote']);
    const path = `/staff/quotes/${body.quoteReference}`;
    await kim.post(`${path}/claim`, {});
    const last = `/follow-up/orders/${early[2]!.enquiryId}/schedule`;
    const nextActionAt = new Date(service.clock.now().getTime() + 3_600_000);
    const call = { version: 1, nextActionAt, reason: 'callback_agreed' };
    const token = await service.given.token({ staff: kim.member });
    expect((await postAsStaff(service.http, last, call, { token })).status).toBe(200);
    expect(await rowsIn('mine')).toEqual(['2: 3 of a quote', '4: 1']);
    service.clock.advance({ days: 1 });
    const again = await StaffBrowser.signedIn(service, {}, kim.member);
    kim.plant('staff', again.cookie!);
    expect([await rowsIn('due'), await rowsIn('late')]).toEqual([['4: 1'], single]);
    await kim.post(`${path}/contact`, { channel: 'phone', result: 'reached' });
    expect(await rowsIn('no-next-step')).toEqual(['1: 1', '2: 1', '3: 1']);
    expect(await rowsIn('open')).toEqual(['2: 3 of a quote', '4: 1']);
    for (const { enquiryId } of enquiries) {
      const lost = `/follow-up/orders/${enquiryId}/lose`;
      await postAsStaff(service.http, lost, { version: 2, reason: 'price' }, { token });
    }
    expect(await rowsIn('closed')).toEqual(single);
  });
});
