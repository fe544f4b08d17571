import { beforeAll, expect, it } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { operator } from '../../src/platform/audit/audit.service.js';
import { readSmtpUrl } from '../../src/platform/config/addresses.js';
import { Transactions } from '../../src/platform/database/transactions.js';
import { EmailKindsService } from '../../src/platform/notifications/messages/email-kinds.service.js';
import { OutboxMessage } from '../../src/platform/notifications/messages/outbox-message.entity.js';
import { WebhooksService } from '../../src/platform/notifications/webhooks.service.js';
import { ClientRemindersService } from '../../src/orders/delivery/client-reminders.service.js';
import { startDelivery } from '../../src/orders/record/deliveries.js';
import { liveOrders } from '../../src/orders/record/order-tables.js';
import type { ClientOrder } from '../../src/orders/record/orders.dto.js';
import type { OrderDetail } from '../../src/orders/staff/detail.dto.js';
import type { FollowUpOrder } from '../../src/orders/staff/follow-up.dto.js';
import { postAsStaff } from '../support/moves.js';
import { onBothEngines, ruleOn, type Service, startService } from '../support/service.js';

const client = { party: 'client', what: 'Name a site contact.' };
/** The clock of a test starts on Monday, 2 March 2026, at 09:00. */
const DAY = 86_400;

onBothEngines('reminders of deliveries that wait for the client', (engine) => {
  const rule = ruleOn(engine);
  let service: Service;
  let sam: string;
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
    token = await service.given.token({ days: 3_650 });
  });

  const staff = (id: string, path: string, body: object = {}) =>
    postAsStaff<FollowUpOrder>(service.http, `/follow-up/orders/${id}/${path}`, body, {
      token: sam,
    });
  const detailOf = async (id: string) =>
    (await service.http.get<OrderDetail>(`/follow-up/orders/${id}`, { token: sam })).body;
  const waitsFor = async (id: string, waitingFor: object | null) => {
    const { version } = (await detailOf(id)).order;
    expect((await staff(id, 'delivery', { version, waitingFor })).status).toBe(200);
  };
  const waiting = async (by = token, what: object | null = client) => {
    const { orderId } = await service.given.order({ token: by });
    await staff(orderId, 'claim', { version: 0 });
    await staff(orderId, 'win', { version: 1 });
    await waitsFor(orderId, what);
    return orderId;
  };
  const remind = () => service.get(ClientRemindersService).remind();
  const messages = (kind: string) =>
    service
      .get(Transactions)
      .read((tx) => tx.find(OutboxMessage, { where: { kind }, order: { id: 'ASC' } }));
  const told = async (id: string) =>
    (await messages('order.waiting')).filter((m) => m.subjectId === id).length;
  const clientSees = async (id: string) =>
    (await service.http.get<ClientOrder>(`/product-availability/order/${id}`, { token })).body;

  rule('come after five working days, each five again, and once a day in one email', async () => {
    service.clock.reset();
    const first = await waiting();
    service.clock.advance({ seconds: DAY });
    const second = await waiting();
    const others = await service.given.token({ days: 3_650 });
    const other = await waiting(others);
    const operators = await waiting(token, { party: 'operator', what: 'Read the answer.' });
    // Friday, then Monday before office hours.
    service.clock.advance({ seconds: 3 * DAY });
    expect(await remind()).toBe(0);
    service.clock.advance({ seconds: 3 * DAY - 3_600 });
    expect(await remind()).toBe(0);
    service.clock.advance({ seconds: 3_600 });
    expect(await remind()).toBe(1);
    expect(await remind()).toBe(0);
    expect([await told(first), await told(second)]).toEqual([1, 0]);
    const [mail] = await messages('waiting-for-client');
    const letter = await service
      .get(Transactions)
      .read((tx) =>
        service.get(EmailKindsService).find('waiting-for-client')!.facts(tx, mail!.subjectId),
      );
    expect((letter!.facts.orders as unknown[]).length).toBe(2);
    // On Tuesday, the second one and that of the other client; the first one was reminded on Monday.
    service.clock.advance({ seconds: DAY });
    expect(await remind()).toBe(2);
    expect([await told(first), await told(second), await told(other)]).toEqual([1, 1, 1]);
    expect(await messages('waiting-for-client')).toHaveLength(3);
    expect(await told(operators)).toBe(0);
    // The next Monday, and not on the Sunday before.
    service.clock.advance({ seconds: 5 * DAY });
    expect(await remind()).toBe(0);
    service.clock.advance({ seconds: DAY });
    expect(await remind()).toBe(1);
    expect(await told(first)).toBe(2);
    const { timeline, order } = await detailOf(first);
    expect(timeline.filter(({ action }) => action === 'client_reminded')).toHaveLength(2);
    expect(order.delivery).toMatchObject({
      remindedAt: '2026-03-16T09:00:00.000Z',
      waited: { client: 10, operator: 0, thirdParty: 0 },
    });
    await waitsFor(first, null);
    service.clock.advance({ seconds: 7 * DAY });
    await remind();
    expect(await told(first)).toBe(2);
    expect((await clientSees(first)).delivery!.waited).toEqual({
      client: 10,
      operator: 0,
      thirdParty: 0,
    });
    service.clock.reset();
  });

  it('are sent once by several instances', async () => {
    service.clock.reset();
    const id = await waiting(await service.given.token({ days: 3_650 }));
    service.clock.advance({ seconds: 100 * DAY });
    await Promise.all([remind(), remind(), remind()]);
    expect(await told(id)).toBe(1);
    service.clock.reset();
  });

  rule('are off where the settings say so', async () => {
    const off = await startService(engine, { config: { remindClientAfter: null } });
    await off.given.catalogue();
    const { orderId } = await off.given.order();
    const transactions = off.get(Transactions);
    const late = { waitingParty: 'client', waitingSince: new Date('2025-03-02T09:00Z') } as const;
    await transactions.run(async (all) => {
      const tx = liveOrders(all);
      const order = await tx.findOneByOrFail(tx.orders, { id: orderId });
      await startDelivery(tx, order, off.clock.now());
      await tx.update(tx.orders, { id: orderId }, { state: 'won', closedAt: off.clock.now() });
      await tx.update(tx.deliveries, { orderId }, late);
    });
    expect(await off.get(ClientRemindersService).remind()).toBe(0);
  });

  rule('reach the webhook of a test order, and no inbox', async () => {
    service.clock.reset();
    const sandbox = await service.given.token({ kind: 'test', days: 3_650 });
    const post = (path: string, body: object = {}) =>
      service.http.post<ClientOrder>(`/product-availability/${path}`, body, { token: sandbox });
    const { orderId } = (await post('order', { postcode: 'ZZ99 1AA', productCode: 'TEST-1G-12' }))
      .body;
    await post(`test/order/${orderId}/advance`, { to: 'accepted' });
    await post(`test/order/${orderId}/advance`);
    const mails = (await messages('waiting-for-client')).length;
    service.clock.advance({ seconds: 7 * DAY });
    expect(await remind()).toBeGreaterThan(0);
    const { delivery } = (
      await service.http.get<ClientOrder>(`/product-availability/order/${orderId}`, {
        token: sandbox,
      })
    ).body;
    expect(delivery!.waited.client).toBe(5);
    const subjects = (await messages('waiting-for-client')).slice(mails);
    expect(subjects.filter(({ subjectId }) => subjectId === orderId)).toEqual([]);
    service.clock.reset();
  });

  rule('are named in the list of what waits for clients, the longest wait first', async () => {
    service.clock.reset();
    const ids = [await waiting()];
    service.clock.advance({ seconds: 60 });
    ids.unshift(await waiting());
    service.clock.advance({ seconds: 60 });
    // Its wait starts again.
    await waitsFor(ids[1]!, { ...client, what: 'Name another contact.' });
    const pages: string[] = [];
    for (let cursor = ''; ;) {
      const path = `/follow-up/orders?view=waiting-for-client&limit=2${cursor}`;
      const { body } = await service.http.get<{
        items: FollowUpOrder[];
        nextCursor: string | null;
      }>(path, { token: sam });
      pages.push(...body.items.map(({ orderId }) => orderId));
      if (body.nextCursor === null) break;
      cursor = `&cursor=${body.nextCursor}`;
    }
    expect(pages.filter((id) => ids.includes(id))).toEqual(ids);
    const since = await Promise.all(
      pages.map(async (id) => (await detailOf(id)).order.delivery!.waitingFor!.since),
    );
    expect(since).toEqual([...since].sort());
    expect(new Set(pages).size).toBe(pages.length);
  });
});
