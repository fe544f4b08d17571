import { beforeAll, beforeEach, expect, it, jest } from '@jest/globals';
import { In } from 'typeorm';
import { AuditEntry } from '../../src/platform/audit/audit-entry.entity.js';
import { addRows } from '../../src/platform/database/engine/rows.js';
import { newId } from '../../src/platform/database/new-id.js';
import { operator } from '../../src/platform/audit/audit.service.js';
import { ClientsService } from '../../src/clients/clients.service.js';
import { TokenRemindersService } from '../../src/clients/client-emails.js';
import { TokensService } from '../../src/clients/tokens.service.js';
import { DeliveryService } from '../../src/platform/notifications/delivery.service.js';
import {
  type MessageState,
  messageStates,
  OutboxMessage,
} from '../../src/platform/notifications/messages/outbox-message.entity.js';
import { LEASE, OutboxRepository } from '../../src/platform/notifications/outbox.repository.js';
import { OutboxService } from '../../src/platform/notifications/outbox.service.js';
import { readSmtpUrl } from '../../src/platform/config/addresses.js';
import { Transactions } from '../../src/platform/database/transactions.js';
import { Order } from '../../src/orders/record/order.entity.js';
import { RemindersService } from '../../src/queue/waiting/waiting-orders.service.js';
import { until } from '../support/catalogue.js';
import { newDatabase } from '../support/databases.js';
import { FakeClock } from '../support/fake-clock.js';
import { MailServer } from '../support/mail-server.js';
import {
  onBothEngines,
  onOneEngine,
  ruleOn,
  type Service,
  startService,
} from '../support/service.js';

const contact = { name: 'Ada Lovelace', email: 'ada@example.com', phone: '+44 20 7946 0958' };

function mailSettings(server: { port: number }) {
  return {
    smtp: readSmtpUrl(`smtp://localhost:${server.port}`) ?? null,
    mailFrom: { name: 'Orders', address: 'orders@operator.example' },
    salesInbox: [{ name: '', address: 'sales@operator.example' }],
    acknowledgeOrders: true,
  };
}

function messages(service: Service, ...states: MessageState[]) {
  return service.get(OutboxRepository).list(states.length > 0 ? states : messageStates, 1_000);
}

/** To claim up to four messages, or a single one. */
const four = {
  channel: 'email',
  forClient: false,
  most: 4,
  running: new Map(),
  mostPerEndpoint: 2,
} as const;
const one = { ...four, most: 1 } as const;

onBothEngines('E-mail of orders', (engine) => {
  const rule = ruleOn(engine);
  let server: MailServer;
  let service: Service;
  const deliver = () => service.get(DeliveryService).deliverDue();

  beforeAll(async () => {
    server = await MailServer.start();
    service = await startService(engine, { config: mailSettings(server) });
    await service.given.catalogue();
  });

  beforeEach(async () => {
    server.rules = {};
    await deliver();
    server.mails.length = 0;
    const rest = await messages(service, 'waiting', 'dead');
    await service.get(OutboxRepository).discard(
      rest.map(({ id }) => id),
      operator,
    );
  });

  it('resends several hundred dead messages in short transactions, each once', async () => {
    const ids = Array.from({ length: 401 }, () => newId());
    const transactions = service.get(Transactions);
    const { orderId } = await service.given.order();
    const [message] = await messages(service, 'waiting');
    await transactions.run((tx) =>
      addRows(
        tx,
        OutboxMessage,
        ids.map((id) => ({ ...message!, id, state: 'dead' })),
      ),
    );
    const run = jest.spyOn(transactions, 'run');
    await service.get(OutboxRepository).resend(ids, operator);
    // Jobs in the background may have made others.
    expect(run.mock.calls.length).toBeGreaterThanOrEqual(3);
    run.mockRestore();
    const resent = (await messages(service, 'waiting')).map(({ id }) => id);
    expect(resent).toEqual(expect.arrayContaining(ids));
    const entries = await service
      .get(Transactions)
      .read((tx) => tx.countBy(AuditEntry, { action: 'resent', subjectId: In(ids) }));
    expect([entries, message!.subjectId]).toEqual([401, orderId]);
    const last = ids.at(-1)!;
    await service.get(OutboxRepository).discard([last], operator);
    const discarding = service
      .get(OutboxRepository)
      .discard([...ids.slice(0, 200), last], operator);
    await expect(discarding).rejects.toThrow('The 200 messages before it were changed.');
    await service.get(OutboxRepository).discard(ids.slice(200, -1), operator);
  });

  rule('emails sales and the contact once, and is then delivered', async () => {
    const { orderId } = await service.given.order({ contact, reference: 'PO-1', notes: 'Riser' });
    const { reference } = await service
      .get(Transactions)
      .read((tx) => tx.findOneByOrFail(Order, { id: orderId }));
    await deliver();
    await deliver();
    expect(server.mails.map(({ to }) => to[0]).sort()).toEqual([
      'ada@example.com',
      'sales@operator.example',
    ]);
    const sales = server.mails.find(({ to }) => to[0] === 'sales@operator.example');
    expect(sales?.source).toContain(`/staff/orders/${reference}`);
    expect(sales?.source).toContain('+44 20 7946 0958');
    expect(sales?.source).toContain('PO-1');
    const [first] = await messages(service, 'delivered');
    expect(first).toMatchObject({ attempts: 1, claim: null, lastError: null });
  });

  rule('sends no acknowledgement without an address', async () => {
    await service.given.order();
    await deliver();
    expect(server.mails.map(({ to }) => to)).toEqual([['sales@operator.example']]);
  });

  rule('names the order that it may duplicate', async () => {
    const first = await service.given.order();
    await service.given.order({ token: first.token });
    await deliver();
    const sources = server.mails.map(({ source }) => source).join('\n');
    expect(sources).toMatch(/Possible duplicate of ORD-[0-9A-Z]{6}/);
  });

  it('stores no name and no address in the outbox', async () => {
    await service.given.order({ contact });
    // Ids may contain the digits 7946.
    expect(JSON.stringify(await messages(service))).not.toMatch(
      /Ada|ada@|20 7946|7946 0958|79460958/,
    );
  });

  rule('notifies once of a replayed order', async () => {
    const token = await service.given.token();
    const place = () =>
      service.http.post(
        '/product-availability/order',
        { postcode: 'EC2A 2BS', productCode: 'INT-1G-12' },
        { token, headers: { 'Idempotency-Key': 'once' } },
      );
    await Promise.all([place(), place(), place()]);
    await place();
    await deliver();
    expect(server.mails).toHaveLength(1);
  });

  rule('gets through greylisting later with the same id', async () => {
    server.rules = { refuseRecipient: () => 450 };
    await service.given.order();
    await deliver();
    const [waiting] = await messages(service, 'waiting');
    expect(waiting).toMatchObject({ attempts: 1, claim: null });
    expect(waiting?.lastError).toMatch(/450/);
    server.rules = {};
    await deliver();
    expect(server.mails).toEqual([]);
    service.clock.advance({ seconds: 6 });
    await deliver();
    expect(server.mails[0]?.source).toContain(`<${waiting?.id}@operator.example>`);
  });

  rule('becomes a dead letter after a permanent refusal, and can be resent', async () => {
    server.rules = { refuseRecipient: () => 550 };
    await service.given.order();
    await deliver();
    const [dead] = await messages(service, 'dead');
    expect(dead?.lastError).toMatch(/550/);
    expect(dead?.lastError).not.toContain('sales@');
    expect(service.log.lines.join('\n')).toContain(`Dead letter: email new-order ${dead?.id}`);
    server.rules = {};
    await service.get(OutboxRepository).resend([dead?.id ?? ''], operator);
    await deliver();
    expect(server.mails[0]?.source).toContain(dead?.id);
    expect(await messages(service, 'dead')).toEqual([]);
  });

  rule('arrives after an outage of two days, and is dead after one of six', async () => {
    const { port } = server;
    await service.given.order();
    await server.stop();
    await deliver();
    service.clock.advance({ days: 2 });
    await deliver();
    await server.listen(port);
    service.clock.advance({ minutes: 6 });
    await deliver();
    expect(server.mails).toHaveLength(1);

    await service.given.order();
    await server.stop();
    service.clock.advance({ days: 6 });
    await deliver();
    await server.listen(port);
    expect(await messages(service, 'dead')).toHaveLength(1);
  });

  rule('is attempted for another five days after it was resent', async () => {
    server.rules = { refuseRecipient: () => 450 };
    await service.given.order();
    await deliver();
    service.clock.advance({ days: 6 });
    await deliver();
    const [dead] = await messages(service, 'dead');
    await service.get(OutboxRepository).resend([dead!.id], operator);
    await deliver();
    service.clock.advance({ days: 4 });
    await deliver();
    expect(await messages(service, 'dead')).toEqual([]);
    server.rules = {};
    service.clock.advance({ hours: 12 });
    await deliver();
    expect(server.mails[0]?.source).toContain(dead!.id);
  });

  it('is delivered by another worker after the lease ends, and not before', async () => {
    await service.given.order();
    const [claimed] = await service.get(OutboxRepository).claim(four);
    await deliver();
    expect(server.mails).toEqual([]);
    service.clock.advance({ milliseconds: LEASE });
    await deliver();
    expect(server.mails).toHaveLength(1);
    const late = await service.get(OutboxRepository).settle(claimed!, { state: 'delivered' });
    expect(late).toBe(false);
  });

  it('is not settled by a worker whose lease ended once another has claimed it', async () => {
    await service.given.order();
    const queue = service.get(OutboxRepository);
    const [late] = await queue.claim(one);
    service.clock.advance({ milliseconds: LEASE });
    const [current] = await queue.claim(one);
    expect(current).toMatchObject({ id: late!.id, attempts: 2 });
    expect(await queue.settle(late!, { state: 'delivered' })).toBe(false);
    expect(await messages(service, 'waiting')).toEqual([current]);
    expect(await queue.settle(current!, { state: 'delivered' })).toBe(true);
  });

  it('is due again at once after an aborted delivery, which does not count as an attempt', async () => {
    await service.given.order();
    const queue = service.get(OutboxRepository);
    const [first] = await queue.claim(one);
    await queue.release(first!);
    const [again] = await queue.claim(one);
    expect([again?.id, again?.attempts]).toEqual([first!.id, first!.attempts]);
    await queue.release(again!);
  });

  it('is claimed by due time, oldest first', async () => {
    const queue = service.get(OutboxRepository);
    const { token } = await service.given.order();
    const [retried] = await queue.claim(one);
    const dueAt = new Date(service.clock.now().getTime() + 2 * 60_000);
    await queue.settle(retried!, { state: 'waiting', dueAt, lastError: '450 Later' });
    service.clock.advance({ minutes: 1 });
    await service.given.order({ token });
    const [second] = await messages(service, 'waiting');
    service.clock.advance({ minutes: 2 });
    const claimed = [...(await queue.claim(one)), ...(await queue.claim(one))];
    expect(claimed.map(({ id }) => id)).toEqual([second!.id, retried!.id]);
  });

  it('is claimed once by concurrent workers', async () => {
    const { token } = await service.given.order();
    for (let i = 0; i < 9; i += 1) await service.given.order({ token });
    const claims = await Promise.all(
      Array.from({ length: 8 }, () => service.get(OutboxRepository).claim(four)),
    );
    const ids = claims.flat().map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.length).toBeGreaterThanOrEqual(4);
    for (const claimed of claims.flat()) await service.get(OutboxRepository).release(claimed);
    await deliver();
    expect(server.mails).toHaveLength(10);
    expect((await messages(service, 'delivered'))[0]?.attempts).toBe(1);
  });

  it('is deleted a month after delivery', async () => {
    service.clock.advance({ days: 31 });
    await service.get(OutboxRepository).prune();
    await service.given.order();
    await deliver();
    service.clock.advance({ days: 29 });
    expect(await service.get(OutboxRepository).prune()).toBe(0);
    service.clock.advance({ days: 2 });
    expect(await service.get(OutboxRepository).prune()).toBe(1);
    expect(await messages(service)).toEqual([]);
  });
});

onBothEngines('Reminders', (engine) => {
  const rule = ruleOn(engine);
  it('remind a client of a token’s end at 30, 7 and 1 days, once each on several instances', async () => {
    const server = await MailServer.start();
    const clock = new FakeClock();
    const database = await newDatabase(engine);
    const config = mailSettings(server);
    const one = await startService(engine, { clock, database, config });
    const two = await startService(engine, { clock, database, config });
    const client = await one.given.client();
    await one.given.token({ client, days: 40 });
    const revoked = await one.given.issuedToken({ client, days: 40 });
    await one.get(TokensService).revoke(revoked.id, operator);
    await one.given.staffToken();
    const counts: number[] = [];
    for (const days of [9, 1, 5, 18, 1, 5, 1, 1]) {
      clock.advance({ days });
      // Two services on one SQLite file would block each other within one process.
      if (engine === 'sqlite') await one.get(TokenRemindersService).queueDue();
      await Promise.all(
        (engine === 'sqlite' ? [two] : [one, two]).map((s) =>
          s.get(TokenRemindersService).queueDue(),
        ),
      );
      await one.get(DeliveryService).deliverDue();
      counts.push(server.mails.length);
    }
    expect(counts).toEqual([0, 1, 1, 2, 2, 3, 3, 3]);
    expect(server.mails.map(({ to }) => to[0])).toEqual(
      Array.from({ length: 3 }, () => 'grace@reseller.example'),
    );
    expect(server.mails[2]?.source).toContain('expires in 1 day');
  });

  rule('say nothing of a token to a client that has been disabled', async () => {
    const server = await MailServer.start();
    const service = await startService(engine, { config: mailSettings(server) });
    const client = await service.given.client();
    await service.given.token({ client, days: 40 });
    service.clock.advance({ days: 33 });
    await service.get(ClientsService).setEnabled(client.id, false, operator);
    await service.get(TokenRemindersService).queueDue();
    await service.get(DeliveryService).deliverDue();
    expect(server.mails).toEqual([]);
  });

  rule('remind sales of waiting orders once at each time, and not if none waits', async () => {
    const server = await MailServer.start();
    const config = { ...mailSettings(server), reminderTimes: ['08:30', '13:30'] };
    const service = await startService(engine, { config });
    await service.given.catalogue();
    const remind = async () => {
      await service.get(RemindersService).remind();
      await service.get(RemindersService).remind();
      await service.get(DeliveryService).deliverDue();
    };
    await remind();
    expect(server.mails).toEqual([]);
    await service.given.order();
    await service.get(DeliveryService).deliverDue();
    server.mails.length = 0;
    await remind();
    service.clock.advance({ days: 1 });
    await remind();
    expect(server.mails).toHaveLength(2);
    expect(server.mails[1]?.source).toMatch(/ORD-\w{6}, EC2A 2BS/);
  });
});

onOneEngine('Without settings', (engine) => {
  it('no message is written, and the service logs a warning', async () => {
    const service = await startService(engine);
    await service.given.catalogue();
    await service.given.order({ contact });
    service.get(DeliveryService).warnOfSilences();
    expect(await messages(service)).toEqual([]);
    expect(service.log.lines).toEqual([
      expect.stringContaining('SMTP_URL is not set: the service sends no emails.'),
      expect.stringContaining('No one is notified of new orders.'),
    ]);
  });
});

onOneEngine('Without an inbox for sales', (engine) => {
  it('clients get emails, and sales does not', async () => {
    const config = { ...mailSettings({ port: 1 }), salesInbox: [] };
    const outbox = (await startService(engine, { config })).get(OutboxService);
    const kinds = ['new-order', 'acknowledgement', 'token-expiry'] as const;
    expect(kinds.map((kind) => outbox.sends(kind))).toEqual([false, true, true]);
  });
});

onBothEngines('A stop', (engine) => {
  it('waits for a running delivery', async () => {
    const server = await MailServer.start();
    server.rules = { slow: 500 };
    const database = await newDatabase(engine);
    const config = mailSettings(server);
    const service = await startService(engine, { database, config });
    await service.given.catalogue();
    await service.given.order();
    const delivering = service.get(DeliveryService).deliverDue();
    // The server has the email, but has not replied yet.
    await until(() => server.mails.length > 0, 30, 'the mail server has received the message');
    await service.close();
    await delivering;
    const next = await startService(engine, { database, config });
    const states = (await messages(next)).map(({ state }) => state);
    expect([states, server.mails.length]).toEqual([['delivered'], 1]);
  });
});
