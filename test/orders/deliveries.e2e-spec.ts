import { beforeAll, beforeEach, expect, it } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { operator } from '../../src/platform/audit/audit.service.js';
import { DeliveryService } from '../../src/platform/notifications/delivery.service.js';
import { WebhooksService } from '../../src/platform/notifications/webhooks.service.js';
import { DeliveryImportService } from '../../src/orders/delivery/delivery-import.service.js';
import { DeliveryNewsService } from '../../src/orders/delivery/order-deliveries.service.js';
import type { FollowUpOrder } from '../../src/orders/staff/follow-up.dto.js';
import type { OrderDetail } from '../../src/orders/staff/detail.dto.js';
import type { ClientOrder, OrderRequest } from '../../src/orders/record/orders.dto.js';
import { ErasureService } from '../../src/orders/erasure.service.js';
import { onOneEngine, type Service, startService } from '../support/service.js';
import { WebhookReceiver } from '../support/webhook-receiver.js';
import { withItsTransactions } from '../support/statements.js';
import { postAsStaff } from '../support/moves.js';

interface Refusal {
  readonly code: string;
  readonly detail: string;
  readonly chargeIds?: readonly string[];
  readonly errors?: readonly { readonly pointer: string }[];
}
interface Hook {
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
}

onOneEngine('deliveries', (engine) => {
  let service: Service;
  let receiver: WebhookReceiver;
  let sam: string;
  let eve: string;
  let token: string;

  beforeAll(async () => {
    service = await startService(engine, {
      config: {
        rateLimits: false,
        webhookKey: randomBytes(32),
        webhookNetworks: ['127.0.0.0/8'],
      },
    });
    await service.given.catalogue({
      prices: [
        'INT-1G-12,ONNET,standard,550.00,GBP,84,0,subjectToSurvey',
        'INT-100M-12,ONNET,standard,208.00,GBP,10,0,firm',
      ],
    });
    receiver = await WebhookReceiver.start();
    await service.get(WebhooksService).add(receiver.url, null, operator);
    sam = await service.given.token({ staff: await service.given.staff({ name: 'Sam Poole' }) });
    eve = await service.given.token({ staff: await service.given.staff({ name: 'Eve Hill' }) });
    token = await service.given.token({ days: 3_650 });
  });
  beforeEach(async () => {
    service.clock.advance({ seconds: 120 });
    await events();
    service.clock.reset();
  });

  const staff = (by: string, id: string, path: string, body: object = {}) =>
    postAsStaff<FollowUpOrder & OrderDetail & Refusal>(
      service.http,
      `/follow-up/orders/${id}/${path}`,
      body,
      { token: by },
    );
  const detailOf = async (id: string) =>
    (await service.http.get<OrderDetail>(`/follow-up/orders/${id}`, { token: sam })).body;
  const versionOf = async (id: string) => (await detailOf(id)).order.version;
  const clientSees = async (id: string) =>
    (await service.http.get<ClientOrder>(`/product-availability/order/${id}`, { token })).body;
  const client = (id: string, path: string, body: object = {}) =>
    service.http.post<ClientOrder & Refusal>(`/product-availability/order/${id}/${path}`, body, {
      token,
    });
  const claimed = async (about: Partial<OrderRequest> = {}) => {
    const { orderId } = await service.given.order({ token, ...about });
    await staff(sam, orderId, 'claim', { version: 0 });
    return orderId;
  };
  const won = async (about: Partial<OrderRequest> = {}) => {
    const id = await claimed(about);
    expect((await staff(sam, id, 'win', { version: 1 })).status).toBe(200);
    return id;
  };
  const change = async (id: string, body: object, by = eve) =>
    staff(by, id, 'delivery', { version: await versionOf(id), ...body });
  /** What the webhook has received since the last call. */
  const events = async () => {
    await withItsTransactions(() => service.get(DeliveryNewsService).report());
    await service.get(DeliveryService).deliverDue();
    return receiver.hooks.splice(0).map(({ body }) => JSON.parse(body) as Hook);
  };
  const news = async () =>
    (await events())
      .filter(({ type }) => type === 'order.delivery-changed')
      .map(({ data }) => data);
  const nothing = { plannedFor: null, doneOn: null };

  it('start when an order is accepted, and show the client every milestone', async () => {
    const id = await claimed();
    expect(await clientSees(id)).toMatchObject({ state: 'inProgress', delivery: null });
    await staff(sam, id, 'win', { version: 1 });
    expect((await clientSees(id)).delivery).toEqual({
      serviceId: null,
      waited: { client: 0, operator: 0, thirdParty: 0 },
      cancellation: null,
      acceptedOn: '2026-03-02',
      committedDate: null,
      dateChanges: [],
      milestones: [
        'surveyed',
        'wayleave',
        'built',
        'appointment',
        'installed',
        'tested',
        'live',
      ].map((code) => ({ code, ...nothing })),
      waitingFor: null,
      liveOn: null,
      cancellationRequestedAt: null,
    });
  });

  it('change by any staff member, for staff and client, with a timeline in words', async () => {
    const id = await won();
    const { updatedAt } = await clientSees(id);
    service.clock.advance({ seconds: 60 });
    const { status, body } = await change(id, {
      milestones: [
        { code: 'surveyed', doneOn: '2026-03-02' },
        { code: 'installed', plannedFor: '2026-03-20' },
      ],
      committedDate: '2026-03-27',
      waitingFor: { party: 'client', what: 'Name a site contact.' },
      serviceId: 'CCT-204417',
      note: 'The caretaker is Joe.',
    });
    expect([status, body]).toMatchObject([200, { version: 3, state: 'won' }]);
    const seen = await clientSees(id);
    expect(seen.delivery).toMatchObject({
      serviceId: 'CCT-204417',
      committedDate: '2026-03-27',
      dateChanges: [{ from: null, to: '2026-03-27' }],
      waitingFor: { party: 'client', what: 'Name a site contact.' },
      liveOn: null,
    });
    expect(seen.delivery!.milestones[0]).toEqual({
      code: 'surveyed',
      plannedFor: null,
      doneOn: '2026-03-02',
    });
    expect(JSON.stringify(seen)).not.toContain('caretaker');
    expect(new Date(seen.updatedAt) > new Date(updatedAt)).toBe(true);
    expect(body.delivery).toEqual({
      ...seen.delivery,
      promisedOn: '2026-05-25',
      remindedAt: null,
      warnings: [],
    });
    const { timeline } = await detailOf(id);
    expect(timeline.at(-1)).toMatchObject({
      action: 'delivery_changed',
      actorName: 'Eve Hill',
      details: {
        milestones: 'Surveyed: 2 March 2026; Installed: planned for 20 March 2026',
        committedDate: '27 March 2026',
        waitingFor: 'the client (Name a site contact.)',
        serviceId: 'CCT-204417',
        note: 'The caretaker is Joe.',
      },
    });
  });

  it('are erased with the other personal data, as far as they name a person', async () => {
    const id = await won();
    await change(id, { waitingFor: { party: 'client', what: 'Ask Zebedee.' }, note: 'Zebedee!' });
    expect(JSON.stringify([await clientSees(id), await detailOf(id)])).toMatch(/zebedee/i);
    await service.get(ErasureService).erase(id, operator);
    expect(JSON.stringify([await clientSees(id), await detailOf(id)])).not.toMatch(/zebedee/i);
    expect((await clientSees(id)).delivery!.waitingFor).toMatchObject({ what: '(erased)' });
  });

  it('change nothing where everything is so already', async () => {
    const id = await won();
    const body = { committedDate: '2026-03-27', note: 'Agreed by phone.' };
    expect((await change(id, body)).body.version).toBe(3);
    expect((await change(id, body)).body.version).toBe(3);
    expect((await clientSees(id)).delivery!.dateChanges).toHaveLength(1);
  });

  it('refuse an old version, an order that is not accepted, and days that cannot be', async () => {
    const open = await claimed();
    expect(await staff(sam, open, 'delivery', { version: 1, serviceId: 'X' })).toMatchObject({
      status: 409,
      body: { code: 'order-moved', detail: 'Only an accepted order has a delivery.' },
    });
    const id = await won();
    const old = await staff(sam, id, 'delivery', { version: 1, serviceId: 'X' });
    expect([old.status, old.body.code]).toEqual([409, 'order-moved']);
    const later = { milestones: [{ code: 'live', doneOn: '2026-03-03' }] };
    expect(await change(id, later)).toMatchObject({
      status: 400,
      body: { errors: [{ pointer: '/milestones/0/doneOn' }] },
    });
    expect((await change(id, { committedDate: '2026-02-30' })).status).toBe(400);
    expect((await change(id, { milestones: [{ code: 'dug' }] })).status).toBe(400);
    expect((await change(id, { milestones: [null] })).status).toBe(400);
    expect(await versionOf(id)).toBe(2);
  });

  it('are reported by webhook with ids and codes, at most once a minute for each order', async () => {
    const id = await won();
    await events();
    await change(id, { milestones: [{ code: 'surveyed', doneOn: '2026-03-02' }] });
    expect(await news()).toEqual([]);
    service.clock.advance({ seconds: 10 });
    const { orderReference } = await clientSees(id);
    const data = { orderId: id, orderReference, reference: null, state: 'accepted' };
    expect(await news()).toEqual([{ ...data, milestone: 'surveyed', waitingFor: null }]);
    service.clock.advance({ seconds: 20 });
    await change(id, { milestones: [{ code: 'built', doneOn: '2026-03-02' }] });
    await change(id, { waitingFor: { party: 'thirdParty', what: 'Consent of the landlord.' } });
    expect(await news()).toEqual([]);
    service.clock.advance({ seconds: 40 });
    expect(await news()).toEqual([{ ...data, milestone: 'built', waitingFor: 'thirdParty' }]);
    service.clock.advance({ seconds: 60 });
    expect(await news()).toEqual([]);
  });

  it('are listed by whom they wait for', async () => {
    const mine = await service.given.token({ days: 3_650 });
    const { orderId: id } = await service.given.order({ token: mine });
    await service.given.order({ token: mine });
    await staff(sam, id, 'claim', { version: 0 });
    await staff(sam, id, 'win', { version: 1 });
    await change(id, { waitingFor: { party: 'client', what: 'Access.' } });
    const listed = async (party: string) => {
      const path = `/product-availability/order?waitingFor=${party}`;
      const { body } = await service.http.get<{ items: ClientOrder[] }>(path, { token: mine });
      return body.items.map(({ orderId }) => orderId);
    };
    expect(await listed('client')).toEqual([id]);
    expect(await listed('operator')).toEqual([]);
    await change(id, { waitingFor: null });
    expect(await listed('client')).toEqual([]);
  });

  it('take charges until the service is live', async () => {
    const id = await won();
    const propose = async () =>
      staff(sam, id, 'charges', {
        version: await versionOf(id),
        category: 'construction',
        amount: 900,
        note: 'Traffic management.',
      });
    const { body } = await propose();
    expect(body.charges).toMatchObject([{ state: 'awaitingResponse' }]);
    const answered = await client(id, `charge/${body.charges[0]!.chargeId}/answer`, {
      accept: true,
    });
    expect(answered.body.charges).toMatchObject([{ state: 'accepted', amount: 900 }]);
    expect(answered.body.state).toBe('accepted');
    await change(id, { milestones: [{ code: 'live', doneOn: '2026-03-02' }] });
    expect(await clientSees(id)).toMatchObject({ delivery: { liveOn: '2026-03-02' } });
    expect(await propose()).toMatchObject({ status: 409, body: { code: 'order-moved' } });
  });

  it('do not start while a charge awaits an answer', async () => {
    const id = await claimed();
    const { body } = await staff(sam, id, 'charges', {
      version: 1,
      category: 'survey',
      amount: 250,
      note: 'The duct is full.',
    });
    const { chargeId } = body.charges[0]!;
    const win = async () => staff(sam, id, 'win', { version: await versionOf(id) });
    expect(await win()).toMatchObject({
      status: 409,
      body: { code: 'charge-open', chargeIds: [chargeId] },
    });
    expect(await clientSees(id)).toMatchObject({ state: 'inProgress', delivery: null });
    await staff(sam, id, `charges/${chargeId}/withdrawal`);
    expect((await win()).status).toBe(200);
  });

  it('can be expedited for a charge on a firm order, if the client asked for it', async () => {
    const firm = { productCode: 'INT-100M-12' };
    const charge = { category: 'expedite', amount: 300, note: 'Weekend work.' };
    const asked = await claimed({ ...firm, expedite: true });
    expect(await clientSees(asked)).toMatchObject({ expedite: true });
    expect((await staff(sam, asked, 'charges', { version: 1, ...charge })).status).toBe(201);
    expect((await clientSees(asked)).charges).toMatchObject([{ category: 'expedite' }]);
    const other = await claimed({ ...firm, expedite: true });
    const survey = { version: 1, ...charge, category: 'survey' };
    expect((await staff(sam, other, 'charges', survey)).body.code).toBe('extra-charges-excluded');
    const unasked = await claimed(firm);
    const { body } = await staff(sam, unasked, 'charges', { version: 1, ...charge });
    expect(body.code).toBe('extra-charges-excluded');
  });

  const asked = async () => {
    const id = await won({ productCode: 'INT-100M-12' });
    const reason = { reason: 'The customer moves.' };
    const { status, body } = await client(id, 'cancellation', reason);
    expect([status, body.state]).toEqual([200, 'accepted']);
    expect(body.delivery!.cancellationRequestedAt).toBe(service.clock.now().toISOString());
    return id;
  };
  const reply = async (id: string, body: object, by = sam) =>
    staff(by, id, 'cancellation-answer', { version: await versionOf(id), ...body });

  it('end by a request of the client that staff answer without a charge', async () => {
    const id = await asked();
    await client(id, 'cancellation');
    expect((await reply(id, { accept: true }, eve)).status).toBe(403);
    expect((await reply(id, { accept: false }, eve)).status).toBe(403);
    expect((await reply(id, { accept: true })).body.state).toBe('cancelled');
    const seen = await clientSees(id);
    expect(seen).toMatchObject({
      state: 'cancelled',
      delivery: { cancellationRequestedAt: null },
    });
    expect(seen.stateChanges.at(-1)).toMatchObject({ state: 'cancelled', cancelledBy: 'client' });
    expect((await client(id, 'cancellation')).status).toBe(200);
    const late = { category: 'survey', amount: 10, note: 'Late.' };
    const refused = await staff(sam, id, 'charges', { version: await versionOf(id), ...late });
    expect([refused.status, refused.body.code]).toEqual([409, 'order-moved']);
    const actions = (await detailOf(id)).timeline.map(({ action }) => action);
    expect(actions.filter((one) => one.startsWith('cancel'))).toEqual([
      'cancellation_requested',
      'cancelled',
    ]);
  });

  it('end when the client accepts what the cancellation costs, and go on when it does not', async () => {
    const id = await asked();
    const offer = async () => {
      const { body } = await reply(id, { accept: true, amount: 120, note: 'Survey done.' });
      expect(body).toMatchObject({ state: 'won', chargesAwaiting: 120 });
      return (await clientSees(id)).charges.at(-1)!.chargeId;
    };
    const answer = (chargeId: string, accept: boolean) =>
      client(id, `charge/${chargeId}/answer`, { accept });
    const first = await offer();
    expect(await reply(id, { accept: false })).toMatchObject({
      status: 409,
      body: { code: 'charge-open', chargeIds: [first] },
    });
    expect((await answer(first, false)).body).toMatchObject({
      state: 'accepted',
      delivery: { cancellationRequestedAt: null },
    });
    await client(id, 'cancellation');
    const { body } = await answer(await offer(), true);
    expect(body).toMatchObject({ state: 'cancelled', delivery: { cancellationRequestedAt: null } });
    expect(body.charges.map(({ category, state }) => [category, state])).toEqual([
      ['cancellation', 'rejected'],
      ['cancellation', 'accepted'],
    ]);
  });

  it('go on after a refused request whose charge the client has not answered in time', async () => {
    const id = await asked();
    await reply(id, { accept: true, amount: 120 });
    service.clock.advance({ days: 30 });
    expect((await reply(id, { accept: false })).body.state).toBe('won');
  });

  const goesLive = {
    'by staff': (id: string) =>
      change(id, { milestones: [{ code: 'live', doneOn: '2026-03-02' }] }),
    'by an import': async (id: string) => {
      const { reference } = (await detailOf(id)).order;
      const file = `order,milestone,done\n${reference},live,2026-03-02\n`;
      await service.get(DeliveryImportService).run(file, operator);
    },
  };
  it.each(Object.entries(goesLive))(
    'withdraw what a cancellation costs when the service goes live %s',
    async (_by, live) => {
      const id = await asked();
      await reply(id, { accept: true, amount: 120 });
      await live(id);
      expect(await clientSees(id)).toMatchObject({
        state: 'accepted',
        charges: [{ category: 'cancellation', state: 'withdrawn' }],
        delivery: { liveOn: '2026-03-02', cancellationRequestedAt: null },
      });
    },
  );

  it('go on after a refused request, and cannot be cancelled once live', async () => {
    const id = await asked();
    const { body } = await reply(id, { accept: false, note: 'It is built.' });
    expect(body).toMatchObject({ state: 'won', delivery: { cancellationRequestedAt: null } });
    expect((await reply(id, { accept: true })).body.code).toBe('order-moved');
    await change(id, { milestones: [{ code: 'live', doneOn: '2026-03-02' }] });
    expect(await client(id, 'cancellation')).toMatchObject({
      status: 409,
      body: { code: 'order-moved', state: 'accepted' },
    });
  });
});
