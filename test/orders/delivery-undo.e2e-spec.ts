import { beforeAll, beforeEach, expect, it } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { operator } from '../../src/platform/audit/audit.service.js';
import { DeliveryService } from '../../src/platform/notifications/delivery.service.js';
import { WebhooksService } from '../../src/platform/notifications/webhooks.service.js';
import { DeliveryImportService } from '../../src/orders/delivery/delivery-import.service.js';
import { DeliveryNewsService } from '../../src/orders/delivery/order-deliveries.service.js';
import { ErasureService } from '../../src/orders/erasure.service.js';
import { Delivery } from '../../src/orders/record/delivery.entity.js';
import type { ClientOrder } from '../../src/orders/record/orders.dto.js';
import type { OrderDetail } from '../../src/orders/staff/detail.dto.js';
import type { FollowUpOrder } from '../../src/orders/staff/follow-up.dto.js';
import { Transactions } from '../../src/platform/database/transactions.js';
import { onOneEngine, type Service, startService } from '../support/service.js';
import { WebhookReceiver } from '../support/webhook-receiver.js';
import { postAsStaff } from '../support/moves.js';

const today = '2026-03-02';

onOneEngine('the undo of a delivery', (engine) => {
  let service: Service;
  let receiver: WebhookReceiver;
  let sam: string;
  let eve: string;
  let token: string;
  let id: string;

  beforeAll(async () => {
    const config = {
      ...{ rateLimits: false, webhookKey: randomBytes(32) },
      webhookNetworks: ['127.0.0.0/8'],
    };
    service = await startService(engine, { config });
    await service.given.catalogue();
    receiver = await WebhookReceiver.start();
    await service.get(WebhooksService).add(receiver.url, null, operator);
    sam = await service.given.token({ staff: await service.given.staff({ name: 'Sam Poole' }) });
    eve = await service.given.token({ staff: await service.given.staff({ name: 'Eve Hill' }) });
    token = await service.given.token({ days: 3_650 });
  });

  beforeEach(async () => {
    service.clock.reset();
    ({ orderId: id } = await service.given.order({ token, productCode: 'INT-100M-12' }));
    await staff(sam, 'claim', { version: 0 });
    await staff(sam, 'win', { version: 1 });
    service.clock.advance({ seconds: 10 });
    await news();
  });

  const staff = (by: string, path: string, body: object) =>
    postAsStaff<FollowUpOrder & { readonly code: string }>(
      service.http,
      `/follow-up/orders/${id}/${path}`,
      body,
      { token: by },
    );
  const detail = async () =>
    (await service.http.get<OrderDetail>(`/follow-up/orders/${id}`, { token: sam })).body;
  const change = async (body: object) => {
    const { version } = (await detail()).order;
    const changed = await staff(sam, 'delivery', { version, ...body });
    expect(changed.status).toBe(200);
    return changed.body.version;
  };
  const delivery = async () => {
    const path = `/product-availability/order/${id}`;
    return (await service.http.get<ClientOrder>(path, { token })).body.delivery;
  };
  /** The milestones that webhooks have reported since the last call. */
  const news = async () => {
    await service.get(DeliveryNewsService).report();
    await service.get(DeliveryService).deliverDue();
    interface Hook {
      readonly type: string;
      readonly data: { readonly orderId: string; readonly milestone: string | null };
    }
    return receiver.hooks
      .splice(0)
      .map(({ body }) => JSON.parse(body) as Hook)
      .filter(({ type, data }) => type === 'order.delivery-changed' && data.orderId === id)
      .map(({ data }) => data.milestone);
  };
  const done = (code: string) => ({ milestones: [{ code, doneOn: today }] });

  it('takes back every column within ten seconds, and the client receives nothing', async () => {
    await change({ committedDate: '2026-03-20', waitingFor: { party: 'client', what: 'Access.' } });
    service.clock.advance({ seconds: 60 });
    await news();
    const before = await delivery();
    const version = await change({
      ...{ committedDate: '2026-03-27', serviceId: 'CCT-1', note: 'Live.' },
      milestones: [
        { code: 'built', doneOn: today },
        { code: 'live', doneOn: today },
      ],
    });
    expect(await delivery()).toMatchObject({ liveOn: today, waitingFor: null });
    const undone = await staff(sam, 'undo', { version });
    expect([undone.status, undone.body]).toMatchObject([
      200,
      { state: 'won', version: version + 1 },
    ]);
    expect(await delivery()).toEqual(before);
    expect((await detail()).timeline.at(-1)).toMatchObject({
      action: 'undone',
      details: { undone: 'delivery_changed' },
    });
    service.clock.advance({ seconds: 120 });
    expect(await news()).toEqual([]);
  });

  it('is over after ten seconds, and then the client is notified', async () => {
    const version = await change(done('surveyed'));
    service.clock.advance({ seconds: 9 });
    expect(await news()).toEqual([]);
    service.clock.advance({ seconds: 1 });
    expect((await staff(sam, 'undo', { version })).body.code).toBe('order-moved');
    expect(await news()).toEqual(['surveyed']);
    expect((await delivery())!.milestones[0]!.doneOn).toBe(today);
  });

  it('is that of the last change alone, by the person who made it, once', async () => {
    const first = await change(done('surveyed'));
    service.clock.advance({ seconds: 5 });
    const second = await change(done('built'));
    expect((await staff(sam, 'undo', { version: first })).body.code).toBe('order-moved');
    expect((await staff(eve, 'undo', { version: second })).body.code).toBe('not-permitted');
    expect((await staff(sam, 'undo', { version: second })).status).toBe(200);
    for (const version of [second, second + 1]) {
      expect((await staff(sam, 'undo', { version })).body.code).toBe('order-moved');
    }
    // The first change stays, and is reported as soon as nothing can be undone.
    expect(await news()).toEqual(['surveyed']);
  });

  it('ends with a change that an import, the client or an erasure makes', async () => {
    const others = [
      async () => {
        const { reference } = (await detail()).order;
        const file = `order,milestone,done\n${reference},built,${today}\n`;
        await service.get(DeliveryImportService).run(file, operator);
      },
      async () => {
        const path = `/product-availability/order/${id}/cancellation`;
        expect((await service.http.post(path, {}, { token })).status).toBe(200);
      },
      async () => {
        await service.get(ErasureService).erase(id, operator);
      },
    ];
    for (const other of others) {
      const { version } = (await detail()).order;
      const days = {
        serviceId: `CCT-${version}`,
        waitingFor: { party: 'client', what: 'Call Zoe.' },
      };
      const made = await change(days);
      await other();
      expect((await staff(sam, 'undo', { version: made })).body.code).toBe('order-moved');
      expect(await delivery()).toMatchObject({ serviceId: `CCT-${version}` });
    }
  });

  it('reports again what a webhook has reported before it was taken back', async () => {
    const version = await change(done('surveyed'));
    // As an instance whose clock is ahead would do.
    service.clock.advance({ seconds: 10 });
    expect(await news()).toEqual(['surveyed']);
    service.clock.advance({ seconds: -10 });
    expect((await staff(sam, 'undo', { version })).status).toBe(200);
    service.clock.advance({ seconds: 69 });
    expect(await news()).toEqual([]);
    service.clock.advance({ seconds: 1 });
    expect(await news()).toEqual([null]);
  });

  it('keeps what was to be reported before', async () => {
    await change(done('surveyed'));
    service.clock.advance({ seconds: 10 });
    expect(await news()).toEqual(['surveyed']);
    service.clock.advance({ seconds: 5 });
    await change(done('built'));
    service.clock.advance({ seconds: 20 });
    const version = await change(done('installed'));
    await staff(sam, 'undo', { version });
    service.clock.advance({ seconds: 60 });
    expect(await news()).toEqual(['built']);
    const stored = await service
      .get(Transactions)
      .read((tx) => tx.findOneByOrFail(Delivery, { orderId: id }));
    expect(stored.unreportedSince).toBeNull();
  });

  it('is not possible where the change has withdrawn a charge: its client is notified at once', async () => {
    const path = `/product-availability/order/${id}/cancellation`;
    await service.http.post(path, {}, { token });
    const { version } = (await detail()).order;
    await staff(sam, 'cancellation-answer', { version, accept: true, amount: 50 });
    const live = await change(done('live'));
    expect((await staff(sam, 'undo', { version: live })).body.code).toBe('order-moved');
    expect(await news()).toEqual(['live']);
  });

  it('is refused days that cannot be, at the field', async () => {
    const { version } = (await detail()).order;
    const refused = await service.http.post<{ errors: { pointer: string }[] }>(
      `/follow-up/orders/${id}/delivery`,
      { version, milestones: [{ code: 'live', plannedFor: '2026-03-01' }] },
      { token: sam },
    );
    expect([refused.status, refused.body.errors]).toMatchObject([
      400,
      [{ pointer: '/milestones/0/plannedFor' }],
    ]);
    const date = await staff(sam, 'delivery', { version, committedDate: '2020-01-01' });
    expect(date.status).toBe(400);
  });

  it('warns of an unusual order, and saves it', async () => {
    await change({
      milestones: [
        { code: 'tested', plannedFor: '2026-03-10' },
        { code: 'built', plannedFor: '2026-03-12' },
      ],
    });
    expect((await detail()).order.delivery!.warnings).toEqual([
      'Tested (10 March 2026) is before Built (12 March 2026), which usually comes first.',
    ]);
  });
});
