import { expect, it } from '@jest/globals';
import { newId } from '../../src/platform/database/new-id.js';
import { Transactions } from '../../src/platform/database/transactions.js';
import { ReportSourcesService } from '../../src/reports/report-sources.service.js';
import { age } from '../../src/reports/tables/people.js';
import { Order } from '../../src/orders/record/order.entity.js';
import { onBothEngines, startService } from '../support/service.js';

onBothEngines('the reports of open orders', (engine) => {
  it('count more orders than are read at once, received at any time', async () => {
    const service = await startService(engine);
    await service.given.catalogue();
    await service.given.order({ token: await service.given.token() });
    const transactions = service.get(Transactions);
    const [order] = await transactions.read((tx) => tx.find(Order));
    let copied = 0;
    const copy = (receivedAt: string): Order => ({
      ...order!,
      reference: `ORD-${(copied += 1)}`,
      id: newId(),
      firstContactDueAt: new Date(0),
      receivedAt: new Date(receivedAt),
    });
    const atOnce = Array.from({ length: 1_002 }, () => copy('2026-03-20T09:00:00Z'));
    const farApart = ['0001-01-01', '1970-01-01', '2026-03-21', '9999-12-31'];
    const copies = [...atOnce, ...farApart.map((day) => copy(`${day}T00:00:00Z`))];
    for (let i = 0; i < copies.length; i += 100) {
      await transactions.run((tx) => tx.insert(Order, copies.slice(i, i + 100)));
    }
    const items = await age.count(service.get(ReportSourcesService), {});
    const counts = new Map(items.map(({ group, orders }) => [group, orders]));
    expect([counts.get('in time'), counts.get('later')]).toEqual([1, copies.length]);
  });
});
