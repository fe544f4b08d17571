import { ClientErrorsService } from '../../src/clients/client-errors.service.js';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { operator } from '../../src/platform/audit/audit.service.js';
import { ErasureService } from '../../src/orders/erasure.service.js';
import { Transactions } from '../../src/platform/database/transactions.js';
import { pruneQuotes } from '../../src/quotes/record/prune-quotes.js';
import { RetentionService } from '../../src/platform/retention/retention.service.js';
import { CoverageNewsService } from '../../src/coverage-sync/coverage-news.service.js';
import { DeliveryService } from '../../src/platform/notifications/delivery.service.js';
import { OutboxMessage } from '../../src/platform/notifications/messages/outbox-message.entity.js';
import { WebhooksService } from '../../src/platform/notifications/webhooks.service.js';
import { Ledger } from '../support/ledger.js';
import { order } from '../support/orders.js';
import { quoteRequest, quotesOf } from '../support/quotes.js';
import { onBothEngines, type Service, startService } from '../support/service.js';
import { WebhookReceiver } from '../support/webhook-receiver.js';
import { postAsStaff } from '../support/moves.js';

const PATH = '/product-availability/postcode/EC2A%202BS';

onBothEngines('what has been kept long enough', (engine) => {
  let service: Service;
  let ledger: Ledger;
  let token: string;

  beforeEach(async () => {
    service = await startService(engine, { config: { rateLimits: false } });
    ledger = new Ledger(service.config);
    await service.given.catalogue();
    token = await service.given.token({ days: 3_650 });
  });
  afterEach(() => service.close());

  it('is deleted: keys after 30 days, checks after 400, orders never', async () => {
    for (let n = 0; n < 3; n += 1) await service.http.get(PATH, { token });
    await service.flushChecks();
    const first = await order(service.http, token, 'a', 'key-a');
    service.clock.advance({ days: 30 });
    expect(await service.get(RetentionService).prune()).toEqual({});
    const replay = await order(service.http, token, 'a', 'key-a');
    expect([replay.headers['idempotent-replayed'], replay.body]).toEqual(['true', first.body]);
    service.clock.advance({ milliseconds: 1 });
    expect(await service.get(RetentionService).prune()).toEqual({ 'idempotency keys': 1 });
    service.clock.advance({ days: 370 });
    await service.http.get(PATH, { token });
    await service.flushChecks();
    expect(await service.get(RetentionService).prune()).toEqual({ checks: 3 });
    expect([await ledger.count('checks'), await ledger.count('orders')]).toEqual([1, 1]);
  });

  it('is deleted: quotes a year after they end, those of the sandbox after a month', async () => {
    const pruned = async () => {
      const deleted = await service.get(RetentionService).prune();
      return [deleted.quotes, deleted['sandbox records']];
    };
    const tester = await service.given.token({ kind: 'test' });
    const [live, test] = [token, tester].map((by) => quotesOf(service, by));
    const id = await live!.made();
    await live!.accept(id, { lines: ['1'] });
    await test!.made({ wanted: { bandwidth: 1 }, sites: [{ postcode: 'ZZ99 1AB' }] });
    service.clock.advance({ days: 30 });
    expect(await pruned()).toEqual([undefined, undefined]);
    service.clock.advance({ milliseconds: 1 });
    expect(await pruned()).toEqual([undefined, 1]);
    service.clock.advance({ days: 365 });
    expect(await pruned()).toEqual([1, undefined]);
    expect((await live!.read(id)).code).toBe('not-found');
    expect(await live!.orders()).toMatchObject([{ quoteId: id, lineId: '1' }]);
  });

  it('is deleted: quotes that ended first, first', async () => {
    const live = quotesOf(service, token);
    const ids: string[] = [];
    for (let n = 0; n < 3; n += 1) {
      ids.push(await live.made());
      service.clock.advance({ minutes: 1 });
    }
    service.clock.advance({ days: 31 });
    const transactions = service.get(Transactions);
    await transactions.run((tx) => pruneQuotes(tx, service.clock.now(), 2));
    const { items } = await live.list();
    expect(items.map(({ quoteId }) => quoteId)).toEqual([ids[2]]);
  });

  it('is deleted: quotes with their keys, however long keys are kept', async () => {
    const apart = await startService(engine, {
      config: { rateLimits: false, idempotencyRetentionDays: 400 },
    });
    await apart.given.catalogue();
    const live = quotesOf(apart, await apart.given.token({ days: 1_000 }));
    const first = await live.send(quoteRequest, 'q-1');
    apart.clock.advance({ days: 396 });
    expect(await apart.get(RetentionService).prune()).toEqual({ quotes: 1 });
    const again = await live.send(quoteRequest, 'q-1');
    expect([again.status, again.headers['idempotent-replayed']]).toEqual([201, undefined]);
    expect(again.body.quoteId).not.toBe(first.body.quoteId);
  });

  it('is deleted: watches of the sandbox after a month, served or open', async () => {
    const test = await service.given.token({ kind: 'test' });
    const send = async (method: string, place: string) => {
      const path = `/product-availability/watch/${place}`;
      return (await service.http.send<{ state?: string }>({ method, path, token: test })).body
        .state;
    };
    const places = ['ZZ99%201AA', 'ZZ99%201AN'] as const;
    const states = async (method: string) => [
      await send(method, places[0]),
      await send(method, places[1]),
    ];
    expect(await states('PUT')).toEqual(['served', 'open']);
    service.clock.advance({ days: 29 });
    await service.get(RetentionService).prune();
    expect(await states('GET')).toEqual(['served', 'open']);
    service.clock.advance({ days: 1 });
    await service.get(RetentionService).prune();
    expect(await states('GET')).toEqual([undefined, undefined]);
  });

  it('is deleted: webhook messages of the sandbox after a month, delivered or not', async () => {
    const apart = await startService(engine, {
      config: { webhookKey: Buffer.alloc(32), webhookNetworks: ['127.0.0.0/8'], rateLimits: false },
    });
    await apart.given.catalogue();
    const client = await apart.given.client();
    const receiver = await WebhookReceiver.start();
    receiver.answer = (response) => response.writeHead(500).end();
    for (const isTest of [true, false]) {
      await apart.get(WebhooksService).add(receiver.url, { clientId: client.id, isTest }, operator);
    }
    const transactions = apart.get(Transactions);
    const kinds = async () =>
      (await transactions.read((tx) => tx.find(OutboxMessage, { order: { id: 'ASC' } }))).map(
        ({ kind }) => kind,
      );
    const scopes = ['coverage:read', 'orders:write'] as const;
    const tester = await apart.given.token({ client, kind: 'test', scopes: [...scopes] });
    await apart.given.token({ client, scopes: [...scopes] });
    await apart.http.post('/product-availability/test/coverage/advance', {}, { token: tester });
    await apart.get(CoverageNewsService).tell();
    expect(await kinds()).toEqual(['coverage.changed', 'coverage.changed']);
    apart.clock.advance({ days: 6 });
    await apart.get(DeliveryService).deliverDue();
    apart.clock.advance({ days: 24 });
    await apart.get(RetentionService).prune();
    expect(await kinds()).toHaveLength(2);
    apart.clock.advance({ milliseconds: 1 });
    await apart.get(RetentionService).prune();
    const left = await transactions.read((tx) => tx.find(OutboxMessage));
    expect(left.map(({ state, body }) => [state, body!.includes('"test":true')])).toEqual([
      ['dead', false],
    ]);
  });

  it('is deleted: the daily counts of errors after 400 days', async () => {
    await service.http.get('/product-availability/postcode/nowhere', { token });
    await service.get(ClientErrorsService).flush();
    service.clock.advance({ days: 400 });
    const deleted = async () =>
      (await service.get(RetentionService).prune())['daily counts of errors'];
    const early = await deleted();
    service.clock.advance({ days: 1 });
    expect([early, await deleted(), await ledger.count('client_error_days')]).toEqual([
      undefined,
      1,
      0,
    ]);
  });

  it('is deleted in several transactions if there are thousands', async () => {
    for (let round = 0; round < 12; round += 1) {
      service.clock.advance({ milliseconds: 1 });
      for (let half = 0; half < 2; half += 1) {
        await Promise.all(Array.from({ length: 51 }, () => service.http.get(PATH, { token })));
      }
    }
    await service.flushChecks();
    expect(await ledger.count('checks')).toBeGreaterThan(1_200);
    service.clock.advance({ days: 401 });
    const pruned = await Promise.allSettled([
      service.get(RetentionService).prune(),
      service.get(RetentionService).prune(), // as on another instance
    ]);
    expect(pruned.some(({ status }) => status === 'fulfilled')).toBe(true);
    expect(await ledger.count('checks')).toBe(0);
  });

  it('about a person is erased from an order on request', async () => {
    const placed = await service.given.order({
      token,
      reference: 'PO-1',
      notes: 'Ring twice.',
      contact: { name: 'Ada Lovelace', email: 'ada@example.com', phone: '+44 20 7946 0958' },
    });
    const staffToken = await service.given.token({
      staff: await service.given.staff({ name: 'Sam Poole' }),
    });
    const move = (name: string, body: object) =>
      postAsStaff(service.http, `/follow-up/orders/${placed.orderId}/${name}`, body, {
        token: staffToken,
      });
    await move('claim', { version: 0 });
    const released = await move('release', { version: 1, reason: 'Lovelace asked for Bo.' });
    expect(released.status).toBe(200);
    const before = await ledger.count('orders');
    const erase = () => service.get(ErasureService).erase(placed.orderId, operator);
    const { order: row, fields } = await erase();
    expect(fields).toHaveLength(5);
    expect(
      (await service.get(ErasureService).erase(row.reference.toLowerCase(), operator)).fields,
    ).toEqual([]);
    const everything = JSON.stringify(
      await ledger.answers(
        'SELECT * FROM orders',
        'SELECT * FROM audit_entries',
        'SELECT * FROM idempotency_keys',
      ),
    );
    expect(everything).not.toMatch(/Lovelace|ada@example|7946 0958|Ring twice|PO-1/);
    expect(await ledger.count('orders')).toBe(before);
    const { body } = await service.http.get<{ stateChanges: unknown[]; reference: unknown }>(
      `/product-availability/order/${placed.orderId}`,
      { token },
    );
    expect([body.stateChanges.length, body.reference]).toEqual([3, null]);
    const erasures = await ledger.rows(
      `SELECT * FROM audit_entries WHERE action = 'erased' AND subject_id = '${placed.orderId}'`,
    );
    expect(erasures).toHaveLength(1);
    await expect(service.get(ErasureService).erase('ORD-000000', operator)).rejects.toThrow(
      'There is no order',
    );
    await expect(service.get(ErasureService).erase('nonsense', operator)).rejects.toThrow(
      'There is no order',
    );
  });
});
