import { beforeAll, beforeEach, expect, it } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { AuditEntry } from '../../src/platform/audit/audit-entry.entity.js';
import { operator } from '../../src/platform/audit/audit.service.js';
import { readSmtpUrl } from '../../src/platform/config/addresses.js';
import { Transactions } from '../../src/platform/database/transactions.js';
import { DAY, HOUR, MINUTE } from '../../src/platform/kernel/time.js';
import { DeliveryService } from '../../src/platform/notifications/delivery.service.js';
import { SLOW_AFTER } from '../../src/platform/notifications/endpoint-health.service.js';
import { messageStates } from '../../src/platform/notifications/messages/outbox-message.entity.js';
import { OutboxRepository } from '../../src/platform/notifications/outbox.repository.js';
import { WebhooksService } from '../../src/platform/notifications/webhooks.service.js';
import { until } from '../support/catalogue.js';
import { MailServer } from '../support/mail-server.js';
import { onOneEngine, type Service, startService } from '../support/service.js';
import { StaffBrowser } from '../support/staff-browser.js';
import { WebhookReceiver } from '../support/webhook-receiver.js';

onOneEngine('Receivers that keep failing', (engine) => {
  let service: Service;
  let mail: MailServer;
  const webhooks = () => service.get(WebhooksService);
  const outbox = () => service.get(OutboxRepository);
  const deliver = () => service.get(DeliveryService).deliverDue();
  const pass = async (milliseconds: number) => {
    service.clock.advance({ milliseconds });
    await deliver();
  };

  beforeAll(async () => {
    mail = await MailServer.start();
    service = await startService(engine, {
      config: {
        webhookKey: randomBytes(32),
        webhookNetworks: ['127.0.0.0/8'],
        smtp: readSmtpUrl(`smtp://localhost:${mail.port}`) ?? null,
        mailFrom: { name: 'Orders', address: 'orders@operator.example' },
        rateLimits: false,
      },
    });
    await service.given.catalogue();
  });

  beforeEach(async () => {
    for (const { id } of await webhooks().list()) await webhooks().remove(id, operator);
    const rest = await outbox().list(['waiting', 'dead'], 1_000);
    await outbox().discard(
      rest.map(({ id }) => id),
      operator,
    );
    mail.mails.length = 0;
  });

  /** A client with a live webhook to a new receiver. */
  async function clientWithWebhook(answer?: WebhookReceiver['answer']) {
    const receiver = await WebhookReceiver.start();
    if (answer) receiver.answer = answer;
    const client = await service.given.client();
    const token = await service.given.token({ client });
    const { endpoint } = await webhooks().add(
      receiver.url,
      { clientId: client.id, isTest: false },
      operator,
    );
    const read = async () => (await webhooks().list()).find(({ id }) => id === endpoint.id)!;
    const order = () => service.given.order({ token });
    return { receiver, client, token, id: endpoint.id, read, order };
  }

  const pauses = () => mail.mails.filter(({ source }) => source.includes('Your webhook is paused'));
  const failing: WebhookReceiver['answer'] = (response) => response.writeHead(500).end();
  const working: WebhookReceiver['answer'] = (response) => response.writeHead(204).end();

  it('do not delay the operator: 120 orders of four clients whose webhooks never answer', async () => {
    const own = await WebhookReceiver.start();
    const held: ServerResponse[] = [];
    const slow = await Promise.all(
      Array.from({ length: 4 }, () => clientWithWebhook((response) => held.push(response))),
    );
    for (let n = 0; n < 30; n += 1) for (const { order } of slow) await order();
    const delivering = deliver();
    await until(() => held.length === 8);
    // The slots of clients are busy. Now the operator registers, and one more order arrives.
    await webhooks().add(own.url, null, operator);
    await slow[0]!.order();
    // As the periodic job does every second.
    const again = deliver();
    await until(() => own.hooks.length === 1);
    expect(slow.map(({ receiver }) => receiver.hooks.length)).toEqual([2, 2, 2, 2]);
    for (const { id } of slow) await webhooks().remove(id, operator);
    for (const { receiver } of slow) receiver.answer = working;
    for (const response of held) response.writeHead(204).end();
    await Promise.all([delivering, again]);
    expect(own.hooks).toHaveLength(1);
  });

  it('get one message at a time, with growing delays, and all at once when they work again', async () => {
    const { receiver, read, order } = await clientWithWebhook(failing);
    for (let n = 0; n < 6; n += 1) await order();
    await deliver();
    // Two run at the same time, until three have failed.
    const first = receiver.hooks.length;
    expect(first).toBeGreaterThanOrEqual(SLOW_AFTER);
    expect(first).toBeLessThanOrEqual(SLOW_AFTER + 1);
    const quiet = (await read()).quietUntil!.getTime() - service.clock.now().getTime();
    expect(quiet).toBe(first === SLOW_AFTER ? 15_000 : MINUTE);
    await pass(14_000);
    expect(receiver.hooks).toHaveLength(first);
    const counts: number[] = [];
    for (const wait of [MINUTE, MINUTE, 5 * MINUTE, 5 * MINUTE]) {
      await pass(wait);
      counts.push(receiver.hooks.length - first);
    }
    expect(counts.at(-1)).toBeLessThanOrEqual(4);
    expect((await read()).failures).toBe(receiver.hooks.length);
    receiver.answer = working;
    await pass(5 * MINUTE);
    await pass(6 * HOUR);
    expect(await outbox().list(['waiting', 'dead'], 100)).toEqual([]);
    expect(await read()).toMatchObject({ failures: 0, failingSince: null, quietUntil: null });
  });

  it('are not paused after two failures a day apart', async () => {
    const { id, read, receiver, order } = await clientWithWebhook(failing);
    await order();
    await deliver();
    expect((await read()).failures).toBe(1);
    await pass(DAY);
    expect(await read()).toMatchObject({ failures: 2, pausedAt: null });
    receiver.answer = working;
    await pass(DAY);
    expect(await read()).toMatchObject({ failures: 0 });
    const resumed = { subjectId: id, action: 'resumed' } as const;
    expect(await service.get(Transactions).read((tx) => tx.countBy(AuditEntry, resumed))).toBe(0);
  });

  it('are paused after a day, with an email and an entry on the pages, and resumed by a success', async () => {
    const { receiver, client, read, order } = await clientWithWebhook(failing);
    await order();
    await order();
    await deliver();
    for (let n = 0; n < 3; n += 1) await pass(10 * MINUTE);
    expect((await read()).pausedAt).toBeNull();
    await pass(DAY);
    await deliver();
    expect((await read()).pausedAt).toEqual(service.clock.now());
    expect(pauses().map(({ to }) => to)).toEqual([[client.contactEmail]]);
    const attempts = receiver.hooks.length;
    await pass(HOUR - MINUTE);
    expect(receiver.hooks).toHaveLength(attempts);
    const browser = await StaffBrowser.signedIn(service, { role: 'admin' });
    const host = new URL(receiver.url).host;
    expect(await text(browser, '/staff/notifications')).toContain(`A webhook is paused.`);
    expect(await text(browser, '/staff/notifications')).toContain(host);
    expect(await text(browser, `/staff/clients/${client.id}`)).toContain('Resume the webhook');
    await pass(MINUTE);
    expect(receiver.hooks).toHaveLength(attempts + 1);
    receiver.answer = working;
    await pass(HOUR);
    await pass(6 * HOUR);
    expect(await read()).toMatchObject({ failures: 0, pausedAt: null });
    expect(await outbox().list(['waiting', 'dead'], 100)).toEqual([]);
    expect(await text(browser, '/staff/notifications')).not.toContain('A webhook is paused.');
    // One email for the pause, none for later failures of it.
    expect(pauses()).toHaveLength(1);
  });

  it('are resumed by a person, and by the client that registers its webhook again', async () => {
    for (const how of ['page', 'client'] as const) {
      const { receiver, client, token, id, read, order } = await clientWithWebhook(failing);
      await order();
      await deliver();
      for (let n = 0; n < 3; n += 1) await pass(10 * MINUTE);
      await pass(DAY);
      const path = '/product-availability/webhook';
      const { body } = await service.http.get<{ pausedAt: string }>(path, { token });
      expect(body.pausedAt).toBe(service.clock.now().toISOString());
      receiver.answer = working;
      await order();
      if (how === 'page') {
        const browser = await StaffBrowser.signedIn(service, { role: 'admin' });
        await browser.post(`/staff/clients/${client.id}/webhook`, { webhook: id, enabled: 'yes' });
      } else {
        await service.http.send({
          method: 'PUT',
          path,
          token,
          headers: { 'Content-Type': 'application/json' },
          body: JSON.stringify({ url: receiver.url }),
        });
      }
      const attempts = receiver.hooks.length;
      await deliver();
      expect([how, receiver.hooks.length]).toEqual([how, attempts + 1]);
      expect(await read()).toMatchObject({ failures: 0, pausedAt: null });
    }
  });

  it('leave dead letters after five days, also of messages that were never tried', async () => {
    const { order } = await clientWithWebhook(failing);
    for (let n = 0; n < 12; n += 1) await order();
    for (let n = 0; n < 4; n += 1) await pass(10 * MINUTE);
    service.clock.advance({ days: 5 });
    await outbox().expire();
    const states = (await outbox().list(messageStates, 12)).map(({ state }) => state);
    expect(states).toEqual(Array(12).fill('dead'));
  });

  it('do not pause the operator’s own webhook', async () => {
    const receiver = await WebhookReceiver.start();
    receiver.answer = failing;
    await webhooks().add(receiver.url, null, operator);
    await service.given.order();
    await deliver();
    for (let n = 0; n < 3; n += 1) await pass(10 * MINUTE);
    await pass(DAY);
    const attempts = receiver.hooks.length;
    await pass(5 * MINUTE);
    await pass(6 * HOUR);
    expect((await webhooks().list())[0]).toMatchObject({ pausedAt: null, enabled: true });
    expect(receiver.hooks.length).toBeGreaterThan(attempts);
  });
});

async function text(browser: StaffBrowser, path: string): Promise<string> {
  return (await browser.get(path)).body;
}
