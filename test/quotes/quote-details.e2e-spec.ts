import { beforeAll, beforeEach, expect, it } from '@jest/globals';
import { ClientsService } from '../../src/clients/clients.service.js';
import { ErasureService } from '../../src/orders/erasure.service.js';
import type { ClientEnquiry } from '../../src/orders/record/enquiries.dto.js';
import { AuditEntry } from '../../src/platform/audit/audit-entry.entity.js';
import { operator } from '../../src/platform/audit/audit.service.js';
import { Transactions } from '../../src/platform/database/transactions.js';
import { type QuoteRefusal, quotesOf } from '../support/quotes.js';
import { onOneEngine, type Service, startService } from '../support/service.js';
import { StaffBrowser } from '../support/staff-browser.js';

onOneEngine('lines of quotes', (engine) => {
  let apart: Service;
  beforeAll(async () => {
    apart = await startService(engine, { config: { rateLimits: false } });
  });
  beforeEach(() => apart.set({}));

  it('cost less where many are of one service, also as orders and after a publication', async () => {
    apart.set({ quoteHold: 'firm' });
    const publish = (percent: number, amount = '100.00') =>
      apart.given.catalogue({
        products: [
          'ETH-1G-12,1G Ethernet,1,1,12,,,Ethernet',
          'INT-1G-12,1G Internet,1,1,12,,,Internet',
        ],
        prices: [
          `INT-1G-12,ONNET,standard,${amount},GBP,9,50.00,firm`,
          `ETH-1G-12,ONNET,standard,${amount},GBP,9,50.00,subjectToSurvey`,
        ],
        volume: ['standard,*,3,10', `standard,ETH-*,2,${percent}`],
      });
    await publish(12.5);
    const own = quotesOf(apart, await apart.given.token());
    const wanted = (service: string, i: number) => {
      return { postcode: 'EC2A 2BS', uprn: String(i + 1), wanted: { service } };
    };
    const body = {
      wanted: { bandwidth: 1 },
      sites: [...Array<string>(3).fill('Internet'), 'ETHERNET', 'ethernet'].map(wanted),
    };
    const id = await own.made(body);
    const quote = await own.read(id);
    expect(
      quote.lines.map(({ product, discountPercent, totalContractValue, held }) => [
        ...[product!.price, discountPercent, totalContractValue, held],
      ]),
    ).toEqual([
      ...Array<unknown>(3).fill([90, 10, 1_130, true]),
      ...Array<unknown>(2).fill([87.5, 12.5, 1_100, false]),
    ]);
    expect(quote.totals.map(({ monthly }) => monthly)).toEqual([270, 175]);
    const two = await own.made({ ...body, sites: body.sites.slice(0, 2) });
    const [alone] = (await own.read(two)).lines;
    expect([alone!.product!.price, alone!.discountPercent]).toEqual([100, null]);
    const order = async (line: string) => {
      const reply = await own.accept(id, { lines: [line] });
      if (reply.status !== 201) return reply.body.lines;
      return (await own.orderOf(reply.body.orders[0]!.orderId)).product.price;
    };
    expect([await order('1'), await order('4')]).toEqual([90, 87.5]);
    await publish(2);
    // The held line keeps its discount; the other one would cost more today.
    expect(await order('2')).toBe(90);
    expect(await order('5')).toEqual([{ lineId: '5', reason: 'offerChanged' }]);
  });

  it('of the sandbox have its discounts, and real places the live ones', async () => {
    apart.set({ quoteHold: 'none' });
    await apart.given.catalogue({ volume: ['*,*,2,50'] });
    const own = quotesOf(apart, await apart.given.token({ kind: 'test' }));
    const places = Array.from({ length: 10 }, (_, i) => ({
      postcode: 'ZZ99 1AA',
      uprn: String(i + 1),
    }));
    const id = await own.made({ wanted: { bandwidth: 1, term: 12 }, sites: places });
    const [first] = (await own.read(id)).lines;
    expect(first).toMatchObject({ state: 'priced', held: false, discountPercent: 5 });
    const real = places.slice(0, 2).map(({ uprn }) => ({ postcode: 'EC2A 2BS', uprn }));
    const ofReal = await own.made({ wanted: { bandwidth: 1 }, sites: real });
    expect((await own.read(ofReal)).lines[0]).toMatchObject({ discountPercent: 50 });
    const { status, body } = await own.accept(id, { lines: ['1'] });
    expect([status, body.lines]).toEqual([201, undefined]);
    expect((await own.orderOf(body.orders[0]!.orderId)).product.price).toBe(first!.product!.price);
  });

  it('need as many places in one order as their discount, where it counts what is ordered', async () => {
    apart.set({ volumeCounts: 'order' });
    await apart.given.catalogue({ volume: ['*,*,2,10'] });
    const own = quotesOf(apart, await apart.given.token());
    const place = (uprn?: string) => ({ postcode: 'EC2A 2BS', uprn });
    const sites = [place('1'), place('2'), place('2'), place('3')];
    const id = await own.made({ wanted: { bandwidth: 1, term: 12 }, sites });
    const { lines } = await own.read(id);
    expect(
      lines.map(({ discountPercent, discountFrom }) => [discountPercent, discountFrom]),
    ).toEqual(lines.map(() => [10, 2]));
    const refused = (lineId: string) => ({ lineId, reason: 'tooFewPlaces' });
    const outcome = async (...asked: string[]) => {
      const { status, body } = await own.accept(id, { lines: asked });
      return [status, body.lines];
    };
    expect(await outcome('1')).toEqual([422, [refused('1')]]);
    expect(await outcome('2', '3')).toEqual([422, [refused('2'), refused('3')]]);
    expect(await outcome('1', '2')).toEqual([201, undefined]);
  });

  it('say which earlier line they repeat, also in the answer and in its replay', async () => {
    await apart.given.catalogue();
    const own = quotesOf(apart, await apart.given.token());
    const sites = ['Depot', 'depot ', 'Yard'].map((site) => ({ site, postcode: 'EC2A 2BS' }));
    const body = { wanted: { bandwidth: 1 }, sites };
    const duplicates = [{ lineId: '2', sameAs: '1' }];
    for (const status of [201, 201]) {
      const reply = await own.send(body, 'same');
      expect([reply.status, reply.body]).toEqual([status, expect.objectContaining({ duplicates })]);
    }
    const [quote] = (await own.list()).items;
    const { lines } = await own.read(quote!.quoteId);
    expect(lines.map(({ state, sameAs }) => [state, sameAs])).toEqual([
      ...[
        ['priced', null],
        ['priced', '1'],
        ['priced', null],
      ],
    ]);
  });

  it('carry details of their sites to orders and enquiries, and name an interconnect', async () => {
    await apart.given.catalogue({
      products: ['ETH-1G-12,1G Ethernet,1,1,12,,,Ethernet,yes'],
      prices: ['ETH-1G-12,ONNET,standard,100.00,GBP,9'],
    });
    const reseller = await apart.given.client({ name: 'Acme' });
    const own = quotesOf(apart, await apart.given.token({ client: reseller }));
    const siteContact = { name: 'Zelda Site', phone: '+44 20 7946 0111' };
    const details = {
      organisation: 'Zeta Primary',
      address: ['Unit 3', '12 Zed Road'],
      siteContact,
    };
    const request = {
      wanted: { bandwidth: 1 },
      sites: [
        { postcode: 'EC2A 2BS', details },
        { postcode: 'AB10 1AB', details },
        { postcode: 'EC2A 2BS', details: { interconnect: 'NNI-NONE' } },
        { postcode: 'EC2A 2BS', details: { floor: 7 } },
      ],
    };
    const id = await own.made(request);
    const quote = await own.read(id);
    expect(quote.lines.map(({ problem }) => problem?.code ?? null)).toEqual([
      ...[null, null, 'unknown-interconnect', 'validation-error'],
    ]);
    expect(quote.lines[0]).toMatchObject({ details, product: { needsInterconnect: true } });
    const refusal = async (about: object) =>
      (await own.accept(id, { lines: ['1'], ...about })).body.lines?.[0]?.reason;
    expect(await refusal({})).toBe('interconnectRequired');
    expect(await refusal({ details: { interconnect: 'NNI-LON1' } })).toBe('unknownInterconnect');
    const clients = apart.get(ClientsService);
    const interconnect = { code: 'NNI-LON1', label: 'Telehouse North, 10G' };
    await clients.addInterconnect(reseller.id, interconnect, operator);
    const invalid = async (sites: object) =>
      (await own.accept(id, { lines: ['1'], sites: sites as never })).body.errors?.[0]?.pointer;
    expect(await invalid({ 2: {} })).toBe('/sites/2');
    expect(await invalid({ 1: 'floor' })).toBe('/sites/1');
    expect(await invalid({ 1: { storey: '2' } })).toBe('/sites/1/storey');
    expect(await invalid({ 1: { address: [] } })).toBe('/sites/1/address');
    const { body } = await own.accept(id, {
      lines: ['1'],
      details: { interconnect: 'NNI-LON1', floor: '1' },
      sites: { 1: { floor: '2', room: '2.14' } },
    });
    const { orderId } = body.orders[0]!;
    const ordered = { ...details, interconnect: 'NNI-LON1', floor: '2', room: '2.14' };
    expect((await own.orderOf(orderId)).details).toEqual(ordered);
    const { enquiryId } = (await own.ask(id)).body.enquiries[0]!;
    const token = await apart.given.token({ client: reseller });
    const enquiry = await apart.http.get<ClientEnquiry>(
      `/product-availability/enquiry/${enquiryId}`,
      { token },
    );
    expect(enquiry.body.details).toEqual(details);
    const me = await apart.http.get<{ client: object }>('/product-availability/me', { token });
    expect(me.body.client).toMatchObject({ interconnects: [interconnect] });

    const order = { postcode: 'EC2A 2BS', productCode: 'ETH-1G-12' };
    const place = async (about: object) => {
      const path = '/product-availability/order';
      const reply = await apart.http.post<QuoteRefusal>(path, { ...order, ...about }, { token });
      return [reply.status, reply.body.code];
    };
    expect(await place({})).toEqual([422, 'interconnect-required']);
    const unknown = { details: { interconnect: 'NNI-LON2' } };
    expect(await place(unknown)).toEqual([422, 'unknown-interconnect']);
    expect(await place({ details: { interconnect: 'NNI-LON1' } })).toEqual([201, undefined]);

    const agent = await StaffBrowser.signedIn(apart, { role: 'agent' });
    const found = await agent.get('/staff/search?q=zelda');
    const page = await agent.get(`/staff/orders/${orderId}`);
    const shown = await agent.get(page.headers.location ?? found.headers.location!);
    for (const words of [
      'Zeta Primary',
      '12 Zed Road',
      'floor 2',
      'ask for Zelda Site',
      'NNI-LON1',
    ]) {
      expect(shown.text).toContain(words);
    }
    const erased = await apart.get(ErasureService).erase(orderId, operator);
    expect(erased.fields).toEqual(
      ['organisation', 'address', 'siteContact', 'floor', 'room'].map((name) => `details.${name}`),
    );
    expect((await own.orderOf(orderId)).details).toEqual({ interconnect: 'NNI-LON1' });
    const timeline = () =>
      apart
        .get(Transactions)
        .read((tx) => tx.findBy(AuditEntry, { subjectId: orderId, action: 'erased' }));
    // Of the line: its organisation, its address and its contact.
    expect((await timeline()).map(({ details: of }) => of)).toMatchObject([{ notes: 3 }]);
    await apart.get(ErasureService).erase(orderId, operator);
    expect(await timeline()).toHaveLength(1);
    expect((await own.read(id)).lines[0]!.details).toBeNull();
    await clients.removeInterconnect(reseller.id, 'NNI-LON1', operator);
    expect(await place({ details: { interconnect: 'NNI-LON1' } })).toEqual([
      ...[422, 'unknown-interconnect'],
    ]);
  });
});
