import { beforeAll, expect, it } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { operator } from '../../src/platform/audit/audit.service.js';
import {
  RemindersService,
  StaleClaimsService,
} from '../../src/queue/waiting/waiting-orders.service.js';
import { DeliveryService } from '../../src/platform/notifications/delivery.service.js';
import { messageStates } from '../../src/platform/notifications/messages/outbox-message.entity.js';
import { OutboxRepository } from '../../src/platform/notifications/outbox.repository.js';
import { readSmtpUrl } from '../../src/platform/config/addresses.js';
import { WebhooksService } from '../../src/platform/notifications/webhooks.service.js';
import { MetricsService } from '../../src/ops/metrics.service.js';
import { ErasureService } from '../../src/orders/erasure.service.js';
import { CatalogueService } from '../../src/catalogue/versions/catalogue.service.js';
import { VersionEffectService } from '../../src/orders/views/version-effect.service.js';
import { RetentionService } from '../../src/platform/retention/retention.service.js';
import { contact, Integrator } from '../support/integrator.js';
import { Ledger } from '../support/ledger.js';
import { MailServer } from '../support/mail-server.js';
import { expectProblem } from '../support/problems.js';
import { onOneEngine, type Service, startService } from '../support/service.js';
import { WebhookReceiver } from '../support/webhook-receiver.js';
import { postAsStaff } from '../support/moves.js';

onOneEngine('What the sandbox makes', (engine) => {
  let service: Service;
  let mail: MailServer;
  let it_: Integrator;
  let ledger: Ledger;

  beforeAll(async () => {
    mail = await MailServer.start();
    service = await startService(engine, {
      config: {
        rateLimits: false,
        idempotencyRetentionDays: 60,
        webhookKey: randomBytes(32),
        webhookNetworks: ['127.0.0.0/8'],
        smtp: readSmtpUrl(`smtp://localhost:${mail.port}`) ?? null,
        mailFrom: { name: 'Orders', address: 'orders@operator.example' },
        salesInbox: [{ name: '', address: 'sales@operator.example' }],
        acknowledgeOrders: true,
        reminderTimes: [],
      },
    });
    ledger = new Ledger(service.config);
    await service.given.catalogue();
    it_ = await Integrator.at(service);
  });

  it('notifies the client’s test webhook, but not its live one nor the operator’s, and sends no email', async () => {
    const own = await Integrator.at(service);
    const [mine, live, operators] = [
      await WebhookReceiver.start(),
      await WebhookReceiver.start(),
      await WebhookReceiver.start(),
    ];
    const added = await service.get(WebhooksService).add(operators.url, null, operator);
    const clientId = own.client.id;
    await service.get(WebhooksService).add(mine.url, { clientId, isTest: true }, operator);
    await service.get(WebhooksService).add(live.url, { clientId, isTest: false }, operator);
    await service.get(DeliveryService).deliverDue();
    const before = [mail.mails.length, operators.hooks.length];
    const { orderId } = (await own.order({ reference: 'PO-9', contact })).body;
    await own.advance(orderId, { to: 'rejected' });
    await service.get(DeliveryService).deliverDue();
    const told = mine.hooks.map(({ body }) => JSON.parse(body) as { data: object; type: string });
    const data = { orderId, reference: 'PO-9', test: true };
    expect(told.map(({ type, data }) => ({ type, data })).sort(byState)).toEqual([
      { type: 'order.received', data: expect.objectContaining({ ...data, state: 'acknowledged' }) },
      {
        type: 'order.state-changed',
        data: expect.objectContaining({ ...data, state: 'inProgress' }),
      },
      {
        type: 'order.state-changed',
        data: expect.objectContaining({ ...data, state: 'rejected' }),
      },
    ]);
    expect([mail.mails.length, operators.hooks.length]).toEqual(before);
    expect(live.hooks).toEqual([]);
    await service.given.order({ token: own.live, contact });
    await service.get(DeliveryService).deliverDue();
    expect(live.hooks.map(({ body }) => body.includes('"test"'))).toEqual([false]);
    expect(mine.hooks).toHaveLength(told.length);
    expect([mail.mails.length > before[0]!, operators.hooks.length]).toEqual([
      true,
      before[1]! + 1,
    ]);
    await service.get(WebhooksService).remove(added.endpoint.id, operator);
  });

  it('is in no list, search, export, report or count of the staff', async () => {
    const own = await Integrator.at(service);
    const staff = await service.given.token({
      staff: await service.given.staff({ role: 'manager' }),
    });
    const look = async () => {
      const pages: string[] = [];
      for (const path of [
        ...['waiting', 'open', 'all', 'late', 'nearly-late', 'closed'].map(
          (view) => `/follow-up/orders?view=${view}&limit=200`,
        ),
        '/follow-up/orders?view=all&q=Testerson',
        '/follow-up/orders?view=all&q=ZZ991AA',
        '/follow-up/orders.csv?view=all',
        ...['overview', 'people', 'demand', 'deals', 'promised'].map(
          (name) => `/follow-up/reports/${name}`,
        ),
      ]) {
        const { status, text } = await service.http.get(path, { token: staff });
        pages.push(`${path} ${status} ${text}`);
      }
      return pages;
    };
    const metrics = async () =>
      (await service.get(MetricsService).read()).text
        .split('\n')
        .filter((line) => /^availability_(lookups|orders)/.test(line) && !/seconds/.test(line));
    const effect = () =>
      service.get(VersionEffectService).effect(service.get(CatalogueService).current);
    const before = [await look(), await metrics(), await effect()] as const;
    const { orderId } = (await own.order({ contact: { name: 'Tessa Testerson' }, notes: 'Riser' }))
      .body;
    const other = (await own.order({ postcode: 'EC2A 2BS', productCode: 'INT-1G-12' })).body
      .orderId;
    await own.advance(other);
    await own.check('EC2A 2BS');
    await own.check('EC2A 2BS');
    await own.check('ZZ99 1AA');
    await service.flushChecks();
    expect([await look(), await metrics(), await effect()]).toEqual(before);
    expect(before[0].every((page) => / 200 /.test(page.slice(0, 80)))).toBe(true);
    for (const id of [orderId, other]) {
      const seen = await service.http.get(`/follow-up/orders/${id}`, { token: staff });
      expectProblem(seen, 'not-found');
      const move = await postAsStaff(
        service.http,
        `/follow-up/orders/${id}/claim`,
        { version: 0 },
        { token: staff },
      );
      expectProblem(move, 'not-found');
    }
  });

  it('is never the next order, in a reminder, or stale', async () => {
    const fresh = await startService(engine, { config: { staleClaimHours: 1 } });
    await fresh.given.catalogue();
    const own = await Integrator.at(fresh);
    const { orderId } = (await own.order()).body;
    await own.order({ postcode: 'EC2A 2BS', productCode: 'INT-1G-12' });
    await own.advance(orderId);
    const staff = await fresh.given.token({ staff: await fresh.given.staff() });
    const taken = await fresh.http.post('/follow-up/take-next', {}, { token: staff });
    expect(taken.body).toEqual({ order: null, why: null });
    fresh.clock.advance({ days: 10 });
    expect(await fresh.get(StaleClaimsService).releaseStale()).toBe(0);
    await fresh.get(RemindersService).remind();
    expect(await fresh.get(OutboxRepository).list(messageStates, 10)).toEqual([]);
    expect((await own.read(orderId)).body.state).toBe('inProgress');
  });

  it('can be erased like a live order', async () => {
    const { orderId } = (await it_.order({ contact, notes: 'Ring twice.', reference: 'PO-7' }))
      .body;
    const { fields } = await service.get(ErasureService).erase(orderId, operator);
    expect(fields).toHaveLength(5);
    const [row] = await ledger.rows<{ contact_name: unknown }>(
      `SELECT * FROM test_orders WHERE id = '${orderId}'`,
    );
    expect([row?.contact_name, (await it_.read(orderId)).body.reference]).toEqual([null, null]);
  });

  it('is deleted after 30 days with its records, unlike live orders', async () => {
    const own = await Integrator.at(service);
    const { url } = await WebhookReceiver.start();
    const owner = { clientId: own.client.id, isTest: true };
    await service.get(WebhooksService).add(url, owner, operator);
    await service.get(RetentionService).prune();
    const live = await service.given.order({ token: own.live });
    const key = { 'Idempotency-Key': 'purged' };
    const placeLive = () =>
      service.http.post(
        '/product-availability/order',
        { postcode: 'EC2A 2BS', productCode: 'INT-1G-12' },
        { token: own.live, headers: { 'Idempotency-Key': 'kept' } },
      );
    const first = await placeLive();
    const { orderId } = (await own.order({}, own.test, key)).body;
    await own.advance(orderId);
    await own.advance(orderId);
    await own.check('ZZ99 1AA');
    await service.flushChecks();
    const post = (path: string, body: object = {}) =>
      service.http.post<{ enquiryId: string }>(`/product-availability/${path}`, body, {
        token: own.test,
      });
    const { enquiryId } = (await post('enquiry', { postcode: 'ZZ99 1BB' })).body;
    expect((await post(`test/enquiry/${enquiryId}/advance`)).status).toBe(200);
    const left = async () =>
      (
        await ledger.answers<{ n: number | string }>(
          'SELECT count(*) AS n FROM test_orders',
          'SELECT count(*) AS n FROM test_checks',
          'SELECT count(*) AS n FROM test_offers',
          'SELECT count(*) AS n FROM test_deliveries',
          `SELECT count(*) AS n FROM audit_entries WHERE subject_type = 'test-order'`,
          `SELECT count(*) AS n FROM idempotency_keys WHERE key LIKE 'test %'`,
          `SELECT count(*) AS n FROM outbox_messages WHERE subject_id = '${orderId}'`,
        )
      ).map(([row]) => Number(row?.n) > 0);
    service.clock.advance({ days: 30 });
    await service.get(RetentionService).prune();
    expect([await left(), (await own.read(orderId)).status]).toEqual([
      [true, true, true, true, true, true, true],
      200,
    ]);
    service.clock.advance({ milliseconds: 1 });
    expect((await service.get(RetentionService).prune())['sandbox records']).toBeGreaterThan(1);
    expect([await left(), (await own.read(orderId)).status]).toEqual([
      [false, false, false, false, false, false, false],
      404,
    ]);
    expect((await own.read(live.orderId, own.live)).status).toBe(200);
    expect((await own.order({}, own.test, key)).headers['idempotent-replayed']).toBeUndefined();
    const retry = await placeLive();
    expect([retry.body, retry.headers['idempotent-replayed']]).toEqual([first.body, 'true']);
  });
});

function byState(a: { data: object }, b: { data: object }): number {
  return JSON.stringify(a.data) < JSON.stringify(b.data) ? -1 : 1;
}
