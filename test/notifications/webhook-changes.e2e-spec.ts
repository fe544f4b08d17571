import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';
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

const PATH = '/product-availability/webhook';

onBothEngines('A webhook that changes during a request', (engine) => {
  let service: Service;
  let receiver: WebhookReceiver;
  let token: string;
  const webhookNetworks = ['127.0.0.0/8'];
  const webhooks = () => service.get(WebhooksService);
  const deliver = () => service.get(DeliveryService).deliverDue();
  const messages = () => service.get(OutboxRepository).list(messageStates, 10);
  const endpoints = () => service.get(Transactions).read((tx) => tx.find(WebhookEndpoint));
  const call = (method: string) =>
    service.http.send({
      ...{ method, path: PATH, token },
      ...(method === 'PUT' && {
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ url: receiver.url }),
      }),
    });

  beforeEach(async () => {
    const database = await newDatabase(engine);
    const config = { webhookKey: randomBytes(32), webhookNetworks };
    service = await startService(engine, { database, config });
    await service.given.catalogue();
    token = await service.given.token();
    receiver = await WebhookReceiver.start();
  });
  afterEach(() => void jest.restoreAllMocks());

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

  /** Holds a request between its first look at the webhook and its change, for the time of another. */
  async function overtaken(method: string, other: string) {
    const read = webhooks().ofClient.bind(webhooks());
    const rest: unknown[] = [];
    jest.spyOn(webhooks(), 'ofClient').mockImplementationOnce(async (owner) => {
      const found = await read(owner);
      const { status } = await call(other);
      rest.push(status);
      return found;
    });
    const { status } = await call(method);
    return [...rest, status];
  }

  it('is removed once by two requests', async () => {
    await call('PUT');
    expect(await overtaken('DELETE', 'DELETE')).toEqual([200, 404]);
  });

  it('is not registered by a request that another overtakes and removes it', async () => {
    await call('PUT');
    expect(await overtaken('PUT', 'DELETE')).toEqual([200, 503]);
    expect((await call('GET')).status).toBe(404);
  });

  it('is gone for a change that waits for its removal', async () => {
    const { endpoint } = await webhooks().add(receiver.url, null, operator);
    const outcomes = await Promise.allSettled([
      webhooks().remove(endpoint.id, operator),
      webhooks().replace(endpoint, `${receiver.url}?new`, operator),
      webhooks().remove(endpoint.id, operator),
    ]);
    const removed = [outcomes[0], outcomes[2]].filter(({ status }) => status === 'fulfilled');
    expect([removed.length, await endpoints()]).toEqual([1, []]);
  });
});
