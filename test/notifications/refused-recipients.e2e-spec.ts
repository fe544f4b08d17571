import { beforeEach, expect, it } from '@jest/globals';
import { operator } from '../../src/platform/audit/audit.service.js';
import { readSmtpUrl } from '../../src/platform/config/addresses.js';
import { DeliveryService } from '../../src/platform/notifications/delivery.service.js';
import { messageStates } from '../../src/platform/notifications/messages/outbox-message.entity.js';
import { OutboxRepository } from '../../src/platform/notifications/outbox.repository.js';
import { newDatabase } from '../support/databases.js';
import { MailServer } from '../support/mail-server.js';
import { onOneEngine, type Service, startService } from '../support/service.js';

onOneEngine('An email that the server accepts for some of its recipients', (engine) => {
  let server: MailServer;
  let service: Service;
  const deliver = async () => {
    service.clock.advance({ minutes: 1 });
    await service.get(DeliveryService).deliverDue();
    return server.mails.splice(0).map(({ to }) => to);
  };
  const messages = () => service.get(OutboxRepository).list(messageStates, 10);
  const refuse = (replies: Readonly<Record<string, number>>) => {
    server.rules = { refuseRecipient: (to) => replies[to.split('@')[0]!] };
  };

  beforeEach(async () => {
    server = await MailServer.start();
    service = await startService(engine, {
      database: await newDatabase(engine),
      config: {
        smtp: readSmtpUrl(`smtp://localhost:${server.port}`) ?? null,
        mailFrom: { name: 'Orders', address: 'orders@operator.example' },
        salesInbox: ['ada@bücher.example', 'bo@operator.example', 'cy@operator.example'].map(
          (address) => ({ name: '', address }),
        ),
      },
    });
    await service.given.catalogue();
    await service.given.order();
  });

  it('is sent again to those whom it refused for now, and only to them', async () => {
    refuse({ bo: 450, cy: 452 });
    expect(await deliver()).toEqual([['ada@bücher.example']]);
    const [waiting] = await messages();
    expect(waiting).toMatchObject({ state: 'waiting', lastError: expect.stringContaining('450') });
    expect(JSON.stringify(waiting)).not.toContain('@operator');
    refuse({ cy: 452 });
    expect(await deliver()).toEqual([['bo@operator.example']]);
    refuse({});
    expect(await deliver()).toEqual([['cy@operator.example']]);
    expect(await messages()).toMatchObject([{ state: 'delivered', attempts: 3 }]);
    expect(await deliver()).toEqual([]);
  });

  it('becomes a dead letter once it refuses the rest for good, and is resent to them', async () => {
    refuse({ bo: 450, cy: 550 });
    expect(await deliver()).toEqual([['ada@bücher.example']]);
    expect(await messages()).toMatchObject([{ state: 'waiting' }]);
    refuse({ cy: 550 });
    expect(await deliver()).toEqual([['bo@operator.example']]);
    const [dead] = await messages();
    expect(dead).toMatchObject({ state: 'dead', lastError: expect.stringContaining('550') });
    expect(service.log.lines.join('\n')).toMatch(/Dead letter: email new-order [^]*550/);
    refuse({});
    await service.get(OutboxRepository).resend([dead!.id], operator);
    expect(await deliver()).toEqual([['cy@operator.example']]);
    expect(await messages()).toMatchObject([{ state: 'delivered' }]);
  });
});
