import { SANDBOX, tableOn } from '../../src/platform/database/sides.js';
import { beforeAll, expect, it, jest } from '@jest/globals';
import { In } from 'typeorm';
import { v7 as uuid } from 'uuid';
import type { ApiClient } from '../../src/clients/api-client.entity.js';
import { randomCrockford } from '../../src/platform/kernel/crockford.js';
import { Transactions } from '../../src/platform/database/transactions.js';
import {
  OrderIntakeService,
  latestTwinSql,
} from '../../src/orders/placing/order-intake.service.js';
import { Order } from '../../src/orders/record/order.entity.js';
import {
  type OrderingClient,
  type Placing,
  placingOf,
} from '../../src/orders/placing/ordering-client.js';
import type { ClientOrderPage, OrderAcknowledgement } from '../../src/orders/record/orders.dto.js';
import { TermsService } from '../../src/orders/placing/terms.service.js';
import { path, wanted } from '../support/placing.js';
import { outcome, problem } from '../support/problems.js';
import { onBothEngines, type Service, startService } from '../support/service.js';

onBothEngines('orders that arrive at the same time', (engine) => {
  let service: Service;
  beforeAll(async () => {
    service = await startService(engine, { config: { rateLimits: false } });
    await service.given.catalogue();
  });

  const orderOf = (id: string) =>
    service.get(Transactions).read((tx) => tx.findOneByOrFail(Order, { id }));

  it("appear once each in the pages of the client's list, even in the same millisecond", async () => {
    const token = await service.given.token();
    const placed: string[] = [];
    for (let n = 0; n < 5; n += 1) placed.push((await service.given.order({ token })).orderId);
    const pages: string[][] = [];
    for (let cursor: string | null = ''; cursor !== null && pages.length < 5;) {
      const query: string = `?limit=2${cursor && `&cursor=${cursor}`}`;
      const { body } = await service.http.get<ClientOrderPage>(`${path}${query}`, { token });
      pages.push(body.items.map(({ orderId }) => orderId));
      cursor = body.nextCursor;
    }
    expect(pages.map(({ length }) => length)).toEqual([2, 2, 1]);
    expect(pages.flat().sort()).toEqual(placed.sort());
  });

  it('are possible duplicates of orders of the same client only', async () => {
    const { orderId } = await service.given.order();
    const original = await orderOf(orderId);
    const from = ({ id: clientId, name }: ApiClient, isTest = false): [Order, Placing] => [
      {
        ...original,
        id: uuid(),
        reference: `ORD-${randomCrockford(6)}`,
        clientId,
        possibleDuplicateOf: null,
      },
      placingOf({ clientId, name, isTest } as OrderingClient),
    ];
    const [one, other] = [await service.given.client(), await service.given.client()];
    const orders = [from(one), from(other), from(one), from(other)];
    const tests = [from(one, true), from(one, true)];
    const apart = await service.given.client();
    const atPremises = [1, 2].map((uprn): [Order, Placing] => {
      const [order, placing] = from(apart);
      return [{ ...order, uprn }, placing];
    });
    // All are stored in one batch.
    const stored = [...tests, ...orders, ...atPremises].map(([order, placing]) =>
      service.get(OrderIntakeService).store(order, placing, undefined),
    );
    expect(await Promise.all(stored)).toEqual(stored.map(() => 'stored'));
    const [first, second, third, fourth] = await Promise.all(orders.map(([{ id }]) => orderOf(id)));
    expect([first?.possibleDuplicateOf, second?.possibleDuplicateOf]).toEqual([null, null]);
    expect([third?.possibleDuplicateOf, fourth?.possibleDuplicateOf]).toEqual([
      first?.id,
      second?.id,
    ]);
    for (const [{ id }] of atPremises) expect((await orderOf(id)).possibleDuplicateOf).toBeNull();
    const ofTests = tests.map(([{ id }]) => id);
    const played = await service
      .get(Transactions)
      .read((tx) => tx.findBy(tableOn(Order, SANDBOX), { id: In(ofTests) }));
    expect(played.map(({ possibleDuplicateOf }) => possibleDuplicateOf)).toEqual([null, null]);
  });

  it.each([
    ['the same body gets the answer of the first one', {}, 201],
    ['another body is refused', { notes: 'Weekdays only.' }, 422],
  ])('with one key: a second request with %s', async (_what, about, status) => {
    const token = await service.given.token();
    const send = (body: object) =>
      service.http.post<OrderAcknowledgement>(path, body, {
        token,
        headers: { 'Idempotency-Key': 'raced' },
      });
    // Stores the first request after the second one has not found its key.
    const terms = service.get(TermsService);
    const termsFor = terms.for.bind(terms);
    let first: Awaited<ReturnType<typeof send>> | undefined;
    const spy = jest.spyOn(terms, 'for').mockImplementationOnce(async (wish, client) => {
      first = await send(wanted);
      return termsFor(wish, client);
    });
    const second = await send({ ...wanted, ...about });
    spy.mockRestore();
    expect([first?.status, second.status]).toEqual([201, status]);
    if (status === 201) {
      expect(second.text).toBe(first?.text);
      expect(second.headers['idempotent-replayed']).toBe('true');
    } else expect(outcome(second)).toEqual(problem('idempotency-key-reused'));
  });

  it('are possible duplicates for the same postcode, with or without premises, but not for two premises', async () => {
    await service.given.catalogue({
      premises: ['100023336956,EC2A 2BS,,ONNET', '100023336957,EC2A 2BS,,ONNET'],
    });
    const twinsOf = async (...uprns: (string | undefined)[]) => {
      const token = await service.given.token();
      const ids: string[] = [];
      for (const uprn of uprns) {
        const { orderId } = await service.given.order({ token, ...(uprn && { uprn }) });
        ids.push(orderId);
      }
      const orders = await Promise.all(ids.map(orderOf));
      return orders.map(({ possibleDuplicateOf }) => ids.indexOf(possibleDuplicateOf ?? ''));
    };
    const [one, other] = ['100023336956', '100023336957'];
    expect([
      await twinsOf(undefined, one),
      await twinsOf(one, undefined),
      await twinsOf(one, other, one),
    ]).toEqual([
      [-1, 0],
      [-1, 0],
      [-1, -1, 0],
    ]);
    await service.given.catalogue();
  });

  it('read one order to find a possible duplicate, however many the client has repeated', async () => {
    const values = {
      client: `'a client'`,
      postcode: `'EC2A 2BS'`,
      product: `'INT-1G-12'`,
      since: '0',
      uprn: 'NULL',
    };
    const explain = engine === 'sqlite' ? 'EXPLAIN QUERY PLAN' : 'EXPLAIN (FORMAT TEXT)';
    const rows = await service.get(Transactions).run(async (tx) => {
      // As in a large table: a small one is read whole.
      if (engine === 'postgres') await tx.query('SET LOCAL enable_seqscan = off');
      return tx.query<object[]>(`${explain} ${latestTwinSql(values, 'orders')}`);
    });
    const plan = JSON.stringify(rows);
    expect(plan).toContain('ix_orders_twin');
    expect(plan).not.toMatch(/Sort|TEMP B-TREE/);
  });
});
