import { expect, it } from '@jest/globals';
import type { ClientOrderPage } from '../../src/orders/record/orders.dto.js';
import { path } from '../support/placing.js';
import { onBothEngines, startService } from '../support/service.js';

onBothEngines('an order request', (engine) => {
  it('is listed by its state and by the own reference of its client', async () => {
    const service = await startService(engine, { config: { ordersPerMinute: 10_000 } });
    const token = await service.given.token({ kind: 'test' });
    const test = '/product-availability/test/order';
    const states = ['accepted', 'rejected', 'cancelled', 'closed', 'inProgress'] as const;
    const about = { postcode: 'ZZ99 1AA', productCode: 'TEST-1G-12', token };
    for (const to of states) {
      const { orderId } = await service.given.order({ ...about, reference: `PO ${to}` });
      await service.http.post(`${test}/${orderId}/advance`, {}, { token });
      if (to === 'inProgress') continue;
      await service.http.post(`${test}/${orderId}/advance`, { to }, { token });
    }
    await service.given.order(about);
    const listed = async (query: string) =>
      (await service.http.get<ClientOrderPage>(`${path}${query}`, { token })).body.items.map(
        ({ state, reference }) => [state, reference],
      );
    for (const state of states)
      expect(await listed(`?state=${state}`)).toEqual([[state, `PO ${state}`]]);
    expect(await listed('?state=acknowledged')).toEqual([['acknowledged', null]]);
    expect(await listed('?reference=PO%20closed')).toEqual([['closed', 'PO closed']]);
    expect(await listed('?reference=PO%20closed&state=accepted')).toEqual([]);
    const { status } = await service.http.get(`${path}?state=won`, { token });
    expect(status).toBe(400);
  });
});
