import { beforeAll, expect, it } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { operator } from '../../src/platform/audit/audit.service.js';
import { Transactions } from '../../src/platform/database/transactions.js';
import type { FollowUpOrder } from '../../src/orders/staff/follow-up.dto.js';
import type { FollowUpPage } from '../../src/queue/lists/list.dto.js';
import type { TakenOrder } from '../../src/orders/staff/moves.dto.js';
import type { OrderDetail } from '../../src/orders/staff/detail.dto.js';
import { DeliveryService } from '../../src/platform/notifications/delivery.service.js';
import { WebhooksService } from '../../src/platform/notifications/webhooks.service.js';
import type {
  ClientEnquiry,
  ClientEnquiryPage,
  EnquiryAcknowledgement,
  EnquiryRequest,
} from '../../src/orders/record/enquiries.dto.js';
import { ErasureService } from '../../src/orders/erasure.service.js';
import type { Move, Mover } from '../../src/orders/moves/move-contents.js';
import { MovesService } from '../../src/orders/moves/moves.service.js';
import { Ledger } from '../support/ledger.js';
import { askReport } from '../support/reports.js';
import { onOneEngine, type Service, startService } from '../support/service.js';
import { WebhookReceiver } from '../support/webhook-receiver.js';
import { postAsStaff } from '../support/moves.js';

const ENQUIRY = '/product-availability/enquiry';
const wanted = { bandwidth: 10, term: 36, description: 'Two diverse routes.' };
const config = {
  rateLimits: false,
  webhookKey: randomBytes(32),
  webhookNetworks: ['127.0.0.0/8'],
};

type Refusal = { readonly code: string };

onOneEngine('enquiries', (engine) => {
  let service: Service;
  let receiver: WebhookReceiver;
  let token: string;
  let sam: { id: string; token: string };

  beforeAll(async () => {
    service = await startService(engine, { config });
    await service.given.catalogue();
    receiver = await WebhookReceiver.start();
    await service.get(WebhooksService).add(receiver.url, null, operator);
    token = await service.given.token();
    const staff = await service.given.staff({ name: 'Sam Poole', role: 'manager' });
    sam = { id: staff.id, token: await service.given.token({ staff }) };
  });

  const send = (body: Partial<EnquiryRequest>, by = token, key?: string) =>
    service.http.post<EnquiryAcknowledgement & Refusal>(
      ENQUIRY,
      { postcode: 'EC2A 2BS', ...body },
      { token: by, ...(key !== undefined && { headers: { 'Idempotency-Key': key } }) },
    );
  const sent = async (body: Partial<EnquiryRequest> = {}, by = token) =>
    (await send(body, by)).body.enquiryId;
  const read = async (id: string, by = token) =>
    (await service.http.get<ClientEnquiry & Refusal>(`${ENQUIRY}/${id}`, { token: by })).body;
  const list = async (query = '', by = token) =>
    (await service.http.get<ClientEnquiryPage>(`${ENQUIRY}${query}`, { token: by })).body;
  const cancel = (id: string, path = ENQUIRY) =>
    service.http.post<ClientEnquiry & Refusal>(
      `${path}/${id}/cancellation`,
      { reason: 'No longer needed.' },
      { token },
    );
  const asStaff = <T>(path: string) =>
    service.http.get<T>(`/follow-up/${path}`, { token: sam.token });
  const move = async (id: string, name: string, body: object = {}) => {
    const { version } = (await asStaff<OrderDetail>(`orders/${id}`)).body.order;
    return postAsStaff<FollowUpOrder & Refusal>(
      service.http,
      `/follow-up/orders/${id}/${name}`,
      { version, ...body },
      { token: sam.token },
    );
  };
  const queue = async (query: string) =>
    (await asStaff<FollowUpPage>(`orders?${query}`)).body.items.map(({ orderId }) => orderId);
  /** A move that the work on offers makes. */
  const make = async (orderId: string, made: Move, mover: Mover) => {
    const { version } = (await asStaff<OrderDetail>(`orders/${orderId}`)).body.order;
    return service.get(MovesService).make({ orderId, version, move: made, mover });
  };
  const manager = (): Mover => ({ kind: 'staff', id: sam.id, name: 'Sam Poole', manager: true });
  const events = async () => {
    await service.get(DeliveryService).deliverDue();
    return receiver.hooks
      .splice(0)
      .map(({ body }) => JSON.parse(body) as { type: string; data: Record<string, unknown> });
  };

  it('are stored with all that belongs to them, and shown to their client', async () => {
    await events();
    const before = await new Ledger(service.config).received();
    const { status, headers, body } = await send({ wanted, reference: 'RFQ-204' });
    const { enquiryId, message } = body;
    expect([status, headers.location]).toEqual([201, `${ENQUIRY}/${enquiryId}`]);
    const shown = await read(enquiryId);
    expect(shown).toEqual({
      enquiryId,
      offers: [],
      enquiryReference: /ENQ-[0-9A-Z]{6}/.exec(message)?.[0],
      reference: 'RFQ-204',
      state: 'acknowledged',
      stateChanges: [{ state: 'acknowledged', at: shown.receivedAt }],
      postcode: 'EC2A 2BS',
      uprn: null,
      wanted,
      checkId: null,
      constraints: [],
      preferredDays: null,
      quoteId: null,
      lineId: null,
      details: null,
      receivedAt: service.clock.now().toISOString(),
      updatedAt: service.clock.now().toISOString(),
    });
    const after = await new Ledger(service.config).received();
    expect([after.orders - before.orders, after.entries - before.entries]).toEqual([1, 1]);
    expect(await events()).toMatchObject([
      {
        type: 'enquiry.received',
        data: { enquiryId, enquiryReference: shown.enquiryReference, state: 'acknowledged' },
      },
    ]);
  });

  it('are stored where nothing is sold, with what is known', async () => {
    const id = await sent({ postcode: 'ls1 4ap' });
    const nothing = { bandwidth: null, term: null, description: null };
    expect(await read(id)).toMatchObject({ postcode: 'LS1 4AP', wanted: nothing });
    const { order } = (await asStaff<OrderDetail>(`orders/${id}`)).body;
    expect(order).toMatchObject({ kind: 'enquiry', product: null, zone: null, wanted: nothing });
  });

  it.each([
    [{ postcode: 'nowhere' }, 400, 'validation-error'],
    [{ wanted: { bandwidth: 0 } }, 400, 'validation-error'],
    [{ wanted: { term: 121 } }, 400, 'validation-error'],
    [{ checkId: '0000000000' }, 422, 'unknown-check'],
  ])('are refused: %j', async (body, status, code) => {
    const reply = await send(body);
    expect([reply.status, reply.body.code]).toEqual([status, code]);
  });

  it('are stored once for each key, which an order cannot use again', async () => {
    const [first, second] = [await send({}, token, 'enq-1'), await send({}, token, 'enq-1')];
    expect(second.body).toEqual(first.body);
    expect(second.headers['idempotent-replayed']).toBe('true');
    const order = await service.http.post<Refusal>(
      '/product-availability/order',
      { postcode: 'EC2A 2BS', productCode: 'INT-1G-12' },
      { token, headers: { 'Idempotency-Key': 'enq-1' } },
    );
    expect([order.status, order.body.code]).toEqual([422, 'idempotency-key-reused']);
  });

  it('are not orders, nor those of another client: each is 404 as the other', async () => {
    const id = await sent();
    const { orderId } = await service.given.order({ token });
    const other = await service.given.token();
    expect((await read(id, other)).code).toBe('not-found');
    expect((await read(orderId)).code).toBe('not-found');
    expect((await cancel(id, '/product-availability/order')).body.code).toBe('not-found');
    const orders = await service.http.get<{ items: { orderId: string }[] }>(
      '/product-availability/order?limit=200',
      { token },
    );
    const ids = orders.body.items.map((one) => one.orderId);
    expect([ids.includes(orderId), ids.includes(id)]).toEqual([true, false]);
  });

  it('are listed newest first, page by page, and since a change', async () => {
    const own = await service.given.token();
    await service.given.order({ token: own });
    const ids: string[] = [];
    for (let n = 0; n < 3; n += 1) {
      service.clock.advance({ minutes: 1 });
      ids.unshift(await sent({}, own));
    }
    const first = await list('?limit=2', own);
    const rest = await list(`?limit=2&cursor=${first.nextCursor}`, own);
    const listed = [...first.items, ...rest.items].map(({ enquiryId }) => enquiryId);
    expect([listed, rest.nextCursor]).toEqual([ids, null]);
    service.clock.advance({ minutes: 1 });
    const since = service.clock.now().toISOString();
    await move(ids[2]!, 'claim');
    const changed = (await list(`?updatedSince=${since}`, own)).items;
    expect(changed).toMatchObject([{ enquiryId: ids[2], state: 'inProgress' }]);
    await move(ids[1]!, 'claim');
    await move(ids[1]!, 'lose', { reason: 'not_serviceable' });
    const named = await sent({ reference: 'RFQ-118' }, own);
    const idsOf = async (query: string) =>
      (await list(query, own)).items.map(({ enquiryId }) => enquiryId);
    expect(await idsOf('?state=inProgress')).toEqual([ids[2]]);
    expect(await idsOf('?state=unableToProvide')).toEqual([ids[1]]);
    expect(await idsOf('?state=acknowledged')).toEqual([named, ids[0]]);
    expect(await idsOf('?state=acknowledged&reference=RFQ-118')).toEqual([named]);
    expect(await idsOf('?state=expired')).toEqual([]);
  });

  it('are cancelled by their client, and not once they have ended', async () => {
    const id = await sent();
    const { body } = await cancel(id);
    expect(body).toMatchObject({ state: 'cancelled' });
    expect(body.stateChanges.at(-1)).toMatchObject({ cancelledBy: 'client' });
    expect((await cancel(id)).status).toBe(200);
    const lost = await sent();
    await move(lost, 'claim');
    await move(lost, 'lose', { reason: 'not_serviceable' });
    const refused = await cancel(lost);
    expect([refused.status, refused.body.code]).toEqual([409, 'enquiry-moved']);
    expect((await read(lost)).stateChanges.at(-1)).toMatchObject({
      state: 'unableToProvide',
      reason: 'notServiceable',
    });
  });

  it('wait in the queue with orders, and are found, filtered, taken and exported', async () => {
    // Due call-backs stay due, and come last.
    while ((await takeNext())?.state === 'in_progress');
    service.clock.advance({ minutes: 1 });
    const id = await sent({ wanted: { ...wanted, description: 'Hummingbird fibre' } });
    service.clock.advance({ minutes: 1 });
    const { orderId } = await service.given.order({ token });
    expect(await queue('view=waiting')).toEqual([id, orderId]);
    expect(await queue('view=waiting&kind=enquiry')).toEqual([id]);
    expect(await queue('view=waiting&kind=order')).toEqual([orderId]);
    expect(await queue('view=waiting&sort=price')).toEqual([orderId]);
    const { enquiryReference } = await read(id);
    const code = enquiryReference.slice(4);
    for (const q of [enquiryReference, `enq ${code}`, code, code.slice(0, 5), 'hummingbird']) {
      expect(await queue(`view=all&q=${encodeURIComponent(q)}`)).toContain(id);
    }
    expect(await queue(`view=all&q=ORD-${code}`)).toEqual([]);
    const csv = await service.http.get<string>('/follow-up/orders.csv?view=waiting&kind=enquiry', {
      token: sam.token,
    });
    expect(String(csv.text ?? csv.body)).toContain(enquiryReference);
    const taken = await takeNext();
    expect(taken).toMatchObject({ orderId: id, kind: 'enquiry', wanted: { bandwidth: 10 } });
    const won = await move(id, 'win');
    expect([won.status, won.body.code]).toEqual([409, 'order-moved']);
  });

  async function takeNext(): Promise<FollowUpOrder | null> {
    const { body } = await service.http.post<TakenOrder>(
      '/follow-up/take-next',
      {},
      { token: sam.token },
    );
    return body.order;
  }

  it('may repeat an enquiry of the same client and place, and are closed as its duplicate', async () => {
    const own = await service.given.token();
    const first = await sent({ postcode: 'SW1A 1AA' }, own);
    const { orderId } = await service.given.order({ token: own, postcode: 'SW1A 1AA' });
    const elsewhere = await sent({ postcode: 'N1 9GU' }, own);
    const second = await sent({ postcode: 'SW1A 1AA' }, own);
    const twinOf = async (id: string) =>
      (await asStaff<OrderDetail>(`orders/${id}`)).body.order.possibleDuplicateOf;
    expect([await twinOf(second), await twinOf(elsewhere), await twinOf(orderId)]).toEqual([
      first,
      null,
      null,
    ]);
    expect((await move(second, 'duplicate', { of: orderId })).status).toBe(400);
    expect((await move(second, 'duplicate', { of: first })).body.state).toBe('duplicate');
    expect((await read(second, own)).state).toBe('cancelled');
  });

  it('are offered, accepted, declined and expired by the moves of the work on offers', async () => {
    // What the test before has left waiting.
    service.clock.advance({ seconds: 10 });
    await events();
    const id = await sent();
    await move(id, 'claim');
    await make(id, { name: 'offer', offer: 'BESPOKE-7F3K9Q' }, manager());
    expect((await move(id, 'release', { reason: 'On leave.' })).status).toBe(409);
    const nextActionAt = new Date(service.clock.now().getTime() + 3_600_000).toISOString();
    const called = await move(id, 'schedule', { nextActionAt, reason: 'awaiting_client' });
    expect(called.body).toMatchObject({ state: 'offered', nextActionAt });
    await make(id, { name: 'accept' }, { kind: 'service' });
    expect((await read(id)).stateChanges.map(({ state }) => state)).toEqual([
      'acknowledged',
      'inProgress',
      'offered',
      'accepted',
    ]);
    expect((await move(id, 'reopen', { reason: 'Once more.' })).status).toBe(409);
    // `enquiry.offered` alone reports an offer. Messages of what follows wait while it can be undone.
    service.clock.advance({ seconds: 10 });
    const types = (await events()).map(({ type, data }) => `${type} ${String(data.state)}`);
    expect(types.sort()).toEqual([
      'enquiry.received acknowledged',
      'enquiry.state-changed accepted',
      'enquiry.state-changed inProgress',
    ]);
    for (const [name, state] of [
      ['decline', 'declined'],
      ['expire', 'expired'],
      ['retract', 'inProgress'],
    ] as const) {
      const other = await sent();
      await move(other, 'claim');
      await make(other, { name: 'offer' }, manager());
      await make(other, { name }, name === 'retract' ? manager() : { kind: 'service' });
      expect([name, (await read(other)).state]).toEqual([name, state]);
    }
  });

  it('keep the undo of staff, and lose personal data on request', async () => {
    const id = await sent({
      wanted,
      notes: 'Ask for Zed.',
      contact: { name: 'Zed Quill', phone: '020 7946 0991' },
    });
    await move(id, 'claim');
    await move(id, 'lose', { reason: 'price' });
    expect((await move(id, 'undo')).body).toMatchObject({ state: 'in_progress' });
    const { enquiryReference } = await read(id);
    const { fields } = await service.get(ErasureService).erase(enquiryReference, operator);
    expect(fields).toEqual(['contactName', 'contactPhone', 'notes', 'wanted.description']);
    expect((await read(id)).wanted).toEqual({ ...wanted, description: null });
    expect(await queue('view=all&q=quill')).toEqual([]);
    expect(await queue('view=all&q=diverse')).not.toContain(id);
  });

  it('are not counted in reports of orders', async () => {
    service.clock.advance({ days: 10 });
    const day = service.clock.now().toISOString().slice(0, 10);
    // No token is valid for all tests together with this jump.
    const staff = await service.given.token({ staff: { id: sam.id } });
    await sent({}, await service.given.token());
    await service.given.order();
    const { items } = await askReport(service, staff, `summary?from=${day}&to=${day}`);
    expect(items[0]).toMatchObject({
      received: 1,
      amounts: [{ currency: 'GBP', amount: 550 }],
    });
  });

  it('count towards the limit of orders', async () => {
    const limited = await startService(engine, { config: { ordersPerMinute: 2 } });
    await limited.given.catalogue();
    const own = await limited.given.token();
    await limited.given.order({ token: own });
    const statuses = [];
    for (let n = 0; n < 2; n += 1) {
      const { status } = await limited.http.post(ENQUIRY, { postcode: 'EC2A 2BS' }, { token: own });
      statuses.push(status);
    }
    expect(statuses).toEqual([201, 429]);
    await limited.close();
  });

  it('are played in the sandbox, where staff do not see them', async () => {
    const test = await service.given.token({ kind: 'test' });
    const id = await sent({ postcode: 'ZZ99 1BA', wanted }, test);
    const advance = (to?: string) =>
      service.http.post<ClientEnquiry & Refusal>(
        `/product-availability/test/enquiry/${id}/advance`,
        to === undefined ? {} : { to },
        { token: test },
      );
    expect((await read(id)).code).toBe('not-found');
    expect((await asStaff<Refusal>(`orders/${id}`)).body.code).toBe('not-found');
    expect((await advance()).body).toMatchObject({ state: 'inProgress' });
    expect((await advance()).body.stateChanges.at(-1)).toMatchObject({
      state: 'unableToProvide',
      reason: 'notServiceable',
    });
    expect((await advance('cancelled')).body.code).toBe('enquiry-moved');
    const live = await service.http.post<Refusal>(
      `/product-availability/test/enquiry/${id}/advance`,
      {},
      { token },
    );
    expect(live.body.code).toBe('not-found');
  });

  it('have their rows in one table with orders', async () => {
    await sent({ wanted });
    await service.given.order();
    const kinds = await service
      .get(Transactions)
      .read((tx) =>
        tx.query<{ prefix: string; kind: string }[]>(
          `SELECT DISTINCT SUBSTR(reference, 1, 3) AS prefix, kind FROM orders ORDER BY 1`,
        ),
      );
    expect(kinds).toEqual([
      { prefix: 'ENQ', kind: 'enquiry' },
      { prefix: 'ORD', kind: 'order' },
    ]);
  });
});
