import { beforeAll, expect, it, jest } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { ErasureService } from '../../src/orders/erasure.service.js';
import { OrderChangesService } from '../../src/orders/moves/order-changes.service.js';
import { operator } from '../../src/platform/audit/audit.service.js';
import { Transactions } from '../../src/platform/database/transactions.js';
import { OutboxMessage } from '../../src/platform/notifications/messages/outbox-message.entity.js';
import { QuoteNewsService } from '../../src/quotes/quote-emails.js';
import { pruneQuotes } from '../../src/quotes/record/prune-quotes.js';
import { FakeClock } from '../support/fake-clock.js';
import { quoteRequest, quotesOf } from '../support/quotes.js';
import { onOneEngine, type Service, startService } from '../support/service.js';
import { withItsTransactions } from '../support/statements.js';

onOneEngine('the statements about a quote', (engine) => {
  let service: Service;
  let client: ReturnType<typeof quotesOf>;
  let clock: FakeClock;

  beforeAll(async () => {
    clock = new FakeClock();
    const config = { rateLimits: false, webhookKey: randomBytes(32) };
    service = await startService(engine, { config, clock });
    await service.given.catalogue();
    const token = await service.given.token();
    await service.http.send({
      ...{ method: 'PUT', path: '/product-availability/webhook', token },
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ url: 'https://hooks.example.com/quotes' }),
    });
    await service.learnChanges();
    client = quotesOf(service, token);
  });

  const messages = (id: string) =>
    service.get(Transactions).read((tx) => tx.findBy(OutboxMessage, { subjectId: id }));

  it('end with their transactions, in sequence', async () => {
    const { body, status } = await client.send(quoteRequest, 'made');
    const id = body.quoteId;
    clock.advance({ seconds: 1 });
    const accepted = await client.accept(id, { lines: ['1'] }, 'accepted');
    const asked = await client.ask(id, { lines: ['3'] }, 'asked');
    const statuses = [status, accepted.status, asked.status, (await client.copy(id)).status];
    expect(statuses).toEqual([201, 201, 201, 201]);
    const tell = () => withItsTransactions(() => service.get(QuoteNewsService).tell());
    clock.advance({ minutes: 2 });
    await tell();
    expect(await messages(id)).toHaveLength(1);
    clock.advance({ days: 27 });
    await tell();
    expect((await messages(id)).map(({ kind }) => kind)).toEqual([
      'quote.updated',
      'quote.expiring',
    ]);
    await service.get(ErasureService).erase(accepted.body.orders[0]!.orderId, operator);
    clock.advance({ days: 10 });
    const prune = () => service.get(Transactions).run((tx) => pruneQuotes(tx, clock.now(), 10));
    expect(await prune()).toBe(2);
    expect((await client.list()).items).toEqual([]);
  });

  it('that tell of news wait until the clock is right', async () => {
    const id = await client.made();
    clock.advance({ seconds: 1 });
    await client.ask(id);
    clock.advance({ minutes: 2 });
    const ahead = new Error('The clock is ahead.');
    const news = service.get(QuoteNewsService);
    jest.spyOn(service.get(Transactions), 'refuseClockAhead').mockRejectedValueOnce(ahead);
    await expect(news.tell()).rejects.toBe(ahead);
    expect(await messages(id)).toEqual([]);
    await news.tell();
    expect(await messages(id)).toHaveLength(1);
  });

  it('show new orders and enquiries on open pages, once', async () => {
    const notify = jest.spyOn(service.get(OrderChangesService), 'notifyPages');
    // Pages show no tests.
    const shown = () => notify.mock.calls.filter(([side]) => !side?.isTest).length;
    const tester = quotesOf(service, await service.given.token({ kind: 'test' }));
    const sites = ['ZZ99 1AA', 'ZZ99 1AB'].map((postcode) => ({ postcode }));
    const test = await tester.made({ wanted: { bandwidth: 1, term: 12 }, sites });
    expect((await tester.accept(test, { lines: ['1'] })).status).toBe(201);
    expect((await tester.ask(test)).status).toBe(201);
    const id = await client.made();
    await client.accept(id, { lines: ['3'] });
    expect(shown()).toBe(0);
    for (const key of ['once', 'once']) {
      expect((await client.accept(id, { lines: ['1'] }, key)).status).toBe(201);
      expect(shown()).toBe(1);
    }
    await client.ask(id);
    expect(shown()).toBe(2);
    jest.restoreAllMocks();
  });
});
