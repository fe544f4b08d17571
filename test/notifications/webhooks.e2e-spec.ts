import { LIVE, onSide } from '../../src/platform/database/sides.js';
import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createHmac, randomBytes } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { operator } from '../../src/platform/audit/audit.service.js';
import { newId } from '../../src/platform/database/new-id.js';
import { Transactions } from '../../src/platform/database/transactions.js';
import { DeliveryService } from '../../src/platform/notifications/delivery.service.js';
import { messageStates } from '../../src/platform/notifications/messages/outbox-message.entity.js';
import { OutboxService } from '../../src/platform/notifications/outbox.service.js';
import { OutboxRepository } from '../../src/platform/notifications/outbox.repository.js';
import { AddressRefused, postWebhook } from '../../src/platform/notifications/webhook.channel.js';
import { WebhooksService } from '../../src/platform/notifications/webhooks.service.js';
import { until } from '../support/catalogue.js';
import { certificate } from '../support/mail-server.js';
import { onOneEngine, type Service, startService } from '../support/service.js';
import { type ReceivedHook, WebhookReceiver } from '../support/webhook-receiver.js';

const never = new AbortController().signal;

/** A name server that gives each response once, and counts its requests. */
function nameServer(...answers: string[][]) {
  const asked: string[] = [];
  const resolve = (host: string) => {
    const addresses = answers[asked.length] ?? [];
    asked.push(host);
    return Promise.resolve(
      addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    );
  };
  return { asked, resolve };
}

function verified({ headers, body }: ReceivedHook, secret: string): boolean {
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
  const signed = `${String(headers['webhook-id'])}.${String(headers['webhook-timestamp'])}.${body}`;
  const own = `v1,${createHmac('sha256', key).update(signed).digest('base64')}`;
  return String(headers['webhook-signature']).split(' ').includes(own);
}

describe('A post to a webhook', () => {
  const loopback = { http: true, networks: ['127.0.0.0/8'] };
  const post = (url: string, more: Parameters<typeof postWebhook>[1] = {}, rules = loopback) =>
    postWebhook({ url: new URL(url), headers: {}, body: '{}', rules, signal: never }, more);

  it('connects to the checked address, with TLS for the host name', async () => {
    const receiver = await WebhookReceiver.start(certificate);
    const names = nameServer(['127.0.0.1'], ['10.0.0.1']);
    const { status } = await post(`https://hooks.example:${receiver.port}/`, {
      resolve: names.resolve,
      ca: certificate.cert,
    });
    expect([status, names.asked, receiver.hooks[0]?.headers.host]).toEqual([
      204,
      ['hooks.example'],
      `hooks.example:${receiver.port}`,
    ]);
  });

  it('refuses a certificate of another name or of an unknown authority', async () => {
    const receiver = await WebhookReceiver.start(certificate);
    const { resolve } = nameServer(['127.0.0.1'], ['127.0.0.1']);
    const url = (host: string) => `https://${host}:${receiver.port}/`;
    await expect(
      post(url('other.example'), { resolve, ca: certificate.cert }),
    ).rejects.toMatchObject({ code: 'ERR_TLS_CERT_ALTNAME_INVALID' });
    await expect(post(url('hooks.example'), { resolve })).rejects.toThrow(/self-signed/);
    expect(receiver.hooks).toEqual([]);
  });

  it.each([
    ['private', ['10.0.0.1']],
    ['metadata', ['169.254.169.254']],
    ['mapped', ['::ffff:127.0.0.1']],
    ['one of several', ['8.8.8.8', '192.168.0.1']],
    ['none', []],
  ])('refuses a name that resolves to a forbidden address: %s', async (_what, addresses) => {
    const { resolve } = nameServer(addresses);
    const strict = { http: false, networks: [] };
    await expect(post('https://hooks.example/', { resolve }, strict)).rejects.toThrow(
      AddressRefused,
    );
  });

  it('refuses localhost and literal private addresses', async () => {
    const strict = { http: true, networks: [] };
    const { port } = await WebhookReceiver.start();
    for (const host of ['localhost', '127.0.0.1', '[::1]', '2130706433']) {
      await expect(post(`http://${host}:${port}/`, {}, strict)).rejects.toThrow(AddressRefused);
    }
  });

  it('refuses http where only https is allowed', async () => {
    const { url } = await WebhookReceiver.start();
    await expect(post(url, {}, { ...loopback, http: false })).rejects.toThrow(/only https/);
  });

  it('does not follow a redirect', async () => {
    const receiver = await WebhookReceiver.start();
    receiver.answer = (response) => response.writeHead(307, { location: '/there' }).end();
    expect(await post(receiver.url)).toMatchObject({ status: 307 });
    expect(receiver.hooks.map(({ path }) => path)).toEqual(['/hook']);
  });

  it('reads no more than 64 KB of a response', async () => {
    const receiver = await WebhookReceiver.start();
    let written = 0;
    receiver.answer = (response) => {
      const more = () => {
        while (!response.destroyed && response.write(Buffer.alloc(16_384))) written += 16_384;
      };
      response
        .writeHead(200)
        .on('drain', more)
        .on('error', () => undefined);
      more();
    };
    expect(await post(receiver.url)).toMatchObject({ status: 200 });
    expect(written).toBeLessThan(50_000_000);
  });

  it('ends at once when it is aborted', async () => {
    const receiver = await WebhookReceiver.start();
    const breaker = new AbortController();
    receiver.answer = () => breaker.abort();
    const request = { url: new URL(receiver.url), headers: {}, body: '{}', rules: loopback };
    await expect(postWebhook({ ...request, signal: breaker.signal })).rejects.toThrow(/abort/);
  });

  it('waits for a complete response no longer than its deadline', async () => {
    const receiver = await WebhookReceiver.start();
    receiver.answer = (response) => {
      const drip = setInterval(() => response.write('.'), 50).unref();
      response.writeHead(200).on('close', () => clearInterval(drip));
    };
    await expect(post(receiver.url, { deadline: 300 })).rejects.toThrow(/within 0.3 seconds/);
  });

  it('fails where the endpoint switches to another protocol', async () => {
    const receiver = await WebhookReceiver.start();
    receiver.answer = ({ socket }) => {
      socket!.write(
        'HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n',
      );
    };
    await expect(post(receiver.url)).rejects.toThrow(/closed without an answer/);
  });
});

describe('Webhooks in production', () => {
  let service: Service;
  const webhooks = () => service.get(WebhooksService);

  beforeAll(async () => {
    service = await startService('sqlite', {
      config: {
        production: true,
        webhookKey: randomBytes(32),
        webhookNetworks: ['127.0.0.0/8', '::1/128'],
      },
    });
    await service.given.catalogue();
  });

  it('refuse a client’s URL with an address in WEBHOOK_NETWORKS, and accept the operator’s', async () => {
    const url = 'https://127.0.0.1/hook';
    const { id } = await service.given.client();
    await expect(webhooks().add(url, { clientId: id, isTest: false }, operator)).rejects.toThrow(
      /public internet/,
    );
    const { endpoint } = await webhooks().add(url, null, operator);
    expect(endpoint).toMatchObject({ url, clientId: null, enabled: true });
    await webhooks().remove(endpoint.id, operator);
  });

  it('never connect to WEBHOOK_NETWORKS for a client, only for the operator', async () => {
    const client = await service.given.client();
    const token = await service.given.token({ client });
    for (const clientId of [client.id, null]) {
      const receiver = await WebhookReceiver.start();
      const { endpoint } = await webhooks().add(
        `https://localhost:${receiver.port}/`,
        clientId === null ? null : { clientId, isTest: false },
        operator,
      );
      await service.given.order({ token });
      await service.get(DeliveryService).deliverDue();
      const { failed } = await service.get(OutboxRepository).troubleOf(endpoint.id);
      const refusal = new AddressRefused().message;
      // The operator's message reaches the receiver, which does not speak TLS.
      expect([clientId, receiver.connections, failed?.lastError === refusal]).toEqual(
        clientId === null ? [null, 1, false] : [client.id, 0, true],
      );
      await webhooks().remove(endpoint.id, operator);
    }
  });
});

onOneEngine('Webhooks', (engine) => {
  let service: Service;
  let receiver: WebhookReceiver;
  const webhooks = () => service.get(WebhooksService);
  const deliver = () => service.get(DeliveryService).deliverDue();
  const messages = () => service.get(OutboxRepository).list(messageStates, 1_000);

  beforeAll(async () => {
    service = await startService(engine, {
      config: { webhookKey: randomBytes(32), webhookNetworks: ['127.0.0.0/8'] },
    });
    await service.given.catalogue();
  });

  beforeEach(async () => {
    for (const { id } of await webhooks().list()) await webhooks().remove(id, operator);
    await deliver();
    receiver = await WebhookReceiver.start();
  });

  it('notify the operator of every order, signed and without personal data', async () => {
    const { endpoint, secret } = await webhooks().add(receiver.url, null, operator);
    const contact = { name: 'Ada Lovelace', email: 'ada@example.com' };
    const { orderId } = await service.given.order({ reference: 'PO-1', contact });
    await deliver();
    const [hook] = receiver.hooks;
    expect(JSON.parse(hook?.body ?? '')).toEqual({
      type: 'order.received',
      timestamp: service.clock.now().toISOString(),
      data: {
        orderId,
        orderReference: expect.stringMatching(/^ORD-/),
        reference: 'PO-1',
        state: 'acknowledged',
      },
    });
    expect(hook?.headers).toMatchObject({
      'content-type': 'application/json',
      'webhook-id': (await messages())[0]?.id,
      'webhook-timestamp': String(service.clock.now().getTime() / 1_000),
    });
    expect(verified(hook!, secret)).toBe(true);
    expect(endpoint).not.toHaveProperty('sealedSecrets');
  });

  it('notify a client of its own orders only', async () => {
    const [mine, other] = [await service.given.client(), await service.given.client()];
    await webhooks().add(receiver.url, { clientId: mine.id, isTest: false }, operator);
    await service.given.order({ token: await service.given.token({ client: other }) });
    const { orderId } = await service.given.order({
      token: await service.given.token({ client: mine }),
    });
    await deliver();
    expect(receiver.hooks.map(({ body }) => body)).toEqual([expect.stringContaining(orderId)]);
  });

  it('report changes of the public state only', async () => {
    await webhooks().add(receiver.url, null, operator);
    const id = newId();
    const order = { id, reference: 'ORD-7F3K9Q', clientId: 'y', clientReference: null };
    await service.get(Transactions).run(async (all) => {
      const tx = onSide(all, LIVE);
      const outbox = service.get(OutboxService);
      const about = { type: 'order.state-changed', order, at: service.clock.now() } as const;
      await outbox.publish(tx, { ...about, from: 'acknowledged', to: 'inProgress' });
      await outbox.publish(tx, { ...about, from: 'inProgress', to: 'inProgress' });
    });
    await deliver();
    expect(receiver.hooks.map(({ body }) => JSON.parse(body) as unknown)).toEqual([
      expect.objectContaining({
        type: 'order.state-changed',
        data: { orderId: id, orderReference: 'ORD-7F3K9Q', reference: null, state: 'inProgress' },
      }),
    ]);
  });

  it('are written in the transaction of the change', async () => {
    await webhooks().add(receiver.url, null, operator);
    const before = (await messages()).length;
    const order = { id: 'x', reference: 'ORD-1', clientId: 'y', clientReference: null };
    const failing = service.get(Transactions).run(async (tx) => {
      const at = service.clock.now();
      const event = { type: 'order.state-changed', order, from: 'a', to: 'b', at } as const;
      await service.get(OutboxService).publish(onSide(tx, LIVE), event);
      throw new Error('rolled back');
    });
    await expect(failing).rejects.toThrow('rolled back');
    expect(await messages()).toHaveLength(before);
  });

  it('are retried with the same id until they are accepted, and honour Retry-After', async () => {
    const { secret } = await webhooks().add(receiver.url, null, operator);
    receiver.answer = (response) => response.writeHead(503, { 'retry-after': '600' }).end();
    await service.given.order();
    await deliver();
    service.clock.advance({ seconds: 599 });
    await deliver();
    expect(receiver.hooks).toHaveLength(1);
    receiver.answer = (response) => response.writeHead(200).end('ok');
    service.clock.advance({ seconds: 1 });
    await deliver();
    const [first, second] = receiver.hooks;
    expect(second?.headers['webhook-id']).toBe(first?.headers['webhook-id']);
    expect(second?.headers['webhook-timestamp']).not.toBe(first?.headers['webhook-timestamp']);
    expect(receiver.hooks.map((hook) => verified(hook, secret))).toEqual([true, true]);
  });

  it('are not delivered by a redirect', async () => {
    await webhooks().add(receiver.url, null, operator);
    receiver.answer = (response) => response.writeHead(307, { location: '/there' }).end();
    await service.given.order();
    await deliver();
    expect((await messages())[0]).toMatchObject({
      state: 'waiting',
      lastError: 'It answered 307.',
    });
  });

  it('are disabled by 410, and their waiting messages are discarded', async () => {
    const { endpoint } = await webhooks().add(receiver.url, null, operator);
    receiver.answer = (response) => response.writeHead(410).end();
    await service.given.order();
    await deliver();
    await service.given.order();
    await deliver();
    expect(receiver.hooks).toHaveLength(1);
    expect(await webhooks().list()).toEqual([
      { ...endpoint, enabled: false, disabledReason: 'It answered 410 Gone.' },
    ]);
    expect((await messages())[0]).toMatchObject({ state: 'discarded' });
  });

  it('are signed with the old and the new secret during a rotation', async () => {
    const { endpoint, secret } = await webhooks().add(receiver.url, null, operator);
    const newer = await webhooks().rotate(endpoint.id, operator);
    await service.given.order();
    await deliver();
    await webhooks().retire(endpoint.id, operator);
    await service.given.order();
    await deliver();
    expect(receiver.hooks.map((hook) => [verified(hook, secret), verified(hook, newer)])).toEqual([
      [true, true],
      [false, true],
    ]);
  });

  it('that hang do not delay the others', async () => {
    const hanging = await WebhookReceiver.start();
    const held: ServerResponse[] = [];
    hanging.answer = (response) => held.push(response);
    const client = await service.given.client();
    await webhooks().add(hanging.url, { clientId: client.id, isTest: false }, operator);
    const token = await service.given.token({ client });
    for (let i = 0; i < 12; i += 1) await service.given.order({ token });
    const mine = await service.given.client();
    await webhooks().add(receiver.url, { clientId: mine.id, isTest: false }, operator);
    await service.given.order({ token: await service.given.token({ client: mine }) });
    const delivering = deliver();
    await until(() => receiver.hooks.length > 0);
    expect(receiver.hooks).toHaveLength(1);
    // The worker claims further orders while earlier ones hang.
    await service.given.order({ token: await service.given.token({ client: mine }) });
    await until(() => receiver.hooks.length > 1);
    expect(receiver.hooks).toHaveLength(2);
    expect(hanging.hooks.length).toBeLessThanOrEqual(2);
    for (const { id } of await webhooks().list()) await webhooks().remove(id, operator);
    hanging.answer = (response) => response.writeHead(204).end();
    for (const response of held) response.writeHead(204).end();
    await delivering;
  });

  it.each([
    ['ftp://example.com/', /https/],
    ['https://10.0.0.1/', /public internet/],
  ])('refuse %s', async (url, reason) => {
    await expect(webhooks().add(url, null, operator)).rejects.toThrow(reason);
  });

  it('are registered, read, replaced and removed by the client itself', async () => {
    const token = await service.given.token();
    const path = '/product-availability/webhook';
    const headers = { 'Content-Type': 'application/json' };
    const put = (url: string) =>
      service.http.send<{ secret: string }>({
        method: 'PUT',
        path,
        token,
        headers,
        body: JSON.stringify({ url }),
      });
    const statuses = [(await service.http.get(path, { token })).status];
    const first = await put(`${receiver.url}?first`);
    const second = await put(receiver.url);
    await service.given.order({ token });
    await deliver();
    expect(receiver.hooks.map((hook) => [hook.path, verified(hook, second.body.secret)])).toEqual([
      ['/hook', true],
    ]);
    expect(verified(receiver.hooks[0]!, first.body.secret)).toBe(false);
    const shown = await service.http.get(path, { token });
    expect(shown.body).toEqual({
      url: receiver.url,
      enabled: true,
      disabledReason: null,
      pausedAt: null,
      createdAt: service.clock.now().toISOString(),
    });
    for (const method of ['DELETE', 'DELETE']) {
      statuses.push((await service.http.send({ method, path, token })).status);
    }
    expect([...statuses, first.status, second.status]).toEqual([404, 200, 404, 200, 200]);
    const inside = await put('https://169.254.169.254/');
    expect([inside.status, inside.body]).toMatchObject([
      400,
      { errors: [{ pointer: '/url', code: 'not-allowed' }] },
    ]);
  });

  it('cannot be registered with a read-only token', async () => {
    const token = await service.given.token({ scopes: ['orders:read'] });
    const path = '/product-availability/webhook';
    const { status } = await service.http.send({
      method: 'PUT',
      path,
      token,
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ url: receiver.url }),
    });
    expect(status).toBe(403);
  });

  it('store secrets encrypted only', async () => {
    const { secret } = await webhooks().add(receiver.url, null, operator);
    const rows = await service
      .get(Transactions)
      .read((tx) => tx.query<unknown[]>('SELECT * FROM webhook_endpoints'));
    expect(JSON.stringify(rows)).not.toContain(secret.slice('whsec_'.length));
  });
});
