import { beforeAll, expect, it } from '@jest/globals';
import { In } from 'typeorm';
import { Order } from '../../src/orders/record/order.entity.js';
import { Transactions } from '../../src/platform/database/transactions.js';
import { quoteRequest, quotesOf, sites } from '../support/quotes.js';
import { onBothEngines, type Service, startService } from '../support/service.js';

onBothEngines('requests about a quote', (engine) => {
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
});
