import { beforeAll, expect, it } from '@jest/globals';
import type { OrderDetail } from '../../src/orders/staff/detail.dto.js';
import type { FollowUpOrder } from '../../src/orders/staff/follow-up.dto.js';
import { Transactions } from '../../src/platform/database/transactions.js';
import { Order } from '../../src/orders/record/order.entity.js';
import { onOneEngine, type Service, startService } from '../support/service.js';
import { StaffBrowser } from '../support/staff-browser.js';
import { moveAll, postAsStaff } from '../support/moves.js';

type Answer = FollowUpOrder & {
  readonly errors?: readonly { readonly pointer: string; readonly detail: string }[];
};

onOneEngine('an order for an indicative price', (engine) => {
  let service: Service;
  let sam: StaffBrowser;
  let token: string;

  beforeAll(async () => {
    service = await startService(engine, { config: { rateLimits: false } });
    await service.given.catalogue({
      prices: [
        'INT-1G-12,ONNET,standard,550.00,GBP,84,,indicative',
        'INT-100M-12,ONNET,standard,208.00,GBP,10,0,firm',
      ],
    });
    sam = await StaffBrowser.signedIn(service, { name: 'Sam' });
    token = await service.given.token({ staff: sam.member });
  });

  const post = (id: string, path: string, body: object) =>
    postAsStaff<Answer>(service.http, `/follow-up/orders/${id}/${path}`, body, { token });
  const detailOf = async (id: string) =>
    (await service.http.get<OrderDetail>(`/follow-up/orders/${id}`, { token })).body;
  const claimed = async (productCode: string) => {
    const { orderId } = await service.given.order({ productCode });
    expect((await post(orderId, 'claim', { version: 0 })).status).toBe(200);
    return orderId;
  };
  const monthly = (id: string) =>
    service.get(Transactions).read(async (tx) => {
      const { amountMinor } = await tx.findOneByOrFail(Order, { id });
      return Number(amountMinor);
    });

  it('is won with the prices that were confirmed, and undone with them', async () => {
    const id = await claimed('INT-1G-12');
    for (const [sent, ...pointers] of [
      [{}, '/price', '/setupPrice'],
      [{ price: 560 }, '/setupPrice'],
      [{ setupPrice: 560 }, '/price'],
      [{ price: null, setupPrice: 1 }, '/price'],
      [{ price: 560.001, setupPrice: 1 }, '/price'],
      [{ price: -1, setupPrice: 1 }, '/price'],
    ] as const) {
      const { status, body } = await post(id, 'win', { version: 1, ...sent });
      const errors = pointers.map((pointer) => ({ pointer }));
      expect([sent, status, body.errors]).toMatchObject([sent, 400, errors]);
    }
    const confirmed = { price: 565.5, setupPrice: 950 };
    const won = await post(id, 'win', { version: 1, ...confirmed });
    expect([won.status, won.body]).toMatchObject([200, { state: 'won', confirmed }]);
    expect((await detailOf(id)).timeline.at(-1)).toMatchObject({
      action: 'won',
      details: confirmed,
    });
    expect(await monthly(id)).toBe(56_550);
    const undone = await post(id, 'undo', { version: 2 });
    expect([undone.status, undone.body]).toMatchObject([
      200,
      { state: 'in_progress', confirmed: null },
    ]);
    expect(await monthly(id)).toBe(55_000);
  });

  it('is won together with a call only with these prices', async () => {
    const orderId = await claimed('INT-1G-12');
    const call = { name: 'logContact', channel: 'phone', result: 'reached' } as const;
    const win = (prices: object) =>
      moveAll(service, sam.member, { orderId, version: 1 }, [
        call,
        { name: 'win', at: '/next/win', ...prices },
      ]);
    await expect(win({})).rejects.toMatchObject({
      errors: [{ pointer: '/next/win/price' }, { pointer: '/next/win/setupPrice' }],
    });
    const prices = { price: 560, setupPrice: 0 };
    expect(await win(prices)).toMatchObject({ state: 'won', confirmed: prices });
  });

  it('has no prices to confirm where the price is firm', async () => {
    const id = await claimed('INT-100M-12');
    const refused = await post(id, 'win', { version: 1, price: 1, setupPrice: 1 });
    const errors = [{ pointer: '/price' }, { pointer: '/setupPrice' }];
    expect([refused.status, refused.body.errors]).toMatchObject([400, errors]);
    const won = await post(id, 'win', { version: 1 });
    expect([won.status, won.body]).toMatchObject([200, { confirmed: null }]);
  });

  it('asks for them in the call panel and in the form', async () => {
    const id = await claimed('INT-1G-12');
    const { reference } = (await detailOf(id)).order;
    const path = `/staff/orders/${reference}`;
    const panel = (await sam.get(path)).text;
    expect(panel).toMatch(/name="price"[^>]*value="550.00"|value="550.00"[^>]*name="price"/);
    expect((await sam.get(`${path}/win`)).text).toContain('Confirmed set-up price');
    const sent = { version: '1', next: 'win', price: '550.00' };
    const refused = await sam.post(`${path}/call`, { ...sent, setupPrice: '' });
    expect([refused.status, refused.text]).toEqual([
      422,
      expect.stringContaining('#call-setupPrice'),
    ]);
    const form = await sam.post(`${path}/win`, { version: '1', price: '550.00', setupPrice: '' });
    expect(form.status).toBe(422);
    expect((await sam.post(`${path}/call`, { ...sent, setupPrice: '£1,250' })).status).toBe(303);
    const { order } = await detailOf(id);
    expect(order).toMatchObject({ state: 'won', confirmed: { price: 550, setupPrice: 1_250 } });
    expect((await sam.get(path)).text).toContain('£550.00 a month, £1,250.00 set-up');
    const firm = (await detailOf(await claimed('INT-100M-12'))).order.reference;
    expect((await sam.get(`/staff/orders/${firm}`)).text).not.toContain('name="setupPrice"');
  });
});
