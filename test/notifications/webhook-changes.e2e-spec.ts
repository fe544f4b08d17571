import { beforeEach, expect, it } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { operator } from '../../src/platform/audit/audit.service.js';
import { Transactions } from '../../src/platform/database/transactions.js';
import { DeliveryService } from '../../src/platform/notifications/delivery.service.js';
import { messageStates } from '../../src/platform/notifications/messages/outbox-message.entity.js';
import { OutboxRepository } from '../../src/platform/notifications/outbox.repository.js';
import { WebhookEndpoint } from '../../src/platform/notifications/webhook-endpoint.entity.js';
import { WebhooksService } from '../../src/platform/notifications/webhooks.service.js';
import { until } from '../support/catalogue.js';
import { newDatabase } from '../support/databases.js';
import { onBothEngines, type Service, startService } from '../support/service.js';
import { WebhookReceiver } from '../support/webhook-receiver.js';

onBothEngines('A webhook that changes during a request', (engine) => {
  let service: Service;
  let receiver: WebhookReceiver;
  const webhookNetworks = ['127.0.0.0/8'];
  const webhooks = () => service.get(WebhooksService);
  const deliver = () => service.get(DeliveryService).deliverDue();
  const messages = () => service.get(OutboxRepository).list(messageStates, 10);
  const endpoints = () => service.get(Transactions).read((tx) => tx.find(WebhookEndpoint));

  beforeEach(async () => {
    const database = await newDatabase(engine);
    const config = { webhookKey: randomBytes(32), webhookNetworks };
    service = await startService(engine, { database, config });
    await service.given.catalogue();
    receiver = await WebhookReceiver.start();
  });

  it('gets at its new URL what the old one answers with 410, and stays enabled', async () => {
    const old = await WebhookReceiver.start();
    const held: ServerResponse[] = [];
    old.answer = (response) => held.push(response);
    const { endpoint } = await webhooks().add(old.url, null, operator);
    await service.given.order();
    const delivering = deliver();
    await until(() => held.length > 0);
    await webhooks().replace(endpoint, receiver.url, operator);
    for (const response of held) response.writeHead(410).end();
    await delivering;
    service.clock.advance({ seconds: 6 });
    await deliver();
    expect(receiver.hooks).toHaveLength(1);
    expect(await endpoints()).toMatchObject([{ url: receiver.url, enabled: true, failures: 0 }]);
    expect(await messages()).toMatchObject([{ state: 'delivered', attempts: 2 }]);
  });

  it('is not held responsible for a WEBHOOK_KEY that does not open its secret', async () => {
    await webhooks().add(receiver.url, null, operator);
    await service.given.order();
    const config = { webhookKey: randomBytes(32), webhookNetworks };
    const { clock, config: database } = service;
    const wrong = await startService(engine, { database, config, clock });
    await wrong.get(DeliveryService).deliverDue();
    const lastError = expect.stringContaining('sealed with another WEBHOOK_KEY');
    expect(await messages()).toMatchObject([{ state: 'waiting', attempts: 1, lastError }]);
    expect(await endpoints()).toMatchObject([{ failures: 0, failingSince: null }]);
    service.clock.advance({ seconds: 6 });
    await deliver();
    expect(receiver.hooks).toHaveLength(1);
  });
});
