import { beforeAll, expect, it, jest } from '@jest/globals';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  DeliveryImportService,
  UpdatesRejected,
} from '../../src/orders/delivery/delivery-import.service.js';
import { DeliveryNewsService } from '../../src/orders/delivery/order-deliveries.service.js';
import { ErasureService } from '../../src/orders/erasure.service.js';
import { Delivery } from '../../src/orders/record/delivery.entity.js';
import { operator } from '../../src/platform/audit/audit.service.js';
import { OutboxService } from '../../src/platform/notifications/outbox.service.js';
import type { OrderDetail } from '../../src/orders/staff/detail.dto.js';
import { Transactions } from '../../src/platform/database/transactions.js';
import type { Tx } from '../../src/platform/database/engine/tx.js';
import { newFolder } from '../support/closing.js';
import { environmentOf } from '../support/databases.js';
import { cli } from '../support/processes.js';
import { onBothEngines, ruleOn, type Service, startService } from '../support/service.js';
import { postAsStaff } from '../support/moves.js';

const header = 'order,milestone,planned,done,committed,waiting_for,service_id,note';

onBothEngines('the import of delivery updates', (engine) => {
  let service: Service;
  let staff: string;

  beforeAll(async () => {
    service = await startService(engine);
    await service.given.catalogue({
      prices: ['INT-1G-12,ONNET,standard,550.00,GBP,84,0,subjectToSurvey'],
    });
    staff = await service.given.token({ staff: await service.given.staff({ name: 'Sam' }) });
  });

  const imports = () => service.get(DeliveryImportService);
  const post = (id: string, path: string, body: object) =>
    postAsStaff(service.http, `/follow-up/orders/${id}/${path}`, body, { token: staff });
  const detailOf = async (id: string) =>
    (await service.http.get<OrderDetail>(`/follow-up/orders/${id}`, { token: staff })).body;
  const won = async () => {
    const { orderId } = await service.given.order({});
    await post(orderId, 'claim', { version: 0 });
    await post(orderId, 'win', { version: 1 });
    const { reference } = (await detailOf(orderId)).order;
    return { orderId, reference };
  };
  const command = async (text: string) => {
    const file = join(await newFolder(), 'updates.csv');
    await writeFile(file, text);
    return cli(environmentOf(service.config), 'orders', 'delivery', 'import', file);
  };
  const rejected = async (work: Promise<unknown>) => {
    const error: unknown = await work.catch((thrown: unknown) => thrown);
    if (!(error instanceof UpdatesRejected)) throw error;
    return error.report.faults.shown.map(({ line, column, reason }) => [line, column, reason]);
  };

  ruleOn(engine)('is refused by the command, which prints the faults', async () => {
    const { code, stdout } = await command(`${header}\nORD-000000,surveyed,,,,,,\n`);
    expect([code, stdout]).toEqual([1, expect.stringContaining('order: nothing was imported.')]);
    expect(stdout).toContain('ORD-000000');
  });

  it('shows what would change, changes it once, and nothing the second time', async () => {
    const [a, b] = [await won(), await won()];
    const text = [
      header,
      `${a.reference},surveyed,,2026-03-02,,,CCT-9001,From the order system`,
      `${a.reference},installed,2026-04-01,,2026-04-10,,,`,
      `${b.reference},,,,,client: name a contact,,`,
    ].join('\n');
    expect(await imports().preview(text)).toMatchObject({
      rows: 3,
      orders: 2,
      changed: 2,
      faults: { total: 0 },
    });
    expect((await detailOf(a.orderId)).order.version).toBe(2);
    expect((await imports().run(text, operator)).changed).toBe(2);
    const { order, timeline } = await detailOf(a.orderId);
    expect(order).toMatchObject({
      version: 3,
      delivery: { serviceId: 'CCT-9001', committedDate: '2026-04-10' },
    });
    expect(timeline.at(-1)).toMatchObject({
      action: 'delivery_changed',
      details: {
        milestones: 'Surveyed: 2 March 2026; Installed: planned for 1 April 2026',
        note: 'From the order system',
      },
    });
    expect((await imports().run(text, operator)).changed).toBe(0);
    expect((await detailOf(a.orderId)).order.version).toBe(3);
    const found = await service.http.get<{ items: { reference: string }[] }>(
      '/follow-up/orders?view=all&q=CCT-9001',
      { token: staff },
    );
    expect(found.body.items.map(({ reference }) => reference)).toEqual([a.reference]);
  });

  it('imports all rows or none, and names each fault', async () => {
    const a = await won();
    const { orderId } = await service.given.order({});
    const open = (await detailOf(orderId)).order.reference;
    const text = [
      header,
      `${a.reference},built,,2026-03-02,,,,`,
      `${open},built,,2026-03-02,,,,`,
      'ORD-000000,built,,2026-03-02,,,,',
      `${a.reference},live,,2026-03-03,,,,`,
    ].join('\n');
    expect(await rejected(imports().run(text, operator))).toEqual([
      [3, 'order', 'The order is not accepted.'],
      [4, 'order', 'There is no such order.'],
      [5, 'done', expect.stringContaining('today or earlier')],
    ]);
    expect((await detailOf(a.orderId)).order.version).toBe(2);
  });

  it('ends two imports at once as if they had run in sequence', async () => {
    const orders = await Promise.all([won(), won(), won(), won()]);
    const fileOf = (id: string, days: string) =>
      [header, ...orders.map(({ reference }) => `${reference},,,,${days},,${id},`)].join('\n');
    const reversed = [header, ...fileOf('B', '2026-05-02').split('\n').slice(1).reverse()].join(
      '\n',
    );
    await Promise.all([
      imports().run(fileOf('A', '2026-05-01'), operator),
      imports().run(reversed, operator),
    ]);
    const seen = await Promise.all(orders.map(({ orderId }) => detailOf(orderId)));
    expect(new Set(seen.map(({ order }) => order.delivery!.serviceId)).size).toBe(1);
    for (const { order } of seen) {
      const { committedDate, dateChanges } = order.delivery!;
      expect(order.version).toBe(4);
      expect(dateChanges).toHaveLength(2);
      expect(dateChanges[1]).toMatchObject({ from: dateChanges[0]!.to, to: committedDate });
    }
  });

  if (engine === 'postgres') {
    /** Until another transaction waits for this one. A transaction sees no new connection in pg_stat_activity. */
    const untilBlocking = async (tx: Tx) => {
      const isBlocking = async () => {
        const [row] = await tx.query<{ waiting: number }[]>(
          `SELECT count(*) AS waiting FROM pg_locks
           WHERE NOT granted AND pg_backend_pid() = ANY(pg_blocking_pids(pid))`,
        );
        return row!.waiting > 0;
      };
      while (!(await isBlocking()));
    };

    it('locks orders in the sequence of their ids, not of the rows', async () => {
      let orders = [await won(), await won()] as const;
      while (orders[0].reference < orders[1].reference) orders = [orders[1], await won()];
      const rows = orders.toReversed().map(({ reference }) => `${reference},built,,2026-03-02,,,,`);
      const lock = (tx: Tx, { orderId }: (typeof orders)[number]) =>
        tx.query<object[]>('SELECT id FROM orders WHERE id = $1 FOR UPDATE SKIP LOCKED', [orderId]);
      const held = Promise.withResolvers<void>();
      const importing = held.promise.then(() =>
        imports().run([header, ...rows].join('\n'), operator),
      );
      await service.get(Transactions).run(async (tx) => {
        await lock(tx, orders[0]);
        held.resolve();
        await untilBlocking(tx);
        expect(await lock(tx, orders[1])).toHaveLength(1);
      });
      expect((await importing).changed).toBe(2);
    });

    it('waits for the webhooks of its orders, and keeps when they were reported', async () => {
      const news = service.get(DeliveryNewsService);
      service.clock.advance({ seconds: 120 });
      await news.report();
      const [a, b] = [await won(), await won()];
      await post(b.orderId, 'delivery', { version: 2, serviceId: 'B' });
      service.clock.advance({ seconds: 1 });
      await post(a.orderId, 'delivery', { version: 2, serviceId: 'A' });
      // Until then, the changes can be undone.
      service.clock.advance({ seconds: 10 });
      const transactions = service.get(Transactions);
      // PostgreSQL finds the row that changed last at the end.
      await transactions.run(async (tx) => {
        await tx.update(Delivery, { orderId: b.orderId }, { serviceId: 'C' });
      });
      const outbox = jest.spyOn(service.get(OutboxService), 'publish');
      const added = Promise.withResolvers<void>();
      outbox.mockImplementationOnce(async (tx) => {
        added.resolve();
        await untilBlocking(tx);
        return [];
      });
      const reporting = news.report();
      await added.promise;
      const rows = [a, b].map(({ reference }) => `${reference},built,,2026-03-02,,,,`);
      const importing = imports().run([header, ...rows].join('\n'), operator);
      await reporting;
      expect((await importing).changed).toBe(2);
      const reported = outbox.mock.calls.map(([, { order }]) => order.id);
      expect(reported).toEqual([b.orderId, a.orderId]);
      outbox.mockClear();
      // Within a minute of the first webhooks.
      await news.report();
      expect(outbox).not.toHaveBeenCalled();
      outbox.mockRestore();
    });

    it('does not write back what is erased at the same time', async () => {
      const { orderId, reference } = await won();
      const waitingFor = { party: 'client', what: 'Ask Zebedee.' };
      await post(orderId, 'delivery', { version: 2, waitingFor });
      const erasure = service.get(ErasureService);
      const erased = Promise.withResolvers<void>();
      erasure.register(async (tx) => {
        erased.resolve();
        await untilBlocking(tx);
        return 0;
      });
      const erasing = erasure.erase(orderId, operator);
      await erased.promise;
      const importing = imports().run(`order,service_id\n${reference},C1\n`, operator);
      await erasing;
      await importing;
      const { delivery } = (await detailOf(orderId)).order;
      expect(delivery).toMatchObject({ serviceId: 'C1', waitingFor: { what: '(erased)' } });
    });
  }
});
