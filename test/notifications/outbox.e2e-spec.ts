import { beforeAll, beforeEach, expect, it } from '@jest/globals';
import { operator } from '../../src/audit/audit.service.js';
import { TokenRemindersService } from '../../src/clients/token-reminders.service.js';
import { TokensService } from '../../src/clients/tokens.service.js';
import { DeliveryService } from '../../src/notifications/delivery.service.js';
import { type MessageState, messageStates } from '../../src/notifications/outbox-message.entity.js';
import { LEASE, OutboxRepository } from '../../src/notifications/outbox.repository.js';
import { readSmtpUrl } from '../../src/config/smtp-options.js';
import { RemindersService } from '../../src/follow-up/moves/reminders.service.js';
import { until } from '../support/catalogue.js';
import { newDatabase } from '../support/databases.js';
import { FakeClock } from '../support/fake-clock.js';
import { MailServer } from '../support/mail-server.js';
import { onBothEngines, type Service, startService } from '../support/service.js';

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

/** To claim a single message. */
const one = { channel: 'email', most: 1, running: new Map(), mostPerEndpoint: 2 } as const;

onBothEngines('E-mail of orders', (engine) => {
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

  it('tells sales and the contact once, and is then delivered', async () => {
    const { orderId } = await service.given.order({ contact, reference: 'PO-1', notes: 'Riser' });
    await deliver();
    await deliver();
    expect(server.mails.map(({ to }) => to[0]).sort()).toEqual([
      'ada@example.com',
      'sales@operator.example',
    ]);
    const sales = server.mails.find(({ to }) => to[0] === 'sales@operator.example');
    expect(sales?.source).toContain(orderId);
    expect(sales?.source).toContain('+44 20 7946 0958');
    expect(sales?.source).toContain('PO-1');
    const [first] = await messages(service, 'delivered');
    expect(first).toMatchObject({ attempts: 1, claim: null, lastError: null });
  });

  it('sends no acknowledgement where there is no address', async () => {
    await service.given.order();
    await deliver();
    expect(server.mails.map(({ to }) => to)).toEqual([['sales@operator.example']]);
  });

  it('names the earlier order that it may repeat', async () => {
    const first = await service.given.order();
    await service.given.order({ token: first.token });
    await deliver();
    const sources = server.mails.map(({ source }) => source).join('\n');
    expect(sources).toMatch(/Possible duplicate of ORD-[0-9A-Z]{6}/);
  });

  it('stores neither person nor address in the outbox', async () => {
    await service.given.order({ contact });
    // Ids may well have the digits 7946 in them.
    expect(JSON.stringify(await messages(service))).not.toMatch(
      /Ada|ada@|20 7946|7946 0958|79460958/,
    );
  });

  it('tells of one replayed order once', async () => {
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

  it('comes through greylisting with the same id, later', async () => {
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

  it('becomes a dead letter when refused for good, and can be resent', async () => {
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

  it('arrives after a server that was away for two days, and is dead after six', async () => {
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

  it('is delivered by somebody else when a lease has run out, and by nobody before', async () => {
    await service.given.order();
    const rules = { channel: 'email', most: 4, running: new Map(), mostPerEndpoint: 2 } as const;
    const [claimed] = await service.get(OutboxRepository).claim(rules);
    await deliver();
    expect(server.mails).toEqual([]);
    service.clock.advance({ milliseconds: LEASE });
    await deliver();
    expect(server.mails).toHaveLength(1);
    const late = await service.get(OutboxRepository).settle(claimed!, { state: 'delivered' });
    expect(late).toBe(false);
  });

  it('is not settled by a worker whose lease ran out, once another has claimed it', async () => {
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

  it('is claimed in the order in which it is due, the oldest first', async () => {
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

  it('is claimed once by many at the same time', async () => {
    const { token } = await service.given.order();
    for (let i = 0; i < 9; i += 1) await service.given.order({ token });
    const rules = { channel: 'email', most: 4, running: new Map(), mostPerEndpoint: 2 } as const;
    const claims = await Promise.all(
      Array.from({ length: 8 }, () => service.get(OutboxRepository).claim(rules)),
    );
    const ids = claims.flat().map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.length).toBeGreaterThanOrEqual(4);
    await service.get(OutboxRepository).release(claims.flat());
    await deliver();
    expect(server.mails).toHaveLength(10);
    expect((await messages(service, 'delivered'))[0]?.attempts).toBe(1);
  });

  it('is forgotten a month after it was delivered', async () => {
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
  it('tell a client of a token’s end at 30, 7 and 1 days, each once, on several instances', async () => {
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
      // Two on one SQLite file are two processes in earnest: within one they would block each other.
      if (engine === 'sqlite') await one.get(TokenRemindersService).tell();
      await Promise.all(
        (engine === 'sqlite' ? [two] : [one, two]).map((s) => s.get(TokenRemindersService).tell()),
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

  it('tell sales what waits, once at each time, and nothing where nothing waits', async () => {
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

onBothEngines('Without settings', (engine) => {
  it('nothing is written, and the service says so', async () => {
    const service = await startService(engine);
    await service.given.catalogue();
    await service.given.order({ contact });
    service.get(DeliveryService).warnOfSilences();
    expect(await messages(service)).toEqual([]);
    expect(service.log.lines).toEqual([
      expect.stringContaining('E-mail is off: SMTP_URL is not set.'),
      expect.stringContaining('Nobody will be told of new orders.'),
    ]);
  });
});

onBothEngines('A stop', (engine) => {
  it('lets a delivery end that is under way', async () => {
    const server = await MailServer.start();
    server.rules = { slow: 500 };
    const database = await newDatabase(engine);
    const config = mailSettings(server);
    const service = await startService(engine, { database, config });
    await service.given.catalogue();
    await service.given.order();
    const delivering = service.get(DeliveryService).deliverDue();
    // It has the letter, and has not yet answered.
    await until(() => server.mails.length > 0, 30, 'the mail server has received the message');
    await service.close();
    await delivering;
    const next = await startService(engine, { database, config });
    const states = (await messages(next)).map(({ state }) => state);
    expect([states, server.mails.length]).toEqual([['delivered'], 1]);
  });
});
