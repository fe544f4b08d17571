import { beforeAll, beforeEach, expect, it } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { AuditEntry } from '../../src/platform/audit/audit-entry.entity.js';
import { operator } from '../../src/platform/audit/audit.service.js';
import { Transactions } from '../../src/platform/database/transactions.js';
import type { Message, MessagePage } from '../../src/orders/conversation/messages.dto.js';
import { ErasureService } from '../../src/orders/erasure.service.js';
import type { ClientOrder } from '../../src/orders/record/orders.dto.js';
import type { OrderDetail } from '../../src/orders/staff/detail.dto.js';
import type { FollowUpOrder } from '../../src/orders/staff/follow-up.dto.js';
import { DeliveryService } from '../../src/platform/notifications/delivery.service.js';
import { WebhooksService } from '../../src/platform/notifications/webhooks.service.js';
import { onBothEngines, ruleOn, type Service, startService } from '../support/service.js';
import { WebhookReceiver } from '../support/webhook-receiver.js';
import { postAsStaff } from '../support/moves.js';

const config = { rateLimits: false, webhookKey: randomBytes(32), webhookNetworks: ['127.0.0.0/8'] };

interface Refusal {
  readonly code: string;
  readonly errors?: readonly { readonly pointer: string; readonly code: string }[];
}

onBothEngines('messages about orders and enquiries', (engine) => {
  const rule = ruleOn(engine);
  let service: Service;
  let ours: WebhookReceiver;
  let theirs: WebhookReceiver;
  let sam: string;
  let token: string;

  beforeAll(async () => {
    service = await startService(engine, { config });
    await service.given.catalogue();
    const staff = await service.given.staff({ name: 'Sam Poole', role: 'agent' });
    sam = await service.given.token({ staff });
    token = await service.given.token({ days: 3_650 });
    ours = await WebhookReceiver.start();
    theirs = await WebhookReceiver.start();
    await service.get(WebhooksService).add(ours.url, null, operator);
    await service.http.send({
      method: 'PUT',
      path: '/product-availability/webhook',
      token,
      body: JSON.stringify({ url: theirs.url }),
      headers: { 'Content-Type': 'application/json' },
    });
  });
  beforeEach(() => service.clock.reset());

  const address = (id: string, kind = 'order') => `/product-availability/${kind}/${id}/message`;
  const write = (
    id: string,
    body: object,
    { kind = 'order', by = token, key }: { kind?: string; by?: string; key?: string } = {},
  ) =>
    service.http.post<Message & Refusal>(address(id, kind), body, {
      token: by,
      headers: key === undefined ? {} : { 'Idempotency-Key': key },
    });
  const read = async (id: string, query = '', kind = 'order') =>
    (await service.http.get<MessagePage>(`${address(id, kind)}${query}`, { token })).body;
  const staff = (id: string, move: string, body: object) =>
    postAsStaff<FollowUpOrder>(service.http, `/follow-up/orders/${id}/${move}`, body, {
      token: sam,
    });
  const detailOf = async (id: string) =>
    (await service.http.get<OrderDetail>(`/follow-up/orders/${id}`, { token: sam })).body;
  const dueOrders = async () => {
    const path = '/follow-up/orders?view=due&limit=200';
    const { body } = await service.http.get<{ items: FollowUpOrder[] }>(path, { token: sam });
    return body.items.map(({ orderId }) => orderId);
  };
  const order = async () => (await service.given.order({ token })).orderId;
  const sent = async (receiver: WebhookReceiver) => {
    await service.get(DeliveryService).deliverDue();
    const bodies = receiver.hooks.splice(0).map(({ body }) => JSON.parse(body) as { type: string });
    return bodies.filter(({ type }) => type.endsWith('.message'));
  };

  rule('keeps the text of the client with line breaks, and shows it oldest first', async () => {
    const id = await order();
    const first = await write(id, { text: 'One\nTwo\r\nThree\tfour' });
    service.clock.advance({ seconds: 5 });
    await write(id, { text: 'Five' });
    expect([first.status, Object.keys(first.body).sort()]).toEqual([201, ['at', 'messageId']]);
    const page = await read(id, '?limit=1');
    const next = await read(id, `?limit=1&cursor=${page.nextCursor}`);
    const { messageId, at } = first.body;
    expect([page.items, next.items.map(({ text }) => text), next.nextCursor]).toEqual([
      [{ messageId, at, from: 'client', text: 'One\nTwo\r\nThree\tfour', answersWaiting: false }],
      ['Five'],
      null,
    ]);
  });

  it.each([
    [{}, '/text'],
    [{ text: '' }, '/text'],
    [{ text: ' \n ' }, '/text'],
    [{ text: 'x'.repeat(2_001) }, '/text'],
    [{ text: 'Bell \u0007' }, '/text'],
    [{ text: 'x', answersWaiting: 'yes' }, '/answersWaiting'],
    [{ text: 'x', from: 'operator' }, '/from'],
  ])('refuses a bad message with a pointer: %j', async (body, pointer) => {
    const { status, body: refusal } = await write(await order(), body);
    expect([status, refusal.code, refusal.errors?.map((fault) => fault.pointer)]).toEqual([
      400,
      'validation-error',
      [pointer],
    ]);
  });

  rule('takes a message of 2,000 characters', async () => {
    expect((await write(await order(), { text: 'x'.repeat(2_000) })).status).toBe(201);
  });

  it('repeats the first answer to the same key, and refuses the key for another text', async () => {
    const id = await order();
    const key = `message-${id}`;
    const first = await write(id, { text: 'Once' }, { key });
    const again = await write(id, { text: 'Once' }, { key });
    const other = await write(id, { text: 'Twice' }, { key });
    expect([again.status, again.body, again.headers['idempotent-replayed']]).toEqual([
      201,
      first.body,
      'true',
    ]);
    expect([other.status, other.body.code]).toEqual([422, 'idempotency-key-reused']);
    expect((await read(id)).items).toHaveLength(1);
  });

  rule('hides the messages of others, and those of the other kind', async () => {
    const id = await order();
    const by = await service.given.token({ days: 30 });
    const answers = [
      await write(id, { text: 'x' }, { by }),
      await write(id, { text: 'x' }, { kind: 'enquiry' }),
      await service.http.get(address(id), { token: by }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404]);
  });

  rule('makes the order due, wakes a later call-back, and reopens no closed order', async () => {
    const waiting = await order();
    const called = await order();
    const closed = await order();
    await staff(called, 'claim', { version: 0 });
    const call = { nextActionAt: '2099-01-01T10:00:00Z', reason: 'callback_agreed' };
    await staff(called, 'schedule', { version: 1, ...call });
    await staff(closed, 'claim', { version: 0 });
    await staff(closed, 'lose', { version: 1, reason: 'price' });
    const before = await dueOrders();
    for (const id of [waiting, called, closed]) await write(id, { text: 'Is there news?' });
    const now = await dueOrders();
    expect(now.filter((id) => !before.includes(id)).sort()).toEqual(
      [waiting, called, closed].sort(),
    );
    const states = await Promise.all(
      [waiting, called, closed].map(async (id) => (await detailOf(id)).order.state),
    );
    expect(states).toEqual(['waiting', 'scheduled', 'lost']);
  });

  rule('reports what the client writes to the operator only, without the text', async () => {
    const id = await order();
    await sent(ours);
    await sent(theirs);
    const { messageId } = (await write(id, { text: 'A secret of ours' })).body;
    const events = await sent(ours);
    expect(events).toMatchObject([
      { type: 'order.message', data: { orderId: id, messageId, from: 'client' } },
    ]);
    expect(JSON.stringify(events)).not.toContain('secret');
    expect(await sent(theirs)).toEqual([]);
  });

  it('names token and message in the audit trail, not the text, and is erased', async () => {
    const id = await order();
    await write(id, { text: 'Grace Hopperfield has the key' });
    const found = async () => {
      const path = '/follow-up/orders?view=all&q=hopperfield';
      return (await service.http.get<{ items: FollowUpOrder[] }>(path, { token: sam })).body.items;
    };
    expect((await found()).map(({ orderId }) => orderId)).toEqual([id]);
    const entries = await service
      .get(Transactions)
      .read((tx) => tx.findBy(AuditEntry, { subjectId: id, action: 'message_received' }));
    expect(entries).toMatchObject([
      {
        actorType: 'client',
        details: { token: expect.any(String), messageId: expect.any(String) },
      },
    ]);
    expect(JSON.stringify(entries)).not.toContain('Hopper');
    await service.get(ErasureService).erase(id, operator);
    expect([(await read(id)).items[0]?.text, await found()]).toEqual(['(erased)', []]);
  });

  it('takes 50 messages a day on one order', async () => {
    const id = await order();
    for (let i = 1; i <= 50; i += 1) {
      expect([i, (await write(id, { text: `No. ${i}` })).status]).toEqual([i, 201]);
      service.clock.advance({ seconds: 60 });
    }
    const refused = await write(id, { text: 'One more' });
    const elsewhere = await write(await order(), { text: 'Another order' });
    expect([refused.status, refused.body.code, elsewhere.status]).toEqual([
      429,
      'rate-limited',
      201,
    ]);
    // The first one is 50 minutes old.
    const { 'retry-after': retryAfter, ratelimit } = refused.headers;
    expect([retryAfter, ratelimit]).toEqual(['3600', `"messages";r=0;t=${24 * 3_600 - 50 * 60}`]);
    service.clock.advance({ seconds: 24 * 3_600 - 50 * 60 });
    expect((await write(id, { text: 'The next day' })).status).toBe(201);
  });

  it.each(['order', 'enquiry'] as const)('ends 30 days after the end of an %s', async (kind) => {
    const id =
      kind === 'order'
        ? await order()
        : (
            await service.http.post<{ enquiryId: string }>(
              '/product-availability/enquiry',
              { postcode: 'EC2A 2BS' },
              { token },
            )
          ).body.enquiryId;
    await service.http.post(`/product-availability/${kind}/${id}/cancellation`, {}, { token });
    service.clock.advance({ seconds: 30 * 86_400 - 1 });
    expect((await write(id, { text: 'Still there?' }, { kind })).status).toBe(201);
    service.clock.advance({ seconds: 1 });
    const { status, body } = await write(id, { text: 'And now?' }, { kind });
    expect([status, body.code, (await read(id, '', kind)).items.length]).toEqual([
      409,
      `${kind}-moved`,
      1,
    ]);
  });

  rule('hands the delivery back to the operator, where it waits for the client', async () => {
    const id = await order();
    const early = await write(id, { text: 'x', answersWaiting: true });
    await staff(id, 'claim', { version: 0 });
    await staff(id, 'win', { version: 1 });
    const { version } = (await detailOf(id)).order;
    const waitingFor = { party: 'client', what: 'Name a site contact.' };
    await staff(id, 'delivery', { version, waitingFor });
    const answer = await write(id, { text: 'Grace Hopper', answersWaiting: true });
    const again = await write(id, { text: 'Grace Hopper', answersWaiting: true });
    const { delivery } = (
      await service.http.get<ClientOrder>(`/product-availability/order/${id}`, { token })
    ).body;
    expect([early, answer, again].map(({ status, body }) => [status, body.code])).toEqual([
      [409, 'not-waiting'],
      [201, undefined],
      [409, 'not-waiting'],
    ]);
    expect(delivery?.waitingFor).toMatchObject({
      party: 'operator',
      what: "Read the client's answer.",
    });
    const { items } = await read(id);
    expect(items.map(({ answersWaiting }) => answersWaiting)).toEqual([true]);
  });

  const claimed = async () => {
    const id = await order();
    await staff(id, 'claim', { version: 0 });
    return id;
  };
  const versionOf = async (id: string) => (await detailOf(id)).order.version;

  rule('are answered by staff, which settles them, and brings the call-back back', async () => {
    const id = await claimed();
    const call = { nextActionAt: '2099-01-01T10:00:00.000Z', reason: 'callback_agreed' };
    await staff(id, 'schedule', { version: 1, ...call });
    await write(id, { text: 'Is there news?' });
    await sent(theirs);
    const { status, body } = await staff(id, 'reply', { version: 3, text: 'On Monday.\nSam' });
    expect([status, body.due, body.nextActionAt, body.nextActionReason]).toEqual([
      200,
      false,
      call.nextActionAt,
      call.reason,
    ]);
    expect((await read(id)).items.map(({ from, text }) => [from, text])).toEqual([
      ['client', 'Is there news?'],
      ['operator', 'On Monday.\nSam'],
    ]);
    const told = (await detailOf(id)).timeline.slice(-2);
    expect(told.map(({ action, details }) => [action, details.text])).toEqual([
      ['message_received', 'Is there news?'],
      ['replied', 'On Monday.\nSam'],
    ]);
    expect(await sent(theirs)).toEqual([]);
    service.clock.advance({ seconds: 10 });
    expect(await sent(theirs)).toMatchObject([
      { type: 'order.message', data: { orderId: id, from: 'operator' } },
    ]);
  });

  rule('of staff can be undone for ten seconds; what the client wrote is due again', async () => {
    const id = await claimed();
    await write(id, { text: 'Is there news?' });
    await staff(id, 'reply', { version: 2, text: 'Wrong order' });
    const { status, body } = await staff(id, 'undo', { version: 3 });
    service.clock.advance({ seconds: 10 });
    expect([status, body.due, body.nextActionReason]).toEqual([200, true, 'client_wrote']);
    expect([(await read(id)).items.length, await sent(theirs)]).toEqual([1, []]);
  });

  rule('that need no answer are settled, once', async () => {
    const id = await claimed();
    await write(id, { text: 'Thank you.' });
    const first = await staff(id, 'settle', { version: 2 });
    const again = await staff(id, 'settle', { version: 3 });
    expect([first.status, first.body.due, again.status]).toEqual([200, false, 409]);
  });

  rule('of staff follow the same rules for the text', async () => {
    const id = await order();
    const answers = [
      await staff(id, 'reply', { version: 0, text: ' ' }),
      await staff(id, 'reply', { version: 0, text: 'x'.repeat(2_001) }),
      await staff(id, 'reply', { version: 1, text: 'Stale' }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([400, 400, 409]);
  });

  it('reach several orders of one client at once, and never of two', async () => {
    const [one, two] = [await order(), await order()];
    const other = (await service.given.order({})).orderId;
    const send = (ids: readonly string[]) =>
      service.http.post<{ moved: number } & Refusal>(
        '/follow-up/moves',
        {
          move: 'reply',
          text: 'We are closed on Friday.',
          orders: ids.map((orderId) => ({ orderId, version: 0 })),
        },
        { token: sam },
      );
    const refused = await send([one, other]);
    expect([refused.status, refused.body.errors]).toMatchObject([400, [{ pointer: '/orders' }]]);
    expect((await send([one, two])).body.moved).toBe(2);
    expect((await read(two)).items.map(({ text }) => text)).toEqual(['We are closed on Friday.']);
    expect(await versionOf(other)).toBe(0);
  });

  rule('on an order that was live for more than 30 days are refused to both sides', async () => {
    const id = await claimed();
    await staff(id, 'win', { version: 1 });
    const day = service.clock.now().toISOString().slice(0, 10);
    const live = { version: 2, milestones: [{ code: 'live', doneOn: day }] };
    expect((await staff(id, 'delivery', live)).status).toBe(200);
    service.clock.advance({ days: 30 });
    expect((await write(id, { text: 'It is slow.' })).status).toBe(201);
    service.clock.advance({ days: 1 });
    const version = await versionOf(id);
    const answers = [
      await write(id, { text: 'Still slow.' }),
      await staff(id, 'reply', { version, text: 'Sorry.' }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([409, 409]);
  });

  rule('of test orders are answered by a script, which asks for a contact', async () => {
    const by = await service.given.token({ days: 30, kind: 'test' });
    const place = { postcode: 'ZZ99 1AA', productCode: 'TEST-1G-12', token: by };
    const { orderId } = await service.given.order(place);
    const path = `/product-availability/test/order/${orderId}/advance`;
    const advance = () => service.http.post<ClientOrder>(path, {}, { token: by });
    await write(orderId, { text: 'May we have the second floor?' }, { by });
    for (let i = 0; i < 3; i += 1) await advance();
    const answer = { text: 'Grace Hopper', answersWaiting: true };
    expect((await write(orderId, answer, { by })).status).toBe(201);
    await advance();
    const { body } = await service.http.get<MessagePage>(address(orderId), { token: by });
    expect(body.items.map(({ from, text }) => [from, text])).toEqual([
      ['client', 'May we have the second floor?'],
      ['operator', 'Thank you. We have read your message.'],
      ['operator', 'Who can let our engineer in? Please name a contact at the site.'],
      ['client', 'Grace Hopper'],
      ['operator', 'Thank you. We have read your message.'],
    ]);
  });
});
