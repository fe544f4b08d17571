import { beforeAll, expect, it } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { operator } from '../../src/platform/audit/audit.service.js';
import { AuditEntry } from '../../src/platform/audit/audit-entry.entity.js';
import { Transactions } from '../../src/platform/database/transactions.js';
import { OutboxMessage } from '../../src/platform/notifications/messages/outbox-message.entity.js';
import { WebhooksService } from '../../src/platform/notifications/webhooks.service.js';
import { ErasureService } from '../../src/orders/erasure.service.js';
import type { ClientEnquiry } from '../../src/orders/record/enquiries.dto.js';
import type { ClientOrder, OrderRequest } from '../../src/orders/record/orders.dto.js';
import type { OrderDetail } from '../../src/orders/staff/detail.dto.js';
import type { FollowUpOrder } from '../../src/orders/staff/follow-up.dto.js';
import { readSmtpUrl } from '../../src/platform/config/addresses.js';
import { postAsStaff } from '../support/moves.js';
import { onBothEngines, ruleOn, type Service, startService } from '../support/service.js';

interface Refusal {
  readonly code: string;
  readonly detail: string;
  readonly state?: string;
  readonly errors?: readonly { readonly pointer: string; readonly code: string }[];
}

onBothEngines('amendments', (engine) => {
  const rule = ruleOn(engine);
  let service: Service;
  let sam: string;
  let eve: string;
  let token: string;

  beforeAll(async () => {
    service = await startService(engine, {
      config: {
        rateLimits: false,
        webhookKey: randomBytes(32),
        webhookNetworks: ['127.0.0.0/8'],
        smtp: readSmtpUrl('smtp://127.0.0.1:9') ?? null,
      },
    });
    await service.given.catalogue();
    await service.get(WebhooksService).add('http://127.0.0.1:9/', null, operator);
    sam = await service.given.token({ staff: await service.given.staff({ name: 'Sam Poole' }) });
    eve = await service.given.token({ staff: await service.given.staff({ name: 'Eve Hill' }) });
    token = await service.given.token({ days: 3_650 });
  });

  const amend = (id: string, body: object, kind = 'order') =>
    service.http.post<ClientOrder & ClientEnquiry & Refusal>(
      `/product-availability/${kind}/${id}/amendment`,
      body,
      { token },
    );
  const staff = (by: string, id: string, path: string, body: object = {}) =>
    postAsStaff<FollowUpOrder & Refusal>(service.http, `/follow-up/orders/${id}/${path}`, body, {
      token: by,
    });
  const detailOf = async (id: string) =>
    (await service.http.get<OrderDetail>(`/follow-up/orders/${id}`, { token: sam })).body;
  const claimed = async (about: Partial<OrderRequest> = {}) => {
    const { orderId } = await service.given.order({ token, ...about });
    await staff(sam, orderId, 'claim', { version: 0 });
    return orderId;
  };
  const won = async () => {
    const id = await claimed();
    expect((await staff(sam, id, 'win', { version: 1 })).status).toBe(200);
    return id;
  };
  const dueOf = async (by: string) => {
    const list = await service.http.get<{ items: FollowUpOrder[] }>(
      '/follow-up/orders?view=due&owner=me&limit=100',
      { token: by },
    );
    return list.body.items.map(({ orderId }) => orderId);
  };
  /** The kinds of messages about an order, by channel. */
  const told = async (id: string) => {
    const messages = await service
      .get(Transactions)
      .read((tx) => tx.find(OutboxMessage, { where: { subjectId: id }, order: { id: 'ASC' } }));
    return messages
      .map(({ channel, kind }) => `${channel} ${kind}`)
      .filter((it) => /amend/.test(it));
  };
  const trail = (id: string) =>
    service
      .get(Transactions)
      .read((tx) => tx.findBy(AuditEntry, { subjectId: id, action: 'amended' }));

  rule('replace what they name, clear what is null, and leave the rest', async () => {
    const id = await claimed({
      reference: 'PO-1',
      contact: { name: 'Ada Lovelace', phone: '020 7946 0958' },
      details: { floor: '2', address: ['12 Curtain Road'] },
    });
    const { status, body } = await amend(id, {
      contact: { email: 'grace@example.com' },
      details: { floor: '3' },
      preferredDays: { days: ['thu', 'mon', 'thu'], note: 'After 10:00.' },
    });
    expect([status, body.reference, body.details, body.preferredDays]).toEqual([
      200,
      'PO-1',
      { floor: '3' },
      { days: ['mon', 'thu'], note: 'After 10:00.' },
    ]);
    const { order } = await detailOf(id);
    expect([order.contact, order.preferredDays, order.due]).toEqual([
      { email: 'grace@example.com' },
      { days: ['mon', 'thu'], note: 'After 10:00.' },
      true,
    ]);
    const cleared = await amend(id, {
      reference: null,
      contact: null,
      details: null,
      preferredDays: null,
    });
    expect([cleared.body.reference, cleared.body.details, cleared.body.preferredDays]).toEqual([
      null,
      null,
      null,
    ]);
    expect((await detailOf(id)).order.contact).toEqual({});
  });

  rule('are one entry of the timeline with both values; the trail has the open ones', async () => {
    const id = await claimed({ contact: { phone: '020 7946 0958' } });
    await amend(id, { contact: { phone: '0161 496 0000' }, preferredDays: { days: ['fri'] } });
    const { timeline } = await detailOf(id);
    const entries = timeline.filter(({ action }) => action === 'amended');
    expect(entries).toHaveLength(1);
    expect(timeline.at(-1)).toEqual(entries[0]);
    expect(entries[0]!.details).toMatchObject({
      changes: 'contact phone (020 7946 0958 → 0161 496 0000), preferred days (none → Friday)',
      before: { 'contact.phone': '020 7946 0958' },
    });
    const stored = await trail(id);
    expect(JSON.stringify(stored)).not.toContain('0161 496');
    expect(stored[0]!.details).toMatchObject({
      changed: ['contact.phone', 'preferredDays.days'],
      after: { 'preferredDays.days': 'Friday' },
    });
  });

  rule('notify the owner once until it has read them, and call webhooks each time', async () => {
    const id = await claimed();
    await amend(id, { reference: 'PO-2' });
    await amend(id, { reference: 'PO-3' });
    expect(await told(id)).toEqual([
      'webhook order.amended',
      'email amended',
      'webhook order.amended',
    ]);
    expect(await dueOf(sam)).toContain(id);
    const { version } = (await detailOf(id)).order;
    const read = await staff(sam, id, 'settle', { version });
    expect([read.status, read.body.due]).toEqual([200, false]);
    await amend(id, { reference: 'PO-4' });
    expect(await told(id)).toHaveLength(5);
  });

  rule('wake a later call-back, which comes back when they are settled', async () => {
    const id = await claimed();
    const nextActionAt = new Date(service.clock.now().getTime() + 86_400_000).toISOString();
    await staff(sam, id, 'schedule', { version: 1, nextActionAt, reason: 'callback_agreed' });
    await amend(id, { reference: 'PO-2' });
    const { order } = await detailOf(id);
    expect([order.state, order.due, order.nextActionReason]).toEqual([
      'scheduled',
      true,
      'amended',
    ]);
    const settled = await staff(eve, id, 'settle', { version: order.version });
    expect(settled.body).toMatchObject({ nextActionAt, nextActionReason: 'callback_agreed' });
  });

  rule('that change nothing are answered with the order, and no one is notified', async () => {
    const id = await claimed({ reference: 'PO-1', details: { floor: '2' } });
    const before = await detailOf(id);
    const same = await amend(id, { reference: 'PO-1', details: { floor: '2' }, contact: {} });
    expect([same.status, same.body.reference]).toEqual([200, 'PO-1']);
    expect((await amend(id, {})).status).toBe(200);
    const after = await detailOf(id);
    expect([after.timeline, after.order.version]).toEqual([before.timeline, before.order.version]);
    expect(await told(id)).toEqual([]);
  });

  it('apply both at once; where both name a member, the later one shows what it replaced', async () => {
    const id = await claimed({ reference: 'PO-1' });
    const sent = await Promise.all([
      amend(id, { reference: 'PO-2', details: { floor: '2' } }),
      amend(id, { reference: 'PO-3', preferredDays: { days: ['mon'] } }),
    ]);
    expect(sent.map(({ status }) => status)).toEqual([200, 200]);
    const { order, timeline } = await detailOf(id);
    expect([order.details, order.preferredDays]).toEqual([{ floor: '2' }, { days: ['mon'] }]);
    const [first, second] = timeline
      .filter(({ action }) => action === 'amended')
      .map(({ details }) => details as { before: object; after: Record<string, string> });
    expect(second!.before).toMatchObject({ reference: first!.after.reference });
    expect(order.clientReference).toBe(second!.after.reference);
  });

  rule('are refused at the fields that are wrong', async () => {
    const id = await claimed();
    const { status, body } = await amend(id, {
      reference: 'x'.repeat(65),
      contact: { email: 'no address' },
      details: { floor: 3, siteContact: {} },
      preferredDays: { days: ['monday'], note: 'a\nb' },
      productCode: 'INT-1G-36',
    });
    expect([status, body.code]).toEqual([400, 'validation-error']);
    expect(body.errors!.map(({ pointer }) => pointer).sort()).toEqual([
      '/contact/email',
      '/details/floor',
      '/details/siteContact/name',
      '/preferredDays/days',
      '/preferredDays/note',
      '/productCode',
      '/reference',
    ]);
    expect((await amend(id, { preferredDays: { days: [] } })).body.errors).toMatchObject([
      { pointer: '/preferredDays/days', code: 'too-short' },
    ]);
    const unknown = await amend(id, { details: { interconnect: 'NOWHERE' } });
    expect([unknown.status, unknown.body.code]).toEqual([422, 'unknown-interconnect']);
    expect((await detailOf(id)).order).toMatchObject({ details: null, preferredDays: null });
  });

  rule('end with the installation, and of what was not accepted with its end', async () => {
    const id = await won();
    const days = { preferredDays: { days: ['tue'] } };
    expect((await amend(id, days)).body).toMatchObject({ state: 'accepted', ...days });
    const { order } = await detailOf(id);
    expect([order.state, order.due, await dueOf(sam)]).toEqual([
      'won',
      true,
      expect.arrayContaining([id]),
    ]);
    const read = await staff(sam, id, 'settle', { version: order.version });
    expect([read.body.state, read.body.due]).toEqual(['won', false]);
    const today = service.clock.now().toISOString().slice(0, 10);
    const milestones = [{ code: 'installed', doneOn: today }];
    await staff(eve, id, 'delivery', { version: read.body.version, milestones });
    const late = await amend(id, { reference: 'PO-9' });
    expect([late.status, late.body.code, late.body.state]).toEqual([
      409,
      'order-moved',
      'accepted',
    ]);
    expect(late.body.detail).toContain('installed');

    const other = await claimed();
    await staff(sam, other, 'lose', { version: 1, reason: 'price' });
    expect((await amend(other, days)).body).toMatchObject({ code: 'order-moved', state: 'closed' });
  });

  rule('of enquiries end when they close', async () => {
    const { enquiryId } = (
      await service.http.post<{ enquiryId: string }>(
        '/product-availability/enquiry',
        { postcode: 'EC2A 2BS' },
        { token },
      )
    ).body;
    const amended = await amend(enquiryId, { reference: 'RFQ-2' }, 'enquiry');
    expect([amended.status, amended.body.reference]).toEqual([200, 'RFQ-2']);
    expect((await detailOf(enquiryId)).order).toMatchObject({ state: 'waiting', due: true });
    expect(await told(enquiryId)).toEqual(['webhook enquiry.amended', 'email amended']);
    await staff(sam, enquiryId, 'claim', { version: 1 });
    await staff(sam, enquiryId, 'lose', { version: 2, reason: 'not_serviceable' });
    const late = await amend(enquiryId, { reference: 'RFQ-3' }, 'enquiry');
    expect([late.status, late.body.code, late.body.state]).toEqual([
      409,
      'enquiry-moved',
      'unableToProvide',
    ]);
  });

  rule('are for the client of the order only', async () => {
    const id = await claimed();
    const other = await service.given.token();
    const path = `/product-availability/order/${id}/amendment`;
    const { status } = await service.http.post(path, { reference: 'PO-2' }, { token: other });
    expect([status, (await amend(id, {}, 'enquiry')).status]).toEqual([404, 404]);
  });

  it('are found by their new words and phone numbers', async () => {
    const id = await claimed({ contact: { name: 'Ada Lovelace' } });
    await amend(id, { contact: { name: 'Zenobia Quill', phone: '+44 161 496 0777' } });
    for (const q of ['zenobia', '0161 496 0777']) {
      const path = `/follow-up/orders?view=all&q=${encodeURIComponent(q)}`;
      const found = await service.http.get<{ items: FollowUpOrder[] }>(path, { token: sam });
      expect(found.body.items.map(({ orderId }) => orderId)).toEqual([id]);
    }
  });

  it('leave no value behind after an erasure', async () => {
    const id = await claimed({ contact: { name: 'Ada Lovelace' } });
    await amend(id, {
      contact: { name: 'Wilhelmina Quist' },
      preferredDays: { days: ['mon'], note: 'Ask for Kim.' },
    });
    const reference = (await detailOf(id)).order.reference;
    const { fields, notes } = await service.get(ErasureService).erase(reference, operator);
    expect([fields, notes]).toEqual([
      expect.arrayContaining(['contactName', 'preferredDays.note']),
      1,
    ]);
    const text = JSON.stringify(await detailOf(id));
    expect(['Quist', 'Lovelace', 'Kim'].filter((name) => text.includes(name))).toEqual([]);
    expect((await detailOf(id)).order.preferredDays).toEqual({ days: ['mon'] });
    const entry = (await detailOf(id)).timeline.find(({ action }) => action === 'amended');
    expect(entry!.details.changes).toBe(
      'contact name, preferred days (none → Monday), note on preferred days',
    );
  });

  it('by staff need the version, and make the order due for another owner', async () => {
    const id = await claimed({ reference: 'PO-1' });
    const move = (by: string, body: object) => staff(by, id, 'moves', { move: 'amend', ...body });
    const own = await move(sam, { version: 1, preferredDays: { days: ['wed'] } });
    expect([own.status, own.body]).toMatchObject([200, { version: 2, due: false }]);
    const stale = await move(eve, { version: 1, reference: 'PO-2' });
    expect([stale.status, stale.body.code]).toEqual([409, 'order-moved']);
    const others = await move(eve, { version: 2, contact: { phone: '0161 496 0000' } });
    expect(others.body).toMatchObject({ version: 3, due: true, clientReference: 'PO-1' });
    const { timeline } = await detailOf(id);
    expect(timeline.slice(-2).map(({ actorName }) => actorName)).toEqual(['Sam Poole', 'Eve Hill']);
    expect(await told(id)).toEqual([
      'webhook order.amended',
      'webhook order.amended',
      'email amended',
    ]);
    const wrong = await move(sam, { version: 3, contact: { email: 'x' }, term: 36 });
    expect(wrong.body.errors!.map(({ pointer }) => pointer).sort()).toEqual([
      '/contact/email',
      '/term',
    ]);
  });

  rule('change test orders, too, and notify no staff', async () => {
    const sandbox = await service.given.token({ kind: 'test' });
    const post = (path: string, body: object) =>
      service.http.post<ClientOrder & Refusal>(`/product-availability/${path}`, body, {
        token: sandbox,
      });
    const place = { postcode: 'ZZ99 1AA', productCode: 'TEST-1G-12' };
    const { orderId } = (await post('order', place)).body;
    const amended = await post(`order/${orderId}/amendment`, { preferredDays: { days: ['sun'] } });
    expect(amended.body).toMatchObject({ state: 'acknowledged', preferredDays: { days: ['sun'] } });
    expect(await told(orderId)).toEqual([]);
    await post(`test/order/${orderId}/advance`, { to: 'accepted' });
    expect((await post(`order/${orderId}/amendment`, { reference: 'PO-2' })).status).toBe(200);
    for (let done = 0; done < 5; done += 1) await post(`test/order/${orderId}/advance`, {});
    const late = await post(`order/${orderId}/amendment`, { reference: 'PO-3' });
    expect([late.status, late.body.code]).toEqual([409, 'order-moved']);
  });
});
