import { beforeAll, expect, it } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { ErasureService } from '../../src/orders/erasure.service.js';
import { LIVE, tableOn } from '../../src/platform/database/sides.js';
import { ordersOn } from '../../src/orders/record/order-tables.js';
import { AuditEntry } from '../../src/platform/audit/audit-entry.entity.js';
import { operator } from '../../src/platform/audit/audit.service.js';
import type { Tx } from '../../src/platform/database/engine/tx.js';
import { Transactions } from '../../src/platform/database/transactions.js';
import { OutboxMessage } from '../../src/platform/notifications/messages/outbox-message.entity.js';
import { eraseLine, QuoteErasureService } from '../../src/quotes/quote-erasure.service.js';
import { QuoteNewsService } from '../../src/quotes/quote-emails.js';
import { Quote } from '../../src/quotes/record/quote.entity.js';
import { type DatabaseSettings, environmentOf, newDatabase } from '../support/databases.js';
import { cli } from '../support/processes.js';
import { quoteRequest, quotesOf, sites } from '../support/quotes.js';
import { onBothEngines, type Service, startService } from '../support/service.js';

onBothEngines('personal data of quotes', (engine) => {
  let service: Service;
  let database: DatabaseSettings;

  beforeAll(async () => {
    const config = { rateLimits: false, webhookKey: randomBytes(32) };
    database = await newDatabase(engine);
    service = await startService(engine, { database, config });
    await service.given.catalogue();
  });

  it('is erased from all lines of a quote, ordered or not, and from its messages', async () => {
    const client = await service.given.client();
    const token = await service.given.token({ client });
    await service.http.send({
      ...{ method: 'PUT', path: '/product-availability/webhook', token },
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ url: 'https://hooks.example.com/quotes' }),
    });
    await service.learnChanges();
    const own = quotesOf(service, token);
    const about = { site: 'Zed House', notes: 'Ring Zed', uprn: '100023336956' };
    const details = { floor: 'Zed', siteContact: { name: 'Zed' } };
    const id = await own.made({
      ...{ reference: 'Zed-1', customer: 'Zed Trust', wanted: { bandwidth: 1 } },
      sites: [
        { ...about, details, postcode: 'EC2A 2BS' },
        { site: 'Zed Mast', postcode: 'AB10 1AB' },
        { postcode: 'The house of Zed' },
        { postcode: 'N1 1AA' },
      ],
    });
    service.clock.advance({ seconds: 1 });
    const { enquiries } = (await own.ask(id)).body;
    service.clock.advance({ minutes: 2 });
    await service.get(QuoteNewsService).tell();
    const copy = await own.read((await own.copy(id)).body.quoteId);
    const before = await own.read(id);
    const erase = (named: string) => service.get(QuoteErasureService).erase(named, operator);
    expect(await erase(before.quoteReference.toLowerCase())).toEqual({
      reference: before.quoteReference,
      fields: [
        ...['customer', 'clientReference', 'site', 'notes', 'uprn'],
        ...['details.floor', 'details.siteContact', 'postcode'],
      ],
      orders: [enquiries[0]!.enquiryReference],
      quotes: [copy.quoteReference],
      kept: [],
    });
    const blank = { site: null, notes: null, uprn: null, details: null };
    expect(await own.read(id)).toEqual({
      ...{ ...before, customer: null, reference: null },
      lines: before.lines.map((line) => ({
        ...{ ...line, ...blank },
        postcode: line.problem ? '' : line.postcode,
      })),
    });
    expect(await erase(id)).toMatchObject({ fields: [], quotes: [] });
    const [messages, entries] = await service.get(Transactions).read(async (tx) => {
      const audited = { subjectId: client.id, action: 'quote-erased' };
      const sent = await tx.findBy(OutboxMessage, { subjectId: id });
      return [sent, await tx.findBy(AuditEntry, audited)] as const;
    });
    expect(messages.map(({ body }) => body?.includes('Zed'))).toEqual([false]);
    // The second erasure found nothing, and is not recorded.
    expect(entries.map(({ details: of }) => of?.quote)).toEqual([before.quoteReference]);
    expect((await own.read(copy.quoteId)).customer).toBe('Zed Trust');
    expect((await own.accept(id, { lines: ['1'] })).status).toBe(201);
    await expect(erase('QUO-000000')).rejects.toThrow('There is no quote "QUO-000000".');
  });

  it('is erased from a quote of the sandbox by a command, which names what keeps it', async () => {
    const own = quotesOf(service, await service.given.token({ kind: 'test' }));
    const named = [{ postcode: 'ZZ99 1AA', notes: 'Ring Zed' }];
    const id = await own.made({ customer: 'Zed', wanted: { bandwidth: 1 }, sites: named });
    const { quoteReference } = await own.read(id);
    const copy = (await own.copy(id)).body.quoteReference;
    const order = (await own.accept(id, { lines: ['1'] })).body.orders[0]!.orderReference;
    const erase = async () => {
      const { stdout } = await cli(environmentOf(database), 'quotes', 'erase', id);
      return stdout.trim().split('\n');
    };
    const kept = `Its orders and enquiries keep theirs: ${order}. See \`orders erase\`.`;
    expect(await erase()).toEqual([
      `${quoteReference}: erased customer, notes. Earlier backups still hold them.`,
      kept,
      `Quotes of the same API client with the same customer or reference keep theirs: ${copy}.`,
    ]);
    expect((await own.read(id)).lines[0]!.notes).toBeNull();
    expect(await erase()).toEqual([`${quoteReference} has no personal data.`, kept]);
  });

  // Transactions of one SQLite file wait for each other before they read.
  if (engine === 'postgres') {
    /** Until another transaction waits for this one. */
    const untilAwaited = async (tx: Tx) => {
      const isBlocked = async () => {
        const [row] = await tx.query<{ waiting: number }[]>(
          `SELECT count(*) AS waiting FROM pg_locks
           WHERE NOT granted AND pg_backend_pid() = ANY(pg_blocking_pids(pid))`,
        );
        return row!.waiting > 0;
      };
      while (!(await isBlocked()));
    };

    it('of an enquiry is erased after a request that has locked its quote', async () => {
      const own = quotesOf(service, await service.given.token());
      const id = await own.made();
      const { enquiryId } = (await own.ask(id, { lines: ['3'] })).body.enquiries[0]!;
      const held = Promise.withResolvers<void>();
      const erasing = held.promise.then(() =>
        service.get(ErasureService).erase(enquiryId, operator),
      );
      await service.get(Transactions).run(async (tx) => {
        await tx.update(tableOn(Quote, LIVE), { id }, { updatedAt: service.clock.now() });
        held.resolve();
        await untilAwaited(tx);
        const lock = 'SELECT id FROM orders WHERE id = $1 FOR UPDATE SKIP LOCKED';
        expect(await tx.query<object[]>(lock, [enquiryId])).toHaveLength(1);
      });
      expect(await erasing).toMatchObject({ order: { id: enquiryId } });
    });

    it('is not copied by an acceptance that waits for its erasure', async () => {
      const own = quotesOf(service, await service.given.token());
      const named = [{ ...sites[0], notes: 'Ring Zed', details: { floor: 'Zed' } }];
      const id = await own.made({ ...quoteRequest, reference: 'Zed-1', sites: named });
      let accepting: ReturnType<typeof own.accept> | undefined;
      await service.get(Transactions).run(async (all) => {
        await eraseLine(ordersOn(all, LIVE), { quoteId: id, quoteLine: 1 });
        accepting = own.accept(id, { lines: ['1'] });
        await untilAwaited(all);
      });
      const { status, body } = await accepting!;
      expect(status).toBe(201);
      const order = await own.orderOf(body.orders[0]!.orderId);
      expect([order.reference, order.details]).toEqual([null, null]);
      const staff = { token: await service.given.staffToken() };
      const seen = await service.http.get<object>(`/follow-up/orders/${order.orderId}`, staff);
      expect(JSON.stringify(seen.body)).not.toContain('Zed');
    });
  }
});
