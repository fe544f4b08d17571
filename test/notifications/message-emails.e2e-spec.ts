import { expect, it } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { operator } from '../../src/platform/audit/audit.service.js';
import { ClientsService } from '../../src/clients/clients.service.js';
import { readSmtpUrl } from '../../src/platform/config/addresses.js';
import { DeliveryService } from '../../src/platform/notifications/delivery.service.js';
import { WebhooksService } from '../../src/platform/notifications/webhooks.service.js';
import { MailServer } from '../support/mail-server.js';
import { startService } from '../support/service.js';
import { postAsStaff } from '../support/moves.js';
import { WebhookReceiver } from '../support/webhook-receiver.js';

it('emails with messages reach sales and the client, unless it has a webhook and wants none', async () => {
  const mail = await MailServer.start();
  const service = await startService('sqlite', {
    config: {
      smtp: readSmtpUrl(`smtp://localhost:${mail.port}`) ?? null,
      mailFrom: { name: 'Orders', address: 'orders@operator.example' },
      salesInbox: [{ name: '', address: 'sales@operator.example' }],
      reminderTimes: [],
      webhookKey: randomBytes(32),
      webhookNetworks: ['127.0.0.0/8'],
    },
  });
  await service.given.catalogue();
  const client = await service.given.client();
  const token = await service.given.token({ client });
  const sam = await service.given.token({ staff: await service.given.staff() });
  const { orderId } = await service.given.order({ token });
  const received = async () => {
    service.clock.advance({ seconds: 10 });
    await service.get(DeliveryService).deliverDue();
    // The client also hears of its webhook.
    const mails = mail.mails.splice(0).map(({ to, source }) => {
      const text = source.replaceAll('=\r\n', '').replaceAll('\r\n', ' ');
      return [to[0], /Which floor\?|The second\./.exec(text)?.[0]];
    });
    return mails.filter(([, text]) => text !== undefined);
  };
  await received();
  let version = 0;
  const reply = () => {
    const body = { version: version++, text: 'Which floor?' };
    return postAsStaff(service.http, `/follow-up/orders/${orderId}/reply`, body, { token: sam });
  };

  expect((await reply()).status).toBe(200);
  expect(await received()).toEqual([[client.contactEmail, 'Which floor?']]);
  await service.http.post(
    `/product-availability/order/${orderId}/message`,
    { text: 'The second.' },
    { token },
  );
  version += 1;
  expect(await received()).toEqual([['sales@operator.example', 'The second.']]);
  await service.get(ClientsService).edit(client.id, { messageEmails: 'off' }, operator);
  await reply();
  expect(await received()).toEqual([[client.contactEmail, 'Which floor?']]);
  const receiver = await WebhookReceiver.start();
  await service
    .get(WebhooksService)
    .add(receiver.url, { clientId: client.id, isTest: false }, operator);
  await reply();
  expect([await received(), receiver.hooks.length]).toEqual([[], 1]);
  await reply();
  await postAsStaff(service.http, `/follow-up/orders/${orderId}/undo`, { version }, { token: sam });
  expect(await received()).toEqual([]);
});
