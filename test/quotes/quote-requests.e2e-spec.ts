import { beforeAll, expect, it } from '@jest/globals';
import { In } from 'typeorm';
import { OfferExpiryService } from '../../src/orders/offers/offer-changes.service.js';
import { Order } from '../../src/orders/record/order.entity.js';
import { Transactions } from '../../src/platform/database/transactions.js';
import { DAY } from '../../src/platform/kernel/time.js';
import { londonDay } from '../../src/platform/kernel/working-hours.js';
import { line as offered } from '../support/offers.js';
import { quoteRequest, quotesOf, sites } from '../support/quotes.js';
import { onOneEngine, type Service, startService } from '../support/service.js';
import { postAsStaff } from '../support/moves.js';

onOneEngine('requests about a quote', (engine) => {
  let service: Service;

  beforeAll(async () => {
    service = await startService(engine, { config: { rateLimits: false } });
    await service.given.catalogue();
  });

  it('ask for a hundred gaps at once', async () => {
    const own = quotesOf(service, await service.given.token());
    const gaps = Array.from({ length: 103 }, () => ({ postcode: 'AB10 1AB' }));
    const id = await own.made({ wanted: { bandwidth: 1 }, sites: [...gaps, sites[0]] });
    const asked = async () => (await own.ask(id)).body.enquiries?.map(({ lineId }) => lineId);
    expect(await asked()).toHaveLength(100);
    expect(await asked()).toEqual(['101', '102', '103']);
    expect(await asked()).toBeUndefined();
    expect((await own.read(id)).counts).toMatchObject({ enquired: 103, notAvailable: 0 });
  });

  it('say how many were received', async () => {
    const own = quotesOf(service, await service.given.token());
    const gap = { postcode: 'AB10 1AB' };
    const wanted = { bandwidth: 1 };
    const id = await own.made({ wanted, sites: [sites[0], gap, sites[0], gap, gap] });
    const replies = [
      await own.accept(id, { lines: ['3'] }),
      await own.ask(id, { lines: ['4'] }),
      await own.ask(id),
    ];
    const next = 'A member of our team will contact you.';
    expect(replies.map(({ body }) => body.message)).toEqual([
      `1 order was received. ${next}`,
      `1 enquiry was received. ${next}`,
      `2 enquiries were received. ${next}`,
    ]);
    const path = `/product-availability/quote/${id}`;
    expect(replies.map(({ headers }) => headers.location)).toEqual([path, path, path]);
    const tester = quotesOf(service, await service.given.token({ kind: 'test' }));
    const test = await tester.made({ wanted, sites: [{ postcode: 'ZZ99 1AA' }] });
    expect((await tester.accept(test, { lines: ['1'] })).body.message).toBe(
      '1 order was received. This is a test: no one will contact you.',
    );
  });

  it('become orders and enquiries with all that the quote and the request say', async () => {
    const apart = await startService(engine, { config: { rateLimits: false } });
    await apart.given.catalogue({
      products: ['INT-2G-12,2G Internet,2,10,12,,,Internet'],
      prices: ['INT-2G-12,LIT,partner,400.50,GBP,20,75.00,subjectToSurvey'],
      coverage: ['EC2A,ONNET'],
      premises: ['70,EC2A 2BS,Mill,LIT'],
    });
    const partner = await apart.given.client({ priceList: 'partner' });
    const own = quotesOf(apart, await apart.given.token({ client: partner }));
    const place = { postcode: 'EC2A 2BS', uprn: '70' };
    const id = await own.made({
      ...{ reference: 'RFQ-1', wanted: { bandwidth: 1, term: 12 } },
      sites: [place, place, { ...place, wanted: { bandwidth: 5, term: 24 } }],
    });
    const contact = { name: 'Ola', email: 'ola@site.example', phone: '+44 20 7946 0111' };
    const more = { reference: 'PO-2', contact, acceptExtraUpTo: 12.5, expedite: true };
    const [plain, full] = [
      await own.accept(id, { lines: ['1'] }),
      await own.accept(id, { lines: ['2'], ...more }),
    ].map(({ body }) => body.orders[0]!.orderId);
    const enquiry = (await own.ask(id)).body.enquiries[0]!.enquiryId;
    const stored = await apart.get(Transactions).read((tx) => tx.find(Order));
    const of = (one: string) => stored.find((order) => order.id === one);
    const quoted = { quoteId: id, kind: 'order', postcode: 'EC2A 2BS', uprn: 70, checkId: null };
    const priced = {
      ...{ ...quoted, productCode: 'INT-2G-12', productFamily: 'INT', bandwidthMbps: 2_000 },
      ...{ termMonths: 12, amountMinor: 40_050, currency: 'GBP', basis: 'subjectToSurvey' },
      ...{ zone: 'LIT', priceList: 'partner', catalogueVersion: 1, enquiryId: null, wanted: null },
    };
    expect(of(plain!)).toMatchObject({
      ...{ ...priced, quoteLine: 1, clientReference: 'RFQ-1', contactName: null },
      ...{ acceptExtraMinor: null, expedite: false },
    });
    expect(of(full!)).toMatchObject({
      ...{ ...priced, quoteLine: 2, clientReference: 'PO-2', contactName: 'Ola' },
      ...{ acceptExtraMinor: 1_250, expedite: true },
    });
    expect(of(enquiry)).toMatchObject({
      ...{ ...quoted, kind: 'enquiry', quoteLine: 3, clientReference: 'RFQ-1', productCode: null },
      ...{ bandwidthMbps: 5_000, termMonths: 24, amountMinor: null, currency: null, basis: null },
      ...{ zone: 'LIT', priceList: 'partner', catalogueVersion: null, enquiryId: null },
      ...{ wanted: { bandwidth: 5, term: 24, description: null }, acceptExtraMinor: null },
      ...{ productFamily: null, terms: null, nearest: null, expedite: false },
    });
  });

  it('are answered again with their key after the quote has expired', async () => {
    const { clock } = service;
    const own = quotesOf(service, await service.given.token({ days: 100 }));
    const id = await own.made();
    const first = [
      await own.accept(id, { lines: ['2', '1'] }, 'k-3'),
      await own.ask(id, {}, 'k-4'),
    ];
    clock.advance({ days: 31 });
    const again = [
      await own.accept(id, { lines: ['2', '1'] }, 'k-3'),
      await own.ask(id, {}, 'k-4'),
    ];
    expect(again.map(({ status, body }) => [status, body])).toEqual(
      first.map(({ body }) => [201, body]),
    );
    expect(again.map(({ headers }) => headers['idempotent-replayed'])).toEqual(['true', 'true']);
    expect(first.map(({ headers }) => headers['idempotent-replayed'])).toEqual([
      ...[undefined, undefined],
    ]);
    expect((await own.ask(id, {}, 'k-5')).body.code).toBe('quote-expired');
  });

  it('name what is wrong with the details of a line by its pointer', async () => {
    const own = quotesOf(service, await service.given.token());
    const id = await own.made();
    const fault = async (details: object) => {
      const { status, body } = await own.accept(id, { lines: ['1'], sites: details as never });
      return [status, body.errors?.map(({ pointer, ...rest }) => [pointer, { ...rest }])];
    };
    const isNot = (pointer: string, detail: string, code: string) => [
      ...[400, [[pointer, { code, detail }]]],
    ];
    const also = 'Name the line in lines, too.';
    expect(await fault({ 'a/b~': {} })).toEqual(isNot('/sites/a~1b~0', also, 'not-allowed'));
    for (const details of [[], null, 7]) {
      expect(await fault({ 1: details })).toEqual(
        isNot('/sites/1', 'Must be an object.', 'wrong-type'),
      );
    }
    const replies = await Promise.all([1, 2].map((line) => fault({ 1: {}, [line]: { room: 3 } })));
    expect(replies.map(([, errors]) => (errors as [string][])[0]![0])).toEqual([
      ...['/sites/1/room', '/sites/2'],
    ]);
  });

  it('order the offer that the client has read, and no newer one', async () => {
    const own = quotesOf(service, await service.given.token());
    const sam = await service.given.token({ staff: await service.given.staff() });
    const gap = { postcode: 'AB10 1AB' };
    const id = await own.made({ wanted: { bandwidth: 1, term: 24 }, sites: [sites[1], gap, gap] });
    const asked = (await own.ask(id)).body.enquiries.map(({ enquiryId }) => enquiryId);
    const send = async (enquiryId: string, name: string, body: object = {}) => {
      const path = `/follow-up/orders/${enquiryId}`;
      const detail = await service.http.get<{ order: { version: number } }>(path, { token: sam });
      const { version } = detail.body.order;
      const sent = { version, ...body };
      expect(
        (await postAsStaff(service.http, `${path}/${name}`, sent, { token: sam })).status,
      ).toBeLessThan(300);
    };
    const answer = async (...prices: number[]) => {
      const offers = prices.map((price) => ({ ...offered, price }));
      for (const enquiryId of asked) await send(enquiryId, 'offers', { offers });
      const { lines } = await own.read(id);
      return lines.slice(1).map(({ offerId, product }) => [offerId, product!.price] as const);
    };
    for (const enquiryId of asked) await send(enquiryId, 'claim');
    const [[read], [other]] = (await answer(500)) as [[string, number], [string, number]];
    const newer = (await answer(600, 700)) as [[string, number], [string, number]];
    expect(newer.map(([, price]) => price)).toEqual([600, 600]);
    const order = async (offers: object, lines = ['2']) => {
      const { body } = await own.accept(id, { lines, offers: offers as never });
      return body.lines ?? body.errors?.map(({ pointer }) => pointer) ?? body.orders[0]!.orderId;
    };
    const changed = (...lines: string[]) => {
      return lines.map((lineId) => ({ lineId, reason: 'offerChanged' }));
    };
    expect(await order({ 2: read })).toEqual(changed('2'));
    expect(await order({ 2: read, 3: other }, ['2', '3'])).toEqual(changed('2', '3'));
    // Of another line, or of none.
    expect(await order({ 2: newer[1][0] })).toEqual(changed('2'));
    expect(await order({ 2: null })).toEqual(changed('2'));
    expect(await order({ 1: read }, ['1'])).toEqual(changed('1'));
    expect(await order({ 3: read })).toEqual(['/offers/3']);
    for (const wrong of ['x', 7, {}]) expect(await order({ 2: wrong })).toEqual(['/offers/2']);
    expect((await own.read(id)).counts).toMatchObject({ ordered: 0, offered: 2 });
    const priceOf = async (orderId: unknown) => {
      return (await own.orderOf(orderId as string)).product.price;
    };
    const ordered = await order({ 1: null, 2: newer[0][0] }, ['2', '1']);
    expect(await priceOf(ordered)).toBe(600);
    const enquiry = await service.http.get<{
      offers: { offerId: string; product: { price: number } }[];
    }>(`/follow-up/orders/${asked[1]!}`, { token: sam });
    const second = enquiry.body.offers.find(({ product }) => product.price === 700)!;
    expect(await priceOf(await order({ 3: second.offerId }, ['3']))).toBe(700);
  });

  it('refuse a line whose offer has gone with the reason', async () => {
    const { clock } = service;
    const own = quotesOf(service, await service.given.token({ days: 100 }));
    const sam = await service.given.token({ staff: await service.given.staff(), days: 100 });
    const gap = { postcode: 'AB10 1AB' };
    const id = await own.made({ wanted: { bandwidth: 1, term: 24 }, sites: [gap, gap] });
    const asked = (await own.ask(id)).body.enquiries.map(({ enquiryId }) => enquiryId);
    const send = async (enquiryId: string, name: string, body: object) => {
      const path = `/follow-up/orders/${enquiryId}/${name}`;
      const reply = await postAsStaff(service.http, path, body, { token: sam });
      expect(reply.status).toBeLessThan(300);
    };
    const validUntil = londonDay(new Date(clock.now().getTime() + 2 * DAY));
    for (const enquiryId of asked) {
      await send(enquiryId, 'claim', { version: 0 });
      await send(enquiryId, 'offers', { version: 1, offers: [{ ...offered, validUntil }] });
    }
    const [first, second] = (await own.read(id)).lines.map(({ offerId }) => offerId!);
    await send(asked[1]!, `offers/${second}/withdrawal`, {});
    const refused = async (lineId: string, offerId?: string | null) => {
      const offers = offerId === undefined ? {} : { offers: { [lineId]: offerId as string } };
      return (await own.accept(id, { lines: [lineId], ...offers })).body.lines![0]!.reason;
    };
    expect([await refused('2', second), await refused('2'), await refused('2', null)]).toEqual([
      ...['offerChanged', 'notPriced', 'notPriced'],
    ]);
    clock.advance({ days: 7 });
    const expired = async () => [await refused('1', first), await refused('1')];
    expect(await expired()).toEqual(['offerExpired', 'offerExpired']);
    await service.get(OfferExpiryService).endOffers();
    expect((await own.read(id)).lines[0]!.state).toBe('notAvailable');
    expect(await expired()).toEqual(['offerExpired', 'offerExpired']);
  });

  it('take null as left out', async () => {
    const own = quotesOf(service, await service.given.token());
    const id = await own.made();
    const nothing = { offers: null, sites: null, details: null, contact: null, reference: null };
    const more = { acceptExtraUpTo: null, expedite: null };
    const { status, body } = await own.accept(id, { lines: ['1'], ...nothing, ...more } as never);
    expect([status, body.orders?.map(({ lineId }) => lineId)]).toEqual([201, ['1']]);
    expect((await own.ask(id, { lines: null, notes: null } as never)).status).toBe(201);
  });

  it('refuse a line that is not held where its product is not sold any more', async () => {
    const apart = await startService(engine, { config: { rateLimits: false, quoteHold: 'none' } });
    const publish = (product: string, leadTime: number) =>
      apart.given.catalogue({ prices: [`${product},ONNET,standard,550.00,GBP,${leadTime}`] });
    await publish('INT-1G-12', 84);
    const own = quotesOf(apart, await apart.given.token());
    const id = await own.made({ wanted: { bandwidth: 1 }, sites: [sites[0]] });
    for (const [product, leadTime] of [
      ['INT-1G-36', 84],
      ['INT-1G-12', 85],
    ] as const) {
      await publish(product, leadTime);
      expect((await own.accept(id, { lines: ['1'] })).body.lines).toEqual([
        { lineId: '1', reason: 'offerChanged' },
      ]);
    }
    await publish('INT-1G-12', 84);
    expect((await own.accept(id, { lines: ['1'] })).status).toBe(201);
  });

  it('order a line that is not held at the terms of its premises', async () => {
    const apart = await startService(engine, { config: { rateLimits: false, quoteHold: 'none' } });
    await apart.given.catalogue({
      prices: ['INT-1G-12,ONNET,standard,550.00,GBP,84', 'INT-1G-12,LIT,standard,400.00,GBP,20'],
      premises: ['70,EC2A 2BS,Mill,LIT'],
    });
    const own = quotesOf(apart, await apart.given.token());
    const site = { postcode: 'EC2A 2BS', uprn: '70' };
    const id = await own.made({ wanted: { bandwidth: 1 }, sites: [site] });
    const { status, body } = await own.accept(id, { lines: ['1'] });
    expect(status).toBe(201);
    expect(await own.orderOf(body.orders[0]!.orderId)).toMatchObject({
      ...{ uprn: '70', product: { price: 400 } },
    });
  });

  it('carry the notes of the site, and those of the request', async () => {
    const own = quotesOf(service, await service.given.token());
    const gap = { postcode: 'AB10 1AB' };
    const named = [{ ...gap, notes: 'Ask for Ola.' }, gap, sites[0], sites[1]];
    const id = await own.made({ wanted: { bandwidth: 1 }, sites: named });
    const asked = await own.ask(id, { lines: ['1', '2'], notes: 'By March.' });
    const accepted = await own.accept(id, { lines: ['3', '4'] });
    const ids = [
      ...asked.body.enquiries.map(({ enquiryId }) => enquiryId),
      ...accepted.body.orders.map(({ orderId }) => orderId),
    ];
    const stored = await service.get(Transactions).read((tx) => tx.findBy(Order, { id: In(ids) }));
    expect(ids.map((one) => stored.find((order) => order.id === one)!.notes)).toEqual([
      'Ask for Ola.\nBy March.',
      'By March.',
      'Ask for Ola.',
      null,
    ]);
  });

  it('mark what repeats an earlier request, but no lines of one request', async () => {
    const own = quotesOf(service, await service.given.token());
    const gap = { postcode: 'AB10 1AB' };
    const request = { wanted: { bandwidth: 1 }, sites: [sites[0], sites[0], sites[1], gap, gap] };
    const twinsOf = async (ids: readonly string[]) => {
      const stored = await service
        .get(Transactions)
        .read((tx) => tx.findBy(Order, { id: In([...ids]) }));
      return ids.map((one) => stored.find(({ id }) => id === one)!.possibleDuplicateOf);
    };
    const accepted = async (id: string, lines: string[]) =>
      (await own.accept(id, { lines })).body.orders.map(({ orderId }) => orderId);
    const asked = async (id: string) =>
      (await own.ask(id)).body.enquiries.map(({ enquiryId }) => enquiryId);
    const [one, other] = [await own.made(request), await own.made(request)];
    const orders = await accepted(one, ['1', '2']);
    const enquiries = await asked(one);
    expect(await twinsOf([...orders, ...enquiries])).toEqual([null, null, null, null]);
    const [repeated, elsewhere] = await accepted(other, ['1', '3']);
    const again = await asked(other);
    const [twin, none, ...ofGaps] = await twinsOf([repeated!, elsewhere!, ...again]);
    expect([orders.includes(twin!), none]).toEqual([true, null]);
    expect(ofGaps.map((id) => enquiries.includes(id!))).toEqual([true, true]);
    service.clock.advance({ days: 1, seconds: 1 });
    expect(await twinsOf(await accepted(await own.made(request), ['1']))).toEqual([null]);
  });

  it('refuse the key of a request about another quote', async () => {
    const own = quotesOf(service, await service.given.token());
    const [one, other] = [await own.made(), await own.made()];
    await own.accept(one, { lines: ['1'] }, 'k-1');
    await own.ask(one, {}, 'k-2');
    for (const refused of [
      await own.accept(other, { lines: ['1'] }, 'k-1'),
      await own.ask(other, {}, 'k-2'),
      await own.accept(one, { lines: ['1'] }, 'k-2'),
      await own.ask(one, {}, 'k-1'),
      await own.send(quoteRequest, 'k-1'),
    ]) {
      expect([refused.status, refused.body.code]).toEqual([422, 'idempotency-key-reused']);
    }
    expect((await own.read(other)).counts).toMatchObject({ ordered: 0, enquired: 0 });
  });

  it('of one spreadsheet in the sandbox bring its lines into every state', async () => {
    const own = await service.given.token({ kind: 'test' });
    const tester = quotesOf(service, own);
    const places = ['1AA', '1AA', '1AB', '1AD', '1BA', '1BB', '1'].map((end) => `ZZ99 ${end}`);
    const { body } = await service.http.send<{ quoteId: string }>({
      ...{ method: 'POST', path: '/product-availability/quote?bandwidth=1&term=12', token: own },
      headers: { 'Content-Type': 'text/csv' },
      body: ['postcode', ...places].join('\n'),
    });
    const states = async () => (await tester.read(body.quoteId)).lines.map(({ state }) => state);
    const gaps = ['notAvailable', 'notAvailable', 'notAvailable', 'notAvailable'];
    expect(await states()).toEqual(['priced', 'priced', ...gaps, 'invalid']);
    const asked = await tester.ask(body.quoteId, { lines: ['4', '5', '6'] });
    const [, unable, offer] = asked.body.enquiries.map(({ enquiryId }) => enquiryId);
    for (const enquiryId of [unable, unable, offer]) {
      const path = `/product-availability/test/enquiry/${enquiryId}/advance`;
      expect((await service.http.post(path, {}, { token: own })).status).toBe(200);
    }
    await tester.accept(body.quoteId, { lines: ['1'] });
    expect(await states()).toEqual([
      ...['ordered', 'priced', 'notAvailable', 'enquired', 'unableToProvide', 'offered'],
      'invalid',
    ]);
    expect((await tester.accept(body.quoteId, { lines: ['6', '2'] })).status).toBe(201);
  });
});
