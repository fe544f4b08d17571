import { expect, it } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { operator } from '../../src/platform/audit/audit.service.js';
import { WebhooksService } from '../../src/platform/notifications/webhooks.service.js';
import { later } from '../support/closing.js';
import { newDatabase } from '../support/databases.js';
import { MailServer } from '../support/mail-server.js';
import { order } from '../support/orders.js';
import { figure, quantile, rounds } from '../support/rounds.js';
import { onBothEngines, startService } from '../support/service.js';
import { startProcess } from '../support/service-process.js';
import { WebhookReceiver } from '../support/webhook-receiver.js';

/** Milliseconds from the answer to the order until the operator has its webhook and its email. */
const PROMISE = 5_000;
const CLIENTS = 24;
const WAITING = 3;
const ORDERS = rounds(4, 100);

/** Accepts connections and never answers. */
async function startTarpit() {
  const held = { connections: 0 };
  const server = createServer((socket) => {
    held.connections += 1;
    socket.on('error', () => undefined);
    later(() => Promise.resolve(socket.destroy()));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  later(() => Promise.resolve(void server.close()));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/hook`, held };
}

onBothEngines('webhooks of clients that never answer', (engine) => {
  it('do not delay the messages of the operator', async () => {
    const mail = await MailServer.start();
    const own = await WebhookReceiver.start();
    const tarpit = await startTarpit();
    const webhookKey = randomBytes(32);
    const database = await newDatabase(engine);
    const tokens = await prepare();
    const { http } = await startProcess(database, {
      environment: {
        NODE_ENV: 'test',
        WEBHOOK_KEY: webhookKey.toString('base64'),
        WEBHOOK_NETWORKS: '127.0.0.0/8',
        SMTP_URL: `smtp://127.0.0.1:${mail.port}`,
        MAIL_FROM: 'orders@operator.example',
        SALES_INBOX: 'sales@operator.example',
      },
    });
    for (let n = 0; n < WAITING; n += 1) {
      for (const token of tokens) expect((await order(http, token, `wait-${n}`)).status).toBe(201);
    }
    // The operator has the earlier orders, and the deliveries to clients hang.
    const earlier = CLIENTS * WAITING;
    const isQuiet = () => own.hooks.length >= earlier && mail.mails.length >= earlier;
    while (!isQuiet() || tarpit.held.connections === 0) await sleep(20);
    const waits: number[] = [];
    for (let n = 0; n < ORDERS; n += 1) {
      const sent = performance.now();
      const { status, body } = await order(http, tokens[n % CLIENTS]!, `timed-${n}`);
      const answered = performance.now();
      expect([status, answered - sent < 3_000]).toEqual([201, true]);
      const [reference] = /ORD-\w{6}/.exec(body.message!)!;
      const arrived = () =>
        own.hooks.some((hook) => hook.body.includes(body.orderId!)) &&
        mail.mails.some(({ source }) => source.includes(reference));
      while (!arrived() && performance.now() - answered < 4 * PROMISE) await sleep(10);
      waits.push(performance.now() - answered);
    }
    const longest = Math.max(...waits);
    const waiting = `${earlier} messages to ${CLIENTS} clients that never answer`;
    figure(
      `${engine}: the operator's webhook and email arrive after ${quantile(waits, 0.5).toFixed(0)} ms, the last after ${longest.toFixed(0)} ms, beside ${waiting}`,
    );
    expect(longest).toBeLessThan(PROMISE);

    async function prepare(): Promise<string[]> {
      const config = { webhookKey, webhookNetworks: ['127.0.0.0/8'] };
      const service = await startService(engine, { database, config });
      const webhooks = service.get(WebhooksService);
      await service.given.catalogue();
      const made: string[] = [];
      for (let n = 0; n < CLIENTS; n += 1) {
        const client = await service.given.client();
        await webhooks.add(tarpit.url, { clientId: client.id, isTest: false }, operator);
        made.push(await service.given.token({ client, days: 3_650 }));
      }
      await webhooks.add(own.url, null, operator);
      await service.close();
      return made;
    }
  });
});
