import { beforeAll, beforeEach, expect, it } from '@jest/globals';
import { ErasureService } from '../../src/orders/erasure.service.js';
import { operator } from '../../src/platform/audit/audit.service.js';
import { Transactions } from '../../src/platform/database/transactions.js';
import { emailOf } from '../../src/platform/notifications/messages/email-kinds.service.js';
import { OutboxMessage } from '../../src/platform/notifications/messages/outbox-message.entity.js';
import { quoteAnswered, QuoteNewsService } from '../../src/quotes/quote-emails.js';
import { OfferDesk, line as offered } from '../support/offers.js';
import { quoteRequest, quotesOf } from '../support/quotes.js';
import { onBothEngines, ruleOn, type Service, startService } from '../support/service.js';
import { StaffBrowser } from '../support/staff-browser.js';

onBothEngines('news of quotes', (engine) => {
  const rule = ruleOn(engine);
  let desk: OfferDesk;
  let service: Service;
  let client: ReturnType<typeof quotesOf>;
  let id: string;
  let enquiries: string[];

  beforeAll(async () => {
    desk = await OfferDesk.open(engine, engine === 'postgres' ? 3 : 1);
    ({ service } = desk);
  });

  beforeEach(async () => {
    await desk.newClient();
    await listen(desk.token);
    client = quotesOf(service, desk.token);
    id = await client.made();
    desk.clock.advance({ seconds: 1 });
    enquiries = (await client.ask(id)).body.enquiries.map(({ enquiryId }) => enquiryId);
  });

  const listen = async (token: string, at = service) => {
    await at.http.send({
      ...{ method: 'PUT', path: '/product-availability/webhook', token },
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ url: 'https://hooks.example.com/quotes' }),
    });
    for (const one of desk.instances) await one.learnChanges();
  };
  /** On every instance at once. */
  const tell = async (after: Parameters<typeof desk.clock.advance>[0]) => {
    desk.clock.advance(after);
    await Promise.all(desk.instances.map((one) => one.get(QuoteNewsService).tell()));
  };
  /** Types of webhooks and kinds of emails about the quote, oldest first. */
  const sent = async (about = id, at = service) =>
    (
      await at
        .get(Transactions)
        .read((tx) => tx.find(OutboxMessage, { where: { subjectId: about }, order: { id: 'ASC' } }))
    ).map(({ kind }) => kind);
  const answer = async (enquiryId: string) => {
    await desk.staffPost(`${enquiryId}/claim`, { version: 0 });
    expect((await desk.answer(enquiryId, [offered])).status).toBe(201);
  };
  const lose = async (enquiryId: string) => {
    await desk.staffPost(`${enquiryId}/claim`, { version: 0 });
    const version = await desk.versionOf(enquiryId);
    await desk.staffPost(`${enquiryId}/lose`, { version, reason: 'not_serviceable' });
  };

  it('reach the webhook at most once a minute, when answers cannot be taken back any more', async () => {
    await tell({ seconds: 71 });
    expect(await sent()).toEqual(['quote.updated']);
    await answer(enquiries[0]!);
    await tell({ seconds: 9 });
    expect(await sent()).toEqual(['quote.updated']);
    await tell({ seconds: 52 });
    expect(await sent()).toEqual(['quote.updated', 'quote.updated']);
    await answer(enquiries[1]!);
    await tell({ seconds: 30 });
    expect(await sent()).toHaveLength(2);
    await tell({ seconds: 30 });
    expect(await sent()).toHaveLength(3);
    await tell({ minutes: 10 });
    expect(await sent()).toHaveLength(3);
    const { body } = await service
      .get(Transactions)
      .read((tx) => tx.findOneByOrFail(OutboxMessage, { subjectId: id }));
    const { quoteReference, validUntil } = await client.read(id);
    expect(JSON.parse(body!)).toEqual({
      type: 'quote.updated',
      timestamp: expect.any(String),
      data: { quoteId: id, quoteReference, reference: 'RFQ-118', validUntil },
    });
  });

  it('are sent ten seconds after an answer, and a minute after the news before', async () => {
    await tell({ minutes: 10 });
    const told: number[] = [];
    const tellAt = async (after: Parameters<typeof desk.clock.advance>[0]) => {
      await tell(after);
      told.push((await sent()).filter((kind) => kind === 'quote.updated').length);
    };
    desk.clock.advance({ minutes: 2 });
    await answer(enquiries[0]!);
    await tellAt({ milliseconds: 9_999 });
    await tellAt({ milliseconds: 1 });
    desk.clock.advance({ seconds: 1 });
    await answer(enquiries[1]!);
    await tellAt({ milliseconds: 58_999 });
    await tellAt({ milliseconds: 1 });
    expect(told).toEqual([1, 2, 2, 3]);
    await answer(enquiries[2]!);
    await tellAt({ days: 2, seconds: 10, milliseconds: -1 });
    expect(told.at(-1)).toBe(4);
  });

  it('are in the list of what changed since', async () => {
    desk.clock.advance({ minutes: 5 });
    const since = desk.clock.now().toISOString();
    const changed = async () =>
      (await client.list(`?updatedSince=${since}`)).items.map(({ quoteId }) => quoteId);
    const untouched = await client.made();
    desk.clock.advance({ minutes: 5 });
    expect(await changed()).toEqual([untouched]);
    await answer(enquiries[0]!);
    expect(await changed()).toEqual([untouched, id]);
  });

  it('date the quote by the last change of a line', async () => {
    desk.clock.advance({ minutes: 5 });
    await answer(enquiries[0]!);
    const { updatedAt } = await client.read(id);
    expect(updatedAt).toBe(desk.clock.now().toISOString());
  });

  rule('do not have what happened two days ago', async () => {
    await tell({ days: 2, seconds: 10 });
    expect(await sent()).toEqual([]);
    // One millisecond earlier it would have been told.
    await tell({ milliseconds: -1 });
    expect(await sent()).toHaveLength(1);
  });

  it('lose the reference of the client when it is erased from an order', async () => {
    const { orderId } = (await client.accept(id, { lines: ['1'] })).body.orders[0]!;
    await tell({ minutes: 2 });
    const references = async () =>
      (
        await service
          .get(Transactions)
          .read((tx) => tx.findBy(OutboxMessage, { subjectId: id, kind: 'quote.updated' }))
      ).map(({ body }) => (JSON.parse(body!) as { data: { reference: unknown } }).data.reference);
    expect(await references()).toEqual(['RFQ-118']);
    await service.get(ErasureService).erase(orderId, operator);
    expect(await references()).toEqual([null]);
  });

  it('report an answer by email when it cannot be taken back any more, and once', async () => {
    const one = await client.made();
    desk.clock.advance({ seconds: 1 });
    await client.accept(one, { lines: ['1'] });
    const { enquiryId } = (await client.ask(one, { lines: ['3'] })).body.enquiries[0]!;
    desk.clock.advance({ seconds: 71 });
    await lose(enquiryId);
    await tell({ seconds: 9 });
    expect(await sent(one)).toEqual(['quote.updated']);
    await tell({ minutes: 2 });
    await tell({ minutes: 2 });
    expect((await sent(one)).sort()).toEqual(['quote-answered', 'quote.updated', 'quote.updated']);
  });

  rule('report all answers in one email when none of them can be taken back any more', async () => {
    await tell({ minutes: 2 });
    for (const one of enquiries.slice(0, 2)) await answer(one);
    desk.clock.advance({ seconds: 61 });
    await answer(enquiries[2]!);
    const emails = async () => (await sent()).filter((kind) => kind === 'quote-answered').length;
    await tell({ seconds: 9 });
    expect(await emails()).toBe(0);
    await tell({ minutes: 2 });
    await tell({ minutes: 2 });
    expect(await emails()).toBe(1);
  });

  rule('reach the contact by email once staff have answered all that was asked', async () => {
    await answer(enquiries[0]!);
    await lose(enquiries[1]!);
    await tell({ minutes: 2 });
    expect(await sent()).toEqual(['quote.updated']);
    await answer(enquiries[2]!);
    await tell({ minutes: 2 });
    expect([...(await sent())].sort()).toEqual([
      'quote-answered',
      'quote.updated',
      'quote.updated',
    ]);
    const { quoteReference } = await client.read(id);
    const letter = await service.get(Transactions).read((tx) => quoteAnswered.facts(tx, id));
    const email = emailOf(quoteAnswered, letter!, service.config);
    expect([email.to.map(({ address }) => address), email.subject]).toEqual([
      ['grace@reseller.example'],
      `Answered: your quote ${quoteReference} (RFQ-118)`,
    ]);
    expect(email.text).toContain('- Mast, AB10 1AB\n- Closed, EC2A 2BR\n');
    expect(email.text).toMatch(/cannot supply\n(-+\n)?\n?- Fast, EC2A 2BS\n/i);
    // What the client does with the offers is no further answer.
    await client.accept(id, { lines: ['3'] });
    await tell({ minutes: 2 });
    expect((await sent()).filter((kind) => kind === 'quote-answered')).toHaveLength(1);
    const admin = await StaffBrowser.signedIn(service, { role: 'admin' });
    const { text } = await admin.get('/staff/notifications');
    expect(text).toContain(`<a href="/staff/quotes/${id}">Quote ${quoteReference}</a>`);
  });

  rule('are named by their own reference where the client gave none', async () => {
    const own = await client.made({ ...quoteRequest, reference: undefined });
    const { quoteReference } = await client.read(own);
    const letter = await service.get(Transactions).read((tx) => quoteAnswered.facts(tx, own));
    const { subject } = emailOf(quoteAnswered, letter!, service.config);
    expect(subject).toBe(`Answered: your quote ${quoteReference}`);
    expect(letter?.facts).toMatchObject({
      customer: 'Fernhill Schools Trust',
      offered: [],
      unable: [],
    });
  });

  rule('name a site without a name by its postcode, and no site that is not answered', async () => {
    const gap = { postcode: 'AB10 1AB' };
    const own = await client.made({ wanted: { bandwidth: 1 }, sites: [gap, gap, gap] });
    desk.clock.advance({ seconds: 1 });
    const asked = (await client.ask(own, { lines: ['2', '3'] })).body.enquiries;
    await lose(asked[0]!.enquiryId);
    const factsOf = async (about: string) =>
      (await service.get(Transactions).read((tx) => quoteAnswered.facts(tx, about)))?.facts;
    expect(await factsOf(own)).toMatchObject({ customer: null, offered: [], unable: ['AB10 1AB'] });
    await answer(asked[1]!.enquiryId);
    expect(await factsOf(own)).toMatchObject({ offered: ['AB10 1AB'], unable: ['AB10 1AB'] });
    expect(await factsOf('0199f0c4-0000-7000-8000-000000000001')).toBeUndefined();
  });

  rule('warn once, three days before lines that can be ordered expire', async () => {
    const all = await client.made({ ...quoteRequest, sites: quoteRequest.sites.slice(0, 1) });
    await client.accept(all, { lines: ['1'] });
    await tell({ days: 27, seconds: -2 });
    expect(await sent()).not.toContain('quote.expiring');
    await tell({ seconds: 1 });
    await tell({ hours: 1 });
    expect((await sent()).filter((kind) => kind === 'quote.expiring')).toHaveLength(1);
    expect(await sent(all)).not.toContain('quote.expiring');
  });

  rule('do not warn of a quote that has expired', async () => {
    await tell({ days: 30, seconds: 1 });
    expect(await sent()).not.toContain('quote.expiring');
  });

  rule('warn of lines that only an offer fills, and of none that nothing fills', async () => {
    const of = (site: number) =>
      client.made({ ...quoteRequest, sites: [quoteRequest.sites[site]] });
    const [offer, lost] = [await of(3), await of(4)];
    const enquiryOf = async (quote: string) => (await client.ask(quote)).body.enquiries[0]!;
    const validUntil = '2026-06-01';
    const { enquiryId } = await enquiryOf(offer);
    await desk.staffPost(`${enquiryId}/claim`, { version: 0 });
    expect((await desk.answer(enquiryId, [{ ...offered, validUntil }])).status).toBe(201);
    await lose((await enquiryOf(lost)).enquiryId);
    await tell({ days: 27, minutes: 1 });
    expect(await sent(offer)).toContain('quote.expiring');
    expect(await sent(lost)).not.toContain('quote.expiring');
  });

  rule('do not warn of the end of a quote that is made for three days', async () => {
    const apart = await startService(engine, {
      config: { rateLimits: false, quoteDays: 3, webhookKey: service.config.webhookKey },
      clock: desk.clock,
    });
    await apart.given.catalogue();
    const token = await apart.given.token();
    await listen(token, apart);
    const short = await quotesOf(apart, token).made();
    desk.clock.advance({ days: 1 });
    await apart.get(QuoteNewsService).tell();
    expect(await sent(short, apart)).toEqual([]);
  });

  rule('of the sandbox reach the test webhook only', async () => {
    const token = await service.given.token({ kind: 'test' });
    await listen(token);
    const own = quotesOf(service, token);
    const places = ['ZZ99 1AA', 'ZZ99 1AB'].map((postcode) => ({ postcode }));
    const test = await own.made({ wanted: { bandwidth: 1, term: 12 }, sites: places });
    desk.clock.advance({ seconds: 1 });
    await own.ask(test);
    await tell({ minutes: 2 });
    const { kind, body } = await service
      .get(Transactions)
      .read((tx) => tx.findOneByOrFail(OutboxMessage, { subjectId: test }));
    expect([kind, JSON.parse(body!)]).toMatchObject([
      'quote.updated',
      { data: { quoteId: test, test: true } },
    ]);
  });

  it('are about lines that became one order each, whichever instance was asked', async () => {
    const callers = desk.instances.map((one) => quotesOf(one, desk.token));
    const replies = await Promise.all(
      Array.from({ length: 9 }, (_one, n) =>
        callers[n % callers.length]!.accept(id, { lines: n % 2 === 0 ? ['1', '2'] : ['2', '1'] }),
      ),
    );
    const statuses = replies.map(({ status }) => status).sort();
    expect(statuses).toEqual([201, ...Array<number>(8).fill(422)]);
    expect(await client.orders()).toHaveLength(2);
  });
});
