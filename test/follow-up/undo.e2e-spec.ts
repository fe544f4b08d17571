import { beforeAll, beforeEach, expect, it } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { operator } from '../../src/platform/audit/audit.service.js';
import { DeliveryService } from '../../src/platform/notifications/delivery.service.js';
import { WebhooksService } from '../../src/platform/notifications/webhooks.service.js';
import type { OrderDetail } from '../../src/orders/staff/detail.dto.js';
import type { FollowUpOrder } from '../../src/orders/staff/follow-up.dto.js';
import { Transactions } from '../../src/platform/database/transactions.js';
import { Order } from '../../src/orders/record/order.entity.js';
import { UndoService } from '../../src/orders/moves/undo.service.js';
import { newDatabase } from '../support/databases.js';
import { onOneEngine, type Service, startService } from '../support/service.js';
import { WebhookReceiver } from '../support/webhook-receiver.js';
import { moveAll, postAsStaff } from '../support/moves.js';

const config = {
  rateLimits: false,
  webhookKey: randomBytes(32),
  webhookNetworks: ['127.0.0.0/8'],
};

onOneEngine('undo', (engine) => {
  let service: Service;
  let receiver: WebhookReceiver;
  let database: Awaited<ReturnType<typeof newDatabase>>;
  let sam: { id: string; token: string };
  let bo: { id: string; token: string };

  const person = async (name: string, role: 'agent' | 'manager') => {
    const staff = await service.given.staff({ name, role });
    return { id: staff.id, token: await service.given.token({ staff }) };
  };

  beforeAll(async () => {
    database = await newDatabase(engine);
    service = await startService(engine, { database, config });
    await service.given.catalogue();
    receiver = await WebhookReceiver.start();
    await service.get(WebhooksService).add(receiver.url, null, operator);
    sam = await person('Sam Poole', 'agent');
    bo = await person('Bo Ross', 'manager');
  });
  beforeEach(async () => {
    // What the test before has left waiting.
    service.clock.advance({ seconds: 10 });
    await service.get(DeliveryService).deliverDue();
    receiver.hooks.length = 0;
  });

  const post = (who: { token: string }, id: string, path: string, body: object) =>
    postAsStaff<FollowUpOrder>(service.http, `/follow-up/orders/${id}/${path}`, body, who);
  const detailOf = async (id: string) =>
    (await service.http.get<OrderDetail>(`/follow-up/orders/${id}`, sam)).body;
  const move = async (who: { token: string }, id: string, path: string, body: object = {}) =>
    post(who, id, path, { version: (await detailOf(id)).order.version, ...body });
  /** An order of Sam's, whose client has received everything so far. */
  const scheduled = async () => {
    const { orderId } = await service.given.order();
    await move(sam, orderId, 'claim');
    const nextActionAt = new Date(service.clock.now().getTime() + 3_600_000).toISOString();
    await move(sam, orderId, 'schedule', { nextActionAt, reason: 'callback_agreed' });
    await delivered();
    return orderId;
  };
  /** The public states that have reached the webhook since the last call. */
  const delivered = async (by = service) => {
    await by.get(DeliveryService).deliverDue();
    const bodies = receiver.hooks.splice(0).map(({ body }) => JSON.parse(body) as Hook);
    return bodies.map(({ data }) => data.state);
  };
  interface Hook {
    readonly data: { readonly state: string };
  }

  it.each<[string, (other: string) => object, string]>([
    ['win', () => ({ externalReference: 'SF-1' }), 'accepted'],
    ['lose', () => ({ reason: 'not_serviceable' }), 'rejected'],
    ['cancel', () => ({ reason: 'test_request' }), 'cancelled'],
    ['release', () => ({ reason: 'On leave.' }), 'acknowledged'],
    ['duplicate', (of) => ({ of }), 'closed'],
  ])('takes %s back, of which the client never hears', async (path, body, state) => {
    const token = await service.given.token();
    const { orderId: other } = await service.given.order({ token });
    const { orderId } = await service.given.order({ token });
    await move(sam, orderId, 'claim');
    await delivered();
    const before = (await detailOf(orderId)).order;
    await move(sam, orderId, path, body(other));
    expect(await delivered()).toEqual([]);
    service.clock.advance({ seconds: 9 });
    const reply = await move(sam, orderId, 'undo');
    const kept = JSON.parse(JSON.stringify(before)) as Partial<FollowUpOrder>;
    delete kept.ageSeconds;
    expect([reply.status, reply.body]).toMatchObject([200, { ...kept, version: 3 }]);
    service.clock.advance({ minutes: 5 });
    expect(await delivered()).toEqual([]);
    const { timeline } = await detailOf(orderId);
    expect(timeline.slice(-2)).toMatchObject([
      { details: { from: 'in_progress', version: 2 } },
      {
        action: 'undone',
        actorName: 'Sam Poole',
        details: { to: 'in_progress', version: 3, undone: timeline.at(-2)!.action },
      },
    ]);
    await move(sam, orderId, path, body(other));
    service.clock.advance({ seconds: 10 });
    expect(await delivered()).toEqual([state]);
  });

  it('restores the next action, and the contact of the same call stays', async () => {
    const id = await scheduled();
    const { nextActionAt } = (await detailOf(id)).order;
    await move(sam, id, 'win');
    expect((await move(sam, id, 'undo')).body).toMatchObject({
      ...{ state: 'scheduled', nextActionAt, closedAt: null, ownerId: sam.id },
    });
    const { nextDueAt } = await service
      .get(Transactions)
      .read((tx) => tx.findOneByOrFail(Order, { id }));
    expect(nextDueAt).toEqual(new Date(nextActionAt!));
    const call = { name: 'logContact', channel: 'phone', result: 'reached' } as const;
    await moveAll(service, sam, { orderId: id, version: 4 }, [call, { name: 'win' }]);
    expect((await move(sam, id, 'undo')).body).toMatchObject({
      ...{ state: 'in_progress', contactAttempts: 1 },
    });
  });

  it('takes a call back with its next step, and a next step alone', async () => {
    const { orderId: id } = await service.given.order();
    await move(sam, id, 'claim');
    const before = (await detailOf(id)).order;
    const nextActionAt = new Date(service.clock.now().getTime() + 3_600_000).toISOString();
    const next = { nextActionAt, reason: 'callback_agreed' } as const;
    const call = { channel: 'phone', result: 'reached' } as const;
    await moveAll(service, sam, { orderId: id, version: 1 }, [
      { name: 'logContact', ...call },
      { name: 'schedule', ...next, nextActionAt: new Date(nextActionAt) },
    ]);
    const kept = { ...before, version: 4 } as Partial<FollowUpOrder>;
    delete kept.ageSeconds;
    expect((await move(sam, id, 'undo')).body).toMatchObject(
      JSON.parse(JSON.stringify(kept)) as object,
    );
    await move(sam, id, 'logContact', call);
    service.clock.advance({ seconds: 10 });
    await move(sam, id, 'schedule', next);
    expect((await move(sam, id, 'undo')).body).toMatchObject({
      ...{ state: 'in_progress', contactAttempts: 1, nextActionAt: null },
    });
  });

  it('comes too late after ten seconds, after another move, and a second time', async () => {
    const id = await scheduled();
    await move(sam, id, 'win');
    service.clock.advance({ seconds: 10 });
    expect((await move(sam, id, 'undo')).status).toBe(409);
    await move(sam, id, 'reopen', { reason: 'Not signed.' });
    expect((await move(sam, id, 'undo')).status).toBe(409);
    await move(sam, id, 'release', { reason: 'On leave.' });
    expect((await move(sam, id, 'undo')).status).toBe(200);
    expect((await move(sam, id, 'undo')).status).toBe(409);
    expect((await post(sam, id, 'undo', { version: 0 })).status).toBe(409);
  });

  it('is for the person who made the move', async () => {
    const id = await scheduled();
    await move(sam, id, 'win');
    expect((await move(bo, id, 'undo')).status).toBe(403);
    expect((await detailOf(id)).order.state).toBe('won');
  });

  it('keeps the order of the messages when the next move follows at once', async () => {
    const id = await scheduled();
    await move(sam, id, 'win');
    await move(bo, id, 'reopen', { reason: 'Not signed.' });
    expect(await delivered()).toEqual([]);
    service.clock.advance({ seconds: 10 });
    expect((await delivered()).sort()).toEqual(['accepted', 'inProgress']);
  });

  it('holds the messages across a restart', async () => {
    const id = await scheduled();
    await move(sam, id, 'win');
    await service.close();
    service = await startService(engine, { database, config, clock: service.clock });
    expect(await delivered()).toEqual([]);
    expect((await move(sam, id, 'undo')).status).toBe(200);
    await move(sam, id, 'win');
    await service.close();
    service = await startService(engine, { database, config, clock: service.clock });
    expect(await delivered()).toEqual([]);
    service.clock.advance({ seconds: 10 });
    expect(await delivered()).toEqual(['accepted']);
  });

  it('forgets what can no longer be undone', async () => {
    const id = await scheduled();
    await move(sam, id, 'win');
    const undos = () => service.get(UndoService);
    await undos().prune();
    expect(await undos().latest(sam.id)).toMatchObject({ orderId: id, action: 'won', seconds: 10 });
    service.clock.advance({ minutes: 2 });
    expect(await undos().latest(sam.id)).toBeNull();
    await undos().prune();
    expect((await move(sam, id, 'undo')).status).toBe(409);
  });
});
