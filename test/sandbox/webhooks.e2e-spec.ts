import { randomBytes } from 'node:crypto';
import { beforeAll, beforeEach, expect, it } from '@jest/globals';
import { AuditService, operator } from '../../src/platform/audit/audit.service.js';
import { readSmtpUrl } from '../../src/platform/config/addresses.js';
import { DeliveryService } from '../../src/platform/notifications/delivery.service.js';
import { WebhooksService } from '../../src/platform/notifications/webhooks.service.js';
import { facts, rows, way } from '../support/admin-pages.js';
import { Integrator } from '../support/integrator.js';
import { MailServer } from '../support/mail-server.js';
import { onOneEngine, type Service, startService } from '../support/service.js';
import { StaffBrowser } from '../support/staff-browser.js';
import { WebhookReceiver } from '../support/webhook-receiver.js';

const path = '/product-availability/webhook';

onOneEngine('the webhooks of live and of test orders', (engine) => {
  let service: Service;
  let mail: MailServer;
  let client: Integrator;
  let live: WebhookReceiver;
  let test: WebhookReceiver;

  beforeAll(async () => {
    mail = await MailServer.start();
    service = await startService(engine, {
      config: {
        rateLimits: false,
        webhookKey: randomBytes(32),
        webhookNetworks: ['127.0.0.0/8'],
        smtp: readSmtpUrl(`smtp://localhost:${mail.port}`) ?? null,
        mailFrom: { name: 'Orders', address: 'orders@operator.example' },
        reminderTimes: [],
      },
    });
    await service.given.catalogue();
  });

  beforeEach(async () => {
    client = await Integrator.at(service);
    [live, test] = [await WebhookReceiver.start(), await WebhookReceiver.start()];
    await deliver();
    mail.mails.splice(0);
  });

  const put = (url: string, token: string) =>
    service.http.send<{ url: string; secret: string }>({
      method: 'PUT',
      path,
      token,
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ url }),
    });
  const get = (token: string) => service.http.get<{ url?: string }>(path, { token });
  const remove = (token: string) => service.http.send({ method: 'DELETE', path, token });
  const deliver = () => service.get(DeliveryService).deliverDue();

  it('are apart: a token of one kind neither reads nor changes the other’s', async () => {
    expect((await put(live.url, client.live)).status).toBe(200);
    const statuses = [(await get(client.test)).status, (await remove(client.test)).status];
    expect((await put(test.url, client.test)).status).toBe(200);
    expect([...statuses, (await get(client.live)).body.url]).toEqual([404, 404, live.url]);
    expect((await get(client.test)).body.url).toBe(test.url);
    expect((await remove(client.test)).status).toBe(200);
    expect([(await get(client.test)).status, (await get(client.live)).status]).toEqual([404, 200]);
    await put(test.url, client.test);
    expect((await remove(client.live)).status).toBe(200);
    expect([(await get(client.test)).status, (await get(client.live)).status]).toEqual([200, 404]);
  });

  it('receive the orders of their own kind only', async () => {
    await put(live.url, client.live);
    await put(test.url, client.test);
    const { orderId } = await service.given.order({ token: client.live });
    const tried = (await client.order()).body.orderId;
    await deliver();
    const orders = ({ hooks }: WebhookReceiver) =>
      hooks.map(({ body }) => (JSON.parse(body) as { data: { orderId: string } }).data.orderId);
    expect([orders(live), orders(test)]).toEqual([[orderId], [tried]]);
  });

  it('leave the token and the hosts before and after in the audit trail', async () => {
    const { id: tokenId, token } = await service.given.issuedToken({ client: client.client });
    await put(live.url, token);
    await put(`${live.url}?secret-of-the-client`, token);
    await remove(token);
    const entries = await service.get(AuditService).list({ subjectType: 'webhook', limit: 3 });
    const host = new URL(live.url).host;
    const common = { client: client.client.id, test: false, token: tokenId, reason: null };
    expect(entries.map(({ action, details }) => [action, details])).toEqual([
      ['removed', { ...common, hostBefore: host, hostAfter: null }],
      ['replaced', { ...common, hostBefore: host, hostAfter: host }],
      ['added', { ...common, hostBefore: null, hostAfter: host }],
    ]);
  });

  it('notify the client’s contact by email of every change of the live one', async () => {
    const { token } = await service.given.issuedToken({ client: client.client });
    await put(test.url, client.test);
    await put(`${test.url}?other`, client.test);
    await deliver();
    expect(mail.mails).toEqual([]);

    await put(live.url, token);
    const { id } = (await service.get(WebhooksService).list()).at(-1)!;
    await service.get(WebhooksService).setEnabled(id, 'Moved', operator);
    await service.get(WebhooksService).remove(id, operator);
    await deliver();
    expect(mail.mails.map(({ to }) => to)).toEqual(Array(3).fill(['grace@reseller.example']));
    const sources = mail.mails.map(({ source }) => source);
    const { host } = new URL(live.url);
    const byAction = (action: string) =>
      sources.find((source) => source.includes(`A webhook was ${action}`)) ?? '';
    expect(byAction('added')).toMatch(new RegExp(`Host now: +${host}\\s`));
    expect(byAction('added')).toContain(`the access token …${token.slice(-4)}`);
    expect(byAction('removed')).toMatch(/Host now: +none/);
    expect(byAction('disabled')).toMatch(/Changed by: +the operator/);
    expect(sources.join('')).not.toContain('secret');
  });

  it('are shown and switched one by one on the page of the client', async () => {
    await put(live.url, client.live);
    await put(test.url, client.test);
    const admin = await StaffBrowser.signedIn(service, { role: 'admin' });
    const place = `/staff/clients/${client.client.id}`;
    const page = await admin.get(place);
    expect(page.text).toContain('<h2>Test webhook</h2>');
    const listed = await service.get(WebhooksService).list();
    const webhook = listed.find(({ url, isTest }) => url === test.url && isTest)!.id;
    const disabled = await admin.post(`${place}/webhook`, {
      webhook,
      enabled: 'no',
      reason: 'Quiet',
    });
    expect(way(disabled)).toEqual([303, `${place}?said=webhook-disabled`]);
    const states = (await service.get(WebhooksService).list())
      .filter(({ clientId }) => clientId === client.client.id)
      .map(({ isTest, enabled }) => [isTest, enabled]);
    expect(states).toEqual([
      [false, true],
      [true, false],
    ]);
    expect(facts(await admin.get(place)).State).toContain('Disabled: Quiet');
    const list = rows(await admin.get('/staff/clients'));
    expect(list.find(([name]) => name === client.client.name)?.[5]).toBe('Enabled');
    const other = await service.given.client();
    const foreign = await admin.post(`/staff/clients/${other.id}/webhook`, {
      webhook,
      enabled: 'yes',
    });
    expect(foreign.status).toBe(404);
  });
});
