import { beforeAll, expect, it } from '@jest/globals';
import { In } from 'typeorm';
import { Order } from '../../src/orders/record/order.entity.js';
import { Transactions } from '../../src/platform/database/transactions.js';
import { ErasureService } from '../../src/orders/erasure.service.js';
import { operator } from '../../src/platform/audit/audit.service.js';
import type { ClientEnquiry } from '../../src/orders/record/enquiries.dto.js';
import type { QuoteView } from '../../src/quotes/record/quotes.dto.js';
import { priced } from '../support/catalogue.js';
import { FakeClock } from '../support/fake-clock.js';
import { line as offered } from '../support/offers.js';
import { quoteRequest, quotesOf, sites } from '../support/quotes.js';
import { onBothEngines, ruleOn, type Service, startService } from '../support/service.js';
import { postAsStaff } from '../support/moves.js';

const config = { rateLimits: false };

onBothEngines('lines of quotes', (engine) => {
  const rule = ruleOn(engine);
  let service: Service;
  let token: string;
  let client: ReturnType<typeof quotesOf>;

  beforeAll(async () => {
    service = await startService(engine, { config });
    await service.given.catalogue();
    token = await service.given.token();
    client = quotesOf(service, token);
  });

  it('become orders at exactly their terms, all of them or none', async () => {
    const own = quotesOf(service, await service.given.token());
    const id = await own.made(quoteRequest);
    const refused = await own.accept(id, { lines: ['1', '3', '6'] });
    expect([refused.status, refused.body.code, refused.body.lines]).toEqual([
      422,
      'line-not-orderable',
      [
        { lineId: '3', reason: 'notPriced' },
        { lineId: '6', reason: 'notPriced' },
      ],
    ]);
    expect(await own.orders()).toEqual([]);
    const body = { lines: ['2', '1'], contact: { name: 'Ola' }, acceptExtraUpTo: 50 };
    const accepted = await own.accept(id, body);
    expect(accepted.status).toBe(201);
    expect(accepted.body.message).toBe(
      '2 orders were received. A member of our team will contact you.',
    );
    expect(accepted.body.orders.map(({ lineId }) => lineId)).toEqual(['2', '1']);
    const [depot, hq] = await Promise.all(
      accepted.body.orders.map(({ orderId }) => own.orderOf(orderId)),
    );
    expect(hq).toMatchObject({
      ...{ quoteId: id, lineId: '1', reference: 'RFQ-118', acceptExtraUpTo: 50 },
      ...{ postcode: 'EC2A 2BS', state: 'acknowledged', checkId: null },
      product: { productCode: 'INT-1G-36', price: 450 },
    });
    expect(depot).toMatchObject({ lineId: '2', product: { productCode: 'INT-1G-12', price: 725 } });
    const quote = await own.read(id);
    expect(quote.counts).toMatchObject({ priced: 0, ordered: 2, notAvailable: 3, invalid: 2 });
    expect(quote.lines.slice(0, 2).map(({ state, orderId }) => [state, orderId])).toEqual([
      ['ordered', hq!.orderId],
      ['ordered', depot!.orderId],
    ]);
    const again = await own.accept(id, { lines: ['1'] });
    expect(again.body.lines).toEqual([
      { lineId: '1', reason: 'alreadyOrdered', orderId: hq!.orderId },
    ]);
    expect(await own.orders()).toHaveLength(2);
  });

  it('are ordered once, however often the request comes', async () => {
    const own = quotesOf(service, await service.given.token());
    const id = await own.made({ wanted: { bandwidth: 1 }, sites: Array(100).fill(sites[0]) });
    const lines = Array.from({ length: 100 }, (_, i) => String(i + 1));
    const first = await own.accept(id, { lines }, 'a-1');
    const replayed = await own.accept(id, { lines }, 'a-1');
    expect(replayed.body).toEqual(first.body);
    expect(replayed.headers['idempotent-replayed']).toBe('true');
    const other = await own.accept(id, { lines: ['1'] }, 'a-1');
    expect(other.body.code).toBe('idempotency-key-reused');
    expect(await own.orders()).toHaveLength(100);
  });

  it('give one order for a line, also if requests race', async () => {
    const own = quotesOf(service, await service.given.token());
    const id = await own.made(quoteRequest);
    const replies = await Promise.all(
      Array.from({ length: 8 }, (_, i) => own.accept(id, { lines: i % 2 ? ['1'] : ['1', '2'] })),
    );
    const orders = await own.orders();
    const linesOrdered = orders.map(({ lineId }) => lineId).sort();
    expect([['1'], ['1', '2']]).toContainEqual(linesOrdered);
    expect(replies.filter(({ status }) => status === 201)).toHaveLength(1);
    for (const { status, body } of replies.filter((reply) => reply.status !== 201)) {
      expect([status, body.code]).toEqual([422, 'line-not-orderable']);
    }
  });

  rule('refuse lines that they do not have', async () => {
    const id = await client.made();
    const refused = async (lines: unknown[]) => {
      const { status, body } = await client.accept(id, { lines: lines as string[] });
      return [status, body.errors?.map(({ pointer }) => pointer)];
    };
    expect(await refused(['1', '8'])).toEqual([400, ['/lines/1']]);
    expect(await refused(['0'])).toEqual([400, ['/lines']]);
    expect(await refused(['1', '1'])).toEqual([400, ['/lines']]);
    expect(await refused([])).toEqual([400, ['/lines']]);
    expect(await refused(['x'])).toEqual([400, ['/lines']]);
  });

  rule('hold their terms until they expire, also after a publication', async () => {
    const clock = new FakeClock();
    const apart = await startService(engine, { config, clock });
    await apart.given.catalogue();
    const own = quotesOf(apart, await apart.given.token());
    const wanted = { bandwidth: 1, term: 12 };
    const id = await own.made({ wanted, sites: [sites[0], sites[0], sites[1]] });
    await apart.given.catalogue(priced('999.00'));
    const { body } = await own.accept(id, { lines: ['1'] });
    expect((await own.orderOf(body.orders[0]!.orderId)).product.price).toBe(550);
    const copied = await own.read((await own.copy(id)).body.quoteId);
    expect(copied.lines[0]).toMatchObject({
      product: { price: 999 },
      was: { productCode: 'INT-1G-12', price: 550 },
      state: 'priced',
    });
    const asked = ({ lines }: QuoteView) =>
      lines.map(({ site, postcode, notes, wanted: what }) => ({ site, postcode, notes, what }));
    expect(asked(copied)).toEqual(asked(await own.read(id)));
    clock.advance({ days: 30 });
    expect((await own.accept(id, { lines: ['2'] })).status).toBe(201);
    const open = (await own.list('?state=open')).items.map(({ quoteId }) => quoteId);
    expect(open).toContain(id);
    expect((await own.list('?state=expired')).items).toEqual([]);
    clock.advance({ milliseconds: 1 });
    const late = await own.accept(id, { lines: ['3'] });
    expect([late.status, late.body.code]).toEqual([409, 'quote-expired']);
    expect((await own.ask(id)).body.code).toBe('quote-expired');
    expect((await own.read(id)).state).toBe('expired');
    const expired = (await own.list('?state=expired')).items.map(({ quoteId }) => quoteId);
    expect(expired).toContain(id);
  });

  it.each([
    ['none', 'subjectToSurvey', false],
    ['firm', 'firm', true],
    ['firm', 'subjectToSurvey', false],
    ['all', 'subjectToSurvey', true],
  ] as const)('with QUOTE_HOLD=%s a line that is %s is held: %s', async (hold, basis, isHeld) => {
    const apart = await startService(engine, { config: { ...config, quoteHold: hold } });
    const publish = (amount: string) =>
      apart.given.catalogue({ prices: [`INT-1G-12,ONNET,standard,${amount},GBP,84,,${basis}`] });
    await publish('550.00');
    const own = quotesOf(apart, await apart.given.token());
    const id = await own.made({
      wanted: { bandwidth: 1 },
      sites: [sites[0], { postcode: 'SW1A 1AA' }],
    });
    const { lines } = await own.read(id);
    expect(lines.map(({ held }) => held)).toEqual([isHeld, isHeld]);
    expect((await own.accept(id, { lines: ['1'] })).status).toBe(201);
    await publish('551.00');
    const { status, body } = await own.accept(id, { lines: ['2'] });
    if (isHeld) expect(status).toBe(201);
    else expect([status, body.lines]).toEqual([422, [{ lineId: '2', reason: 'offerChanged' }]]);
  });

  rule('ask for their gaps, and show what became of them', async () => {
    const staff = await service.given.staff({ role: 'manager' });
    const sam = await service.given.token({ staff });
    const id = await client.made();
    const asked = await client.ask(id, { notes: 'Decision in January.' }, 'e-1');
    expect(asked.status).toBe(201);
    expect(asked.body.enquiries.map(({ lineId }) => lineId)).toEqual(['3', '4', '5']);
    expect((await client.ask(id, { notes: 'Decision in January.' }, 'e-1')).body).toEqual(
      asked.body,
    );
    const [mast, fast] = asked.body.enquiries;
    const enquiry = await service.http.get<ClientEnquiry>(
      `/product-availability/enquiry/${fast!.enquiryId}`,
      { token },
    );
    expect(enquiry.body).toMatchObject({
      ...{ quoteId: id, lineId: '4', reference: 'RFQ-118', postcode: 'EC2A 2BS' },
      wanted: { bandwidth: 10, term: 36, description: 'Fast, for Fernhill Schools Trust' },
    });
    expect((await client.read(id)).counts).toMatchObject({
      enquired: 3,
      notAvailable: 0,
      priced: 2,
    });
    const move = async (enquiryId: string, name: string, body: object = {}) => {
      const path = `/follow-up/orders/${enquiryId}`;
      const detail = await service.http.get<{ order: { version: number } }>(path, { token: sam });
      const { version } = detail.body.order;
      const reply = await postAsStaff(
        service.http,
        `${path}/${name}`,
        { version, ...body },
        { token: sam },
      );
      expect(reply.status).toBeLessThan(300);
    };
    await move(mast!.enquiryId, 'claim');
    await move(mast!.enquiryId, 'lose', { reason: 'not_serviceable' });
    await move(fast!.enquiryId, 'claim');
    await move(fast!.enquiryId, 'offers', { offers: [offered] });
    const answered = await client.read(id);
    expect(answered.lines.slice(2, 5).map(({ state }) => state)).toEqual([
      'unableToProvide',
      'offered',
      'enquired',
    ]);
    const { offers } = (
      await service.http.get<ClientEnquiry>(`/product-availability/enquiry/${fast!.enquiryId}`, {
        token,
      })
    ).body;
    const accepted = await service.http.post<{ orderId: string }>(
      `/product-availability/enquiry/${fast!.enquiryId}/acceptance`,
      {
        ...{ offerId: offers[0]!.offerId, reference: 'PO-4711', acceptExtraUpTo: 500 },
        ...{ details: { floor: '2' }, contact: { name: 'Ada Lovelace' } },
      },
      { token },
    );
    const placed = await client.orderOf(accepted.body.orderId);
    expect(placed).toMatchObject({
      ...{ enquiryId: fast!.enquiryId, offerId: offers[0]!.offerId, quoteId: id, lineId: '4' },
      ...{ reference: 'PO-4711', acceptExtraUpTo: 500, details: { floor: '2' } },
    });
    const ordered = `/follow-up/orders/${placed.orderId}`;
    const { body: seen } = await service.http.get<object>(ordered, { token: sam });
    expect(JSON.stringify(seen)).toContain('Ada Lovelace');
    const after = await client.read(id);
    expect(after.lines[3]).toMatchObject({ state: 'ordered', orderId: accepted.body.orderId });
    expect(after.counts).toMatchObject({ ordered: 1, unableToProvide: 1, enquired: 1, priced: 2 });
    // Every gap has been asked for.
    const again = await client.ask(id);
    expect([again.status, again.body.code]).toEqual([422, 'line-not-orderable']);
    const reasons = Map.groupBy(again.body.lines!, ({ reason }) => reason);
    expect(reasons.get('alreadyEnquired')!.map(({ lineId }) => lineId)).toEqual(['3', '4', '5']);
    expect((await client.ask(id, { lines: ['1', '3'] })).body.lines).toEqual([
      { lineId: '1', reason: 'notAsked' },
      { lineId: '3', reason: 'alreadyEnquired' },
    ]);
  });

  rule('ask for a site in the words of the client', async () => {
    const own = quotesOf(service, await service.given.token());
    const place = { postcode: 'AB10 1AB' };
    const descriptions = async (about: object) => {
      const wanted = { bandwidth: 1, ...about };
      const named = [place, { ...place, site: 'Mast' }];
      const ids = await Promise.all(
        [{}, { customer: 'Fernhill' }].map((more) => own.made({ wanted, sites: named, ...more })),
      );
      const asked = await Promise.all(ids.map(async (id) => (await own.ask(id)).body.enquiries));
      const orders = await service
        .get(Transactions)
        .read((tx) => tx.findBy(Order, { id: In(asked.flat().map(({ enquiryId }) => enquiryId)) }));
      return asked.flat().map(({ enquiryId }) => {
        return orders.find(({ id }) => id === enquiryId)!.wanted!.description;
      });
    };
    expect(await descriptions({})).toEqual([null, 'Mast', 'For Fernhill', 'Mast, for Fernhill']);
    expect(await descriptions({ service: 'Ethernet' })).toEqual([
      ...['Ethernet', 'Ethernet, Mast', 'Ethernet, for Fernhill', 'Ethernet, Mast, for Fernhill'],
    ]);
  });

  rule('are filled by offers, which are ordered with other lines', async () => {
    const clock = new FakeClock();
    const apart = await startService(engine, { config, clock });
    await apart.given.catalogue();
    const own = await apart.given.token();
    const client = quotesOf(apart, own);
    const sam = await apart.given.token({ staff: await apart.given.staff({ role: 'manager' }) });
    const id = await client.made();
    const exact = { ...offered, bandwidthProvisioned: 10, term: 36 };
    const { enquiries } = (await client.ask(id, { lines: ['3', '4'] })).body;
    const answer = async (enquiryId: string, offers: readonly object[]) => {
      const path = `/follow-up/orders/${enquiryId}`;
      const send = async (name: string, body: object) => {
        const detail = await apart.http.get<{ order: { version: number } }>(path, { token: sam });
        const { version } = detail.body.order;
        return postAsStaff(apart.http, `${path}/${name}`, { version, ...body }, { token: sam });
      };
      await send('claim', {});
      expect((await send('offers', { offers })).status).toBeLessThan(300);
    };
    const wider = { ...exact, name: 'Dark fibre', bandwidthProvisioned: 40, bandwidthCapacity: 40 };
    const [mast, fast] = enquiries.map(({ enquiryId }) => enquiryId);
    await answer(fast!, [wider, exact, { ...offered, name: 'Slow' }]);
    const [, , waiting, line] = (await client.read(id)).lines;
    expect(waiting).toMatchObject({ state: 'enquired', product: null, offerId: null });
    expect(line).toMatchObject({
      ...{ state: 'offered', held: false, enquiryId: fast, orderId: null },
      product: { name: offered.name, price: offered.price, priceUntil: null },
      alternatives: [{ name: 'Dark fibre' }],
    });
    const { offers } = (
      await apart.http.get<ClientEnquiry>(`/product-availability/enquiry/${fast}`, { token: own })
    ).body;
    const shown = offers.find(({ offerId }) => offerId === line!.offerId)!;
    expect([shown.product.name, String(shown.validUntil)]).toEqual([
      offered.name,
      line!.offerValidUntil,
    ]);
    const copied = await client.read((await client.copy(id)).body.quoteId);
    const { productCode, term, price, setupPrice, currency } = line!.product!;
    expect(copied.lines.slice(2, 4).map(({ state, was }) => [state, was])).toEqual([
      ['notAvailable', null],
      ['notAvailable', { productCode, term, price, setupPrice, currency }],
    ]);
    expect((await client.accept(id, { lines: ['4', '3'] })).body.lines).toEqual([
      { lineId: '3', reason: 'notPriced' },
    ]);
    const details = { reference: 'PO-7', contact: { name: 'Noor' }, acceptExtraUpTo: 50 };
    const { body } = await client.accept(id, { lines: ['4', '1'], ...details }, 'both');
    expect(body.orders.map(({ lineId }) => lineId)).toEqual(['4', '1']);
    expect((await client.accept(id, { lines: ['4', '1'], ...details }, 'both')).body).toEqual(body);
    for (const { lineId, orderId } of body.orders) {
      const order = await client.orderOf(orderId);
      expect(order).toMatchObject({ quoteId: id, lineId, reference: 'PO-7', acceptExtraUpTo: 50 });
    }
    expect((await client.orderOf(body.orders[0]!.orderId)).product.name).toBe(offered.name);
    const after = await client.read(id);
    expect(after.lines[3]).toMatchObject({
      ...{ state: 'ordered', orderId: body.orders[0]!.orderId, offerId: line!.offerId },
      product: { name: offered.name },
      alternatives: [],
    });
    expect((await client.accept(id, { lines: ['4'] })).body.lines).toEqual([
      { lineId: '4', reason: 'alreadyOrdered', orderId: body.orders[0]!.orderId },
    ]);
    await answer(mast!, [{ ...offered, validUntil: '2026-03-20' }]);
    clock.advance({ days: 29 });
    const left = (await client.read(id)).lines[2];
    expect(left).toMatchObject({ state: 'offered', product: null, offerId: null });
    expect((await client.accept(id, { lines: ['3'] })).body.lines).toEqual([
      { lineId: '3', reason: 'offerExpired' },
    ]);
  });

  it('are erased with their order, and with what the quote says of persons', async () => {
    const own = quotesOf(service, await service.given.token());
    const uprn = '100023336956';
    const about = { reference: 'Zed-1', customer: 'Zed Trust' };
    const named = [{ ...sites[0], site: 'Zed House', notes: 'Ring Zed', uprn }, sites[1]];
    const id = await own.made({ ...quoteRequest, ...about, sites: named });
    const { orderId } = (await own.accept(id, { lines: ['1'] })).body.orders[0]!;
    const before = await own.read(id);
    const erase = () => service.get(ErasureService).erase(orderId, operator);
    expect((await erase()).fields).toEqual(['notes', 'clientReference', 'uprn']);
    const after = await own.read(id);
    expect(after).toMatchObject({ customer: null, reference: null, totals: before.totals });
    expect(after.lines).toEqual([
      { ...before.lines[0], site: null, notes: null, uprn: null },
      before.lines[1],
    ]);
    const { body } = await service.http.get<{ entries: { action: string; details: object }[] }>(
      `/follow-up/orders/${orderId}`,
      { token: await service.given.staffToken() },
    );
    expect(JSON.stringify(body)).not.toMatch(/Zed|100023336956/);
    expect((await own.accept(id, { lines: ['2'] })).status).toBe(201);
  });

  it('are erased each, where several erasures run at once', async () => {
    const own = quotesOf(service, await service.given.token());
    const named = Array.from({ length: 8 }, (_site, i) => ({ ...sites[0], notes: `Zed ${i}` }));
    const id = await own.made({ ...quoteRequest, sites: named });
    const lines = named.map((_site, i) => String(i + 1));
    const { orders } = (await own.accept(id, { lines })).body;
    const erasures = service.get(ErasureService);
    await Promise.all(orders.map(({ orderId }) => erasures.erase(orderId, operator)));
    const after = await own.read(id);
    expect(after.lines.map(({ site, notes }) => site ?? notes)).toEqual(lines.map(() => null));
  });

  rule('of test tokens stay in the sandbox', async () => {
    const own = quotesOf(service, await service.given.token({ kind: 'test' }));
    const places = ['ZZ99 1AA', 'ZZ99 1AB', 'ZZ99 9ZZ'].map((postcode) => ({ postcode }));
    const id = await own.made({ wanted: { bandwidth: 1, term: 12 }, sites: places });
    const quote = await own.read(id);
    expect(quote.lines[0]).toMatchObject({
      state: 'priced',
      product: { productCode: 'TEST-1G-12' },
    });
    expect(quote.lines[2]!.problem!.detail).toContain('sandbox');
    const before = await client.orders();
    const { body } = await own.accept(id, { lines: ['1'] });
    expect(body.message).toContain('test');
    expect(await own.orderOf(body.orders[0]!.orderId)).toMatchObject({ quoteId: id, lineId: '1' });
    expect(await client.orders()).toEqual(before);
    expect(await client.read(id)).toMatchObject({ code: 'not-found' });
    expect((await client.list()).items.map(({ quoteId }) => quoteId)).not.toContain(id);
  });
});
