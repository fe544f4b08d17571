import { expect, it } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { MOST_A_DAY } from '../../src/platform/notifications/email.channel.js';
import { DeliveryService } from '../../src/platform/notifications/delivery.service.js';
import type { MessageState } from '../../src/platform/notifications/messages/outbox-message.entity.js';
import { OutboxRepository } from '../../src/platform/notifications/outbox.repository.js';
import { readSmtpUrl } from '../../src/platform/config/addresses.js';
import { MailServer } from '../support/mail-server.js';
import { onOneEngine, type Service, startService } from '../support/service.js';

const configFor = ({ port }: MailServer) => ({
  smtp: readSmtpUrl(`smtp://localhost:${port}`) ?? null,
  mailFrom: { name: 'Orders', address: 'orders@operator.example' },
  acknowledgeOrders: true,
  rateLimits: false,
  webhookKey: randomBytes(32),
});

const messages = (service: Service, ...states: MessageState[]) =>
  service.get(OutboxRepository).list(states, 1_000);

onOneEngine('The acknowledgements to one recipient', (engine) => {
  it(`are ${MOST_A_DAY} a day at most for all clients together, and quote nothing of the client`, async () => {
    const server = await MailServer.start();
    const service = await startService(engine, { config: configFor(server) });
    await service.given.catalogue();
    const deliver = () => service.get(DeliveryService).deliverDue();
    const order = (email: string) =>
      service.given.order({
        contact: { name: 'See evil.example', email },
        reference: 'evil.example/claim',
      });
    for (let n = 0; n < MOST_A_DAY; n += 1) await order('Often@example.com');
    await deliver();
    for (let n = 0; n < 2; n += 1) await order('often@example.com');
    await order('once@example.com');
    await deliver();
    const to = () => server.mails.map(({ to }) => to[0]!.toLowerCase());
    expect(to()).toEqual([
      ...Array<string>(MOST_A_DAY).fill('often@example.com'),
      'once@example.com',
    ]);
    const discarded = await messages(service, 'discarded');
    const reason = `The recipient gets at most ${MOST_A_DAY} of these a day.`;
    expect(discarded.map(({ lastError }) => lastError)).toEqual([reason, reason]);
    expect(server.mails.filter(({ source }) => source.includes('evil.example'))).toEqual([]);
    // Emails of another kind have a count of their own.
    const client = await service.given.client({ contactEmail: 'often@example.com' });
    await service.http.send({
      method: 'PUT',
      path: '/product-availability/webhook',
      token: await service.given.token({ client }),
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ url: 'https://93.184.215.14/hook' }),
    });
    await deliver();
    expect(server.mails.at(-1)?.source).toContain('Subject: A webhook was ');
    service.clock.advance({ days: 1 });
    await order('often@example.com');
    await deliver();
    expect(to()).toHaveLength(MOST_A_DAY + 3);
  });

  it('are for orders and enquiries whose contact has an address', async () => {
    const server = await MailServer.start();
    const service = await startService(engine, { config: configFor(server) });
    await service.given.catalogue();
    const token = await service.given.token();
    for (const contact of [{ name: 'Ada', phone: '020 7946 0018' }, { email: 'ada@example.com' }]) {
      await service.given.order({ token, contact });
      const enquiry = { postcode: 'EC2A 2BS', wanted: { bandwidth: 2 }, contact };
      await service.http.post('/product-availability/enquiry', enquiry, { token });
    }
    const kinds = (await messages(service, 'waiting')).map(({ kind }) => kind);
    expect(kinds).toEqual(['acknowledgement', 'acknowledgement']);
    await service.get(DeliveryService).deliverDue();
    expect(server.mails.map(({ to }) => to[0])).toEqual(['ada@example.com', 'ada@example.com']);
  });

  it('reach the first orders of a day on which the server fails for more', async () => {
    const server = await MailServer.start();
    server.rules = { refuseRecipient: () => 450 };
    const service = await startService(engine, { config: configFor(server) });
    await service.given.catalogue();
    for (let n = 0; n < MOST_A_DAY + 3; n += 1) {
      await service.given.order({ contact: { email: 'often@example.com' } });
    }
    await service.get(DeliveryService).deliverDue();
    server.rules = {};
    service.clock.advance({ hours: 1 });
    await service.get(DeliveryService).deliverDue();
    expect([server.mails.length, (await messages(service, 'discarded')).length]).toEqual([
      MOST_A_DAY,
      3,
    ]);
  });

  it('count once, however often the server fails', async () => {
    const server = await MailServer.start();
    server.rules = { refuseRecipient: () => 450 };
    const service = await startService(engine, { config: configFor(server) });
    await service.given.catalogue();
    const deliver = () => service.get(DeliveryService).deliverDue();
    for (let n = 0; n < MOST_A_DAY; n += 1) {
      await service.given.order({ contact: { email: 'often@example.com' } });
    }
    for (let n = 0; n < 3; n += 1) {
      await deliver();
      service.clock.advance({ hours: 1 });
    }
    server.rules = {};
    service.clock.advance({ days: 1 });
    await deliver();
    expect([server.mails.length, (await messages(service, 'discarded')).length]).toEqual([
      MOST_A_DAY,
      0,
    ]);
  });
});
