import { beforeAll, expect, it } from '@jest/globals';
import { Transactions } from '../../src/platform/database/transactions.js';
import type { FollowUpPage } from '../../src/queue/lists/list.dto.js';
import type { TakenOrder } from '../../src/orders/staff/moves.dto.js';
import { chooseOrders } from '../../src/queue/lists/take-next.service.js';
import { Order } from '../../src/orders/record/order.entity.js';
import { onBothEngines, type Service, startService } from '../support/service.js';
import { postAsStaff } from '../support/moves.js';

interface Agent {
  readonly id: string;
  readonly token: string;
}

onBothEngines('taking the next order', (engine) => {
  let service: Service;
  let sam: Agent;
  let eve: Agent;

  const person = async (name: string): Promise<Agent> => {
    const staff = await service.given.staff({ name });
    return { id: staff.id, token: await service.given.token({ staff }) };
  };

  beforeAll(async () => {
    service = await startService(engine, { config: { rateLimits: false } });
    await service.given.catalogue();
    sam = await person('Sam Poole');
    eve = await person('Eve Moor');
  });

  const post = <T>({ token }: Agent, path: string, body: object = {}) =>
    postAsStaff<T>(service.http, `/follow-up/${path}`, body, { token });
  const takeNext = (who: Agent) => post<TakenOrder>(who, 'take-next');
  const listed = async (query: string) => {
    const { token } = sam;
    const { body } = await service.http.get<FollowUpPage>(`/follow-up/orders?${query}`, { token });
    return body.items.map(({ orderId }) => orderId);
  };
  const logCall = (who: Agent, { orderId, version }: NonNullable<TakenOrder['order']>) =>
    post(who, `orders/${orderId}/logContact`, { version, channel: 'phone', result: 'no_answer' });
  /** Takes all waiting orders and calls all due call-backs of earlier tests. */
  const clearQueue = async () => {
    for (const who of [sam, eve]) {
      for (let taken = await takeNext(who); taken.body.order; taken = await takeNext(who)) {
        await logCall(who, taken.body.order);
      }
    }
  };

  it('gives ten concurrent callers ten different orders, and the eleventh none', async () => {
    await clearQueue();
    for (let n = 0; n < 10; n += 1) await service.given.order();
    const taken = await Promise.all(
      Array.from({ length: 10 }, (_, i) => takeNext(i % 2 ? sam : eve)),
    );
    expect(taken.map(({ status }) => status)).toEqual(taken.map(() => 200));
    expect(new Set(taken.map(({ body }) => body.order?.orderId)).size).toBe(10);
    expect((await takeNext(sam)).body).toEqual({ order: null, why: null });
  });

  it('gives late orders before others, and the caller’s due call-back before both', async () => {
    const sinceMonday = service.clock.now().getTime() - Date.parse('2026-03-02T09:00Z');
    service.clock.advance({ days: 7, milliseconds: -(sinceMonday % (7 * 24 * 3_600_000)) });
    await clearQueue();
    const first = await service.given.order();
    const called = async (minutes: number) => {
      const { orderId } = await service.given.order();
      const nextActionAt = new Date(service.clock.now().getTime() + minutes * 60_000);
      await post(sam, `orders/${orderId}/claim`, { version: 0 });
      const call = { version: 1, nextActionAt, reason: 'callback_agreed' };
      expect((await post(sam, `orders/${orderId}/schedule`, call)).status).toBe(200);
      return orderId;
    };
    const [later, earlier] = [await called(2), await called(1)];
    service.clock.advance({ hours: 3 });
    expect(await listed('view=nearly-late&owner=none')).toEqual([first.orderId]);
    service.clock.advance({ hours: 1 });
    expect(await listed('view=late')).toContain(first.orderId);
    const seekers = [sam, eve].map(({ id: staffId }) => ({ staffId, tried: new Set<string>() }));
    const [choice] = await service
      .get(Transactions)
      .read((tx) => chooseOrders(tx, seekers, service.clock.now()));
    expect(choice?.order.id).toBe(earlier);
    const next = async () => {
      const { body } = await takeNext(sam);
      return [body.why, body.order?.orderId];
    };
    expect(await next()).toEqual(['call-back due', earlier]);
    expect(await next()).toEqual(['call-back due', later]);
    expect(await next()).toEqual(['late', first.orderId]);
  });

  it('leaves a call-back due until a call is recorded', async () => {
    await clearQueue();
    const { orderId } = await service.given.order();
    const nextActionAt = new Date(service.clock.now().getTime() + 60_000);
    await post(sam, `orders/${orderId}/claim`, { version: 0 });
    const callBack = { version: 1, nextActionAt, reason: 'callback_agreed' };
    await post(sam, `orders/${orderId}/schedule`, callBack);
    service.clock.advance({ minutes: 2 });
    const { body: first } = await takeNext(sam);
    expect(first).toMatchObject({
      why: 'call-back due',
      order: {
        orderId,
        state: 'scheduled',
        due: true,
        version: 2,
        nextActionAt: nextActionAt.toISOString(),
      },
    });
    expect(await listed('view=due')).toEqual([orderId]);
    // Other work comes first now; a colleague never gets it.
    const other = await service.given.order();
    expect((await takeNext(sam)).body.order?.orderId).toBe(other.orderId);
    expect((await takeNext(eve)).body.order).toBeNull();
    // Without other work it is given again, and after a quarter of an hour before all other work.
    expect((await takeNext(sam)).body.order?.orderId).toBe(orderId);
    const later = await service.given.order();
    service.clock.advance({ minutes: 15 });
    const { body: again } = await takeNext(sam);
    expect([again.why, again.order?.orderId]).toEqual(['call-back due', orderId]);
    expect((await logCall(sam, again.order!)).status).toBe(200);
    expect(await listed('view=due')).toEqual([]);
    expect((await takeNext(sam)).body.order?.orderId).toBe(later.orderId);
    expect((await takeNext(sam)).body.order).toBeNull();
  });

  it('gives other work before a waiting order that was just taken and has a message', async () => {
    await clearQueue();
    const token = await service.given.token();
    const { orderId } = await service.given.order({ token });
    const path = `/product-availability/order/${orderId}/message`;
    expect((await service.http.post(path, { text: 'Is it soon?' }, { token })).status).toBe(201);
    const other = await service.given.order();
    const next = async () => (await takeNext(sam)).body.order?.orderId;
    expect([await next(), await next(), await next()]).toEqual([orderId, other.orderId, orderId]);
  });

  it('gives a due call-back to its new owner, also after another member took it', async () => {
    await clearQueue();
    const { orderId } = await service.given.order();
    const nextActionAt = new Date(service.clock.now().getTime() + 60_000);
    await post(sam, `orders/${orderId}/claim`, { version: 0 });
    const callBack = { version: 1, nextActionAt, reason: 'callback_agreed' };
    await post(sam, `orders/${orderId}/schedule`, callBack);
    service.clock.advance({ minutes: 2 });
    await takeNext(sam);
    await service.given.order();
    const handOver = { version: 2, ownerId: eve.id, note: 'I am away.' };
    expect((await post(sam, `orders/${orderId}/handOver`, handOver)).status).toBe(200);
    expect((await takeNext(eve)).body.order?.orderId).toBe(orderId);
  });

  it('calls an order nearly late from its warning on', async () => {
    await clearQueue();
    const may = await person('May Dale');
    const { orderId } = await service.given.order();
    const { firstContactWarnAt } = await service
      .get(Transactions)
      .read((tx) => tx.findOneByOrFail(Order, { id: orderId }));
    const left = firstContactWarnAt.getTime() - service.clock.now().getTime();
    service.clock.advance({ milliseconds: left });
    const { body } = await takeNext(may);
    expect([body.why, body.order?.orderId]).toEqual(['nearly late', orderId]);
  });

  it('gives an order that was released after a contact by its age, after those that are late', async () => {
    await clearQueue();
    const { orderId: released } = await service.given.order();
    await post(sam, `orders/${released}/claim`, { version: 0 });
    await post(sam, `orders/${released}/logContact`, {
      version: 1,
      channel: 'phone',
      result: 'reached',
    });
    const { status } = await post(sam, `orders/${released}/release`, {
      version: 2,
      reason: 'I am away.',
    });
    expect(status).toBe(200);
    service.clock.advance({ seconds: 1 });
    const { orderId: uncontacted } = await service.given.order();
    service.clock.advance({ days: 7 });
    const next = async () => {
      const { body } = await takeNext(eve);
      return [body.why, body.order?.orderId];
    };
    expect(await next()).toEqual(['late', uncontacted]);
    expect(await next()).toEqual(['waiting', released]);
  });

  if (engine === 'postgres') {
    it('gives another order while the most urgent one is locked', async () => {
      await clearQueue();
      const may = await person('May Dale');
      const first = await service.given.order();
      service.clock.advance({ seconds: 1 });
      const second = await service.given.order();
      const taken = await service.get(Transactions).run(async (tx) => {
        await tx.update(Order, { id: first.orderId }, { version: 0 });
        return takeNext(may);
      });
      expect(taken.body.order?.orderId).toBe(second.orderId);
    });
  }
});
