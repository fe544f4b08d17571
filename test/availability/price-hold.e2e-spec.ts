import { beforeEach, expect, it } from '@jest/globals';
import { ApiClient } from '../../src/clients/api-client.entity.js';
import { RevisionsService } from '../../src/platform/database/revisions.service.js';
import { Transactions } from '../../src/platform/database/transactions.js';
import { smallCatalogue, emptyTerms } from '../support/given.js';
import { onBothEntrances } from '../support/entrances.js';
import { type Service, startService } from '../support/service.js';

interface Body {
  readonly id: string;
  readonly orderId: string;
  readonly code: string;
  readonly product: { readonly price: number; readonly leadTimeDays: number };
  readonly quoted: unknown;
  readonly current: unknown;
  readonly availableProducts: string[];
}

/** Another price and lead time for INT-1G-12 at EC2A; `without` has it no longer there at all. */
const dearer = {
  prices: smallCatalogue.prices.map((row) =>
    row.startsWith('INT-1G-12,ONNET,standard') ? 'INT-1G-12,ONNET,standard,600.00,GBP,90' : row,
  ),
};
/** The same row with one of its terms changed. */
const changedTerms = [
  ['price', '550.01,GBP,84', { price: 550.01, currency: 'GBP', leadTimeDays: 84, ...emptyTerms }],
  ['currency', '550.00,EUR,84', { price: 550, currency: 'EUR', leadTimeDays: 84, ...emptyTerms }],
  [
    'set-up price',
    '550.00,GBP,84,0',
    { price: 550, currency: 'GBP', leadTimeDays: 84, ...emptyTerms, setupPrice: 0 },
  ],
  [
    'basis',
    '550.00,GBP,84,,subjectToSurvey,no',
    { price: 550, currency: 'GBP', leadTimeDays: 84, ...emptyTerms, basis: 'subjectToSurvey' },
  ],
  ['lead time', '550.00,GBP,85', { price: 550, currency: 'GBP', leadTimeDays: 85, ...emptyTerms }],
] as const;
const without = {
  prices: smallCatalogue.prices.filter((row) => !row.startsWith('INT-1G-12,ONNET,standard')),
};

onBothEntrances('an order that cites a check', (engine) => {
  let service: Service;
  let client: ApiClient;
  let token: string;
  let checkId: string;

  beforeEach(async () => {
    service ??= await startService(engine, { config: { rateLimits: false } });
    await service.given.catalogue();
    client = await service.given.client();
    token = await service.given.token({ client });
    checkId = (await look('EC2A 2BS')).id;
    await service.flushChecks();
  });

  async function look(postcode: string): Promise<Body> {
    const path = `/product-availability/postcode/${encodeURIComponent(postcode)}`;
    return (await service.http.get<Body>(path, { token })).body;
  }

  async function cite(about: object = {}, as = token) {
    const request = { postcode: 'EC2A 2BS', productCode: 'INT-1G-12', checkId, ...about };
    return service.http.post<Body>('/product-availability/order', request, { token: as });
  }

  /** Price and lead time that the order got. */
  async function terms(orderId: string): Promise<[number, number]> {
    const path = `/product-availability/order/${orderId}`;
    const { body } = await service.http.get<Body>(path, { token });
    return [body.product.price, body.product.leadTimeDays];
  }

  it('keeps its price and lead time for 15 minutes after the catalogue changed', async () => {
    await service.given.catalogue(dearer);
    service.clock.advance({ minutes: 15 });
    const { status, body } = await cite();
    expect(status).toBe(201);
    expect(await terms(body.orderId)).toEqual([550, 84]);
  });

  it('is refused with both terms afterwards, if they differ', async () => {
    await service.given.catalogue(dearer);
    service.clock.advance({ minutes: 15, milliseconds: 1 });
    const { status, body } = await cite();
    expect([status, body.code]).toEqual([409, 'offer-changed']);
    expect([body.quoted, body.current]).toEqual([
      { price: 550, currency: 'GBP', leadTimeDays: 84, ...emptyTerms },
      { price: 600, currency: 'GBP', leadTimeDays: 90, ...emptyTerms },
    ]);
  });

  it.each(changedTerms)(
    'is refused after the hold where only the %s has changed',
    async (_term, row, current) => {
      const prices = smallCatalogue.prices.map((line) =>
        line.startsWith('INT-1G-12,ONNET,standard') ? `INT-1G-12,ONNET,standard,${row}` : line,
      );
      await service.given.catalogue({ prices });
      service.clock.advance({ minutes: 15, milliseconds: 1 });
      const { status, body } = await cite();
      expect([status, body.code]).toEqual([409, 'offer-changed']);
      expect([body.quoted, body.current]).toEqual([
        { price: 550, currency: 'GBP', leadTimeDays: 84, ...emptyTerms },
        current,
      ]);
    },
  );

  it('gets the price of the price list that the client had at the check', async () => {
    await service.get(Transactions).run(async (tx) => {
      await tx.update(ApiClient, { id: client.id }, { priceList: 'partner' });
      await service.get(RevisionsService).bump(tx, 'access');
    });
    await service.learnChanges();
    const uncited = await cite({ checkId: undefined });
    expect(await terms(uncited.body.orderId)).toEqual([499.5, 84]);
    service.clock.advance({ minutes: 15 });
    const cited = await cite();
    expect(await terms(cited.body.orderId)).toEqual([550, 84]);
  });

  it('is accepted afterwards, if they are the same', async () => {
    service.clock.advance({ days: 30 });
    const { status, body } = await cite();
    expect(status).toBe(201);
    expect(await terms(body.orderId)).toEqual([550, 84]);
  });

  it('gets a product that is no longer sold there, but only during the hold', async () => {
    await service.given.catalogue(without);
    expect((await cite()).status).toBe(201);
    service.clock.advance({ minutes: 16 });
    const { status, body } = await cite();
    expect([status, body.code]).toEqual([409, 'offer-changed']);
    expect(body.current).toBeNull();
  });

  it('gets the new terms if it cites no check', async () => {
    await service.given.catalogue(dearer);
    const { body } = await cite({ checkId: undefined });
    expect(await terms(body.orderId)).toEqual([600, 90]);
  });

  it('is refused if the check belongs to another client or place, or does not exist', async () => {
    const another = await service.given.token();
    const foreign = await cite({}, another);
    const elsewhere = await cite({ postcode: 'SW1A 1AA' });
    const unknown = await cite({ checkId: '0000000000' });
    for (const { status, body } of [foreign, elsewhere, unknown]) {
      expect([status, body.code]).toEqual([422, 'unknown-check']);
    }
  });

  it('accepts a check id as people type it', async () => {
    expect((await cite({ checkId: checkId.toLowerCase() })).status).toBe(201);
  });

  it('is refused if the check did not offer the product', async () => {
    const { status, body } = await cite({ productCode: 'INT-100G-60' });
    expect([status, body.code]).toEqual([422, 'product-not-available']);
  });
});

onBothEntrances('a hold time of 0 minutes', (engine) => {
  it('has no price hold', async () => {
    const service = await startService(engine, { config: { priceHoldMinutes: 0 } });
    await service.given.catalogue();
    const token = await service.given.token();
    const { body } = await service.http.get<Body>('/product-availability/postcode/EC2A%202BS', {
      token,
    });
    await service.given.catalogue(dearer);
    service.clock.advance({ seconds: 1 });
    const request = { postcode: 'EC2A 2BS', productCode: 'INT-1G-12', checkId: body.id };
    const answer = await service.http.post('/product-availability/order', request, { token });
    expect(answer.status).toBe(409);
  });
});
