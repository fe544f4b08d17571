import { expect, it } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { operator } from '../../src/platform/audit/audit.service.js';
import { DeliveryService } from '../../src/platform/notifications/delivery.service.js';
import { WebhooksService } from '../../src/platform/notifications/webhooks.service.js';
import { readSmtpUrl } from '../../src/platform/config/addresses.js';
import { environmentOf, newDatabase } from '../support/databases.js';
import { MailServer } from '../support/mail-server.js';
import { cli } from '../support/processes.js';
import { WebhookReceiver } from '../support/webhook-receiver.js';
import { onOneEngine, startService } from '../support/service.js';

onOneEngine('The commands', (engine) => {
  it('list dead letters, resend them, and send a test', async () => {
    const server = await MailServer.start();
    const url = `smtp://localhost:${server.port}`;
    const database = await newDatabase(engine);
    const settings = {
      ...environmentOf(database),
      SMTP_URL: url,
      MAIL_FROM: 'orders@operator.example',
      SALES_INBOX: 'sales@operator.example',
    };
    const command = async (...words: string[]) => {
      const { code, stdout, stderr } = await cli(settings, ...words);
      return [String(code), stdout + stderr];
    };
    const service = await startService(engine, {
      database,
      config: {
        smtp: readSmtpUrl(url) ?? null,
        mailFrom: { name: '', address: 'orders@operator.example' },
        salesInbox: [{ name: '', address: 'sales@operator.example' }],
      },
    });
    await service.given.catalogue();
    await service.given.order();
    server.rules = { refuseRecipient: () => 550 };
    await service.get(DeliveryService).deliverDue();
    server.rules = {};

    const [listed, tested] = await Promise.all([
      command('notifications', 'list', '--state', 'dead'),
      command('notifications', 'test', '--to', 'me@example.net'),
    ]);
    expect(listed).toEqual(['0', expect.stringMatching(/0 waiting, 1 dead[^]*new-order[^]*550/)]);
    expect(tested).toEqual(['0', expect.stringMatching(/^localhost:\d+ accepted the test/)]);
    expect(await command('notifications', 'resend', '--dead')).toEqual([
      '0',
      expect.stringContaining('is due again.'),
    ]);
    service.clock.advance({ days: 3_650 });
    await service.get(DeliveryService).deliverDue();
    expect(server.mails.map(({ to }) => to[0])).toEqual([
      'me@example.net',
      'sales@operator.example',
    ]);
    expect(await command('notifications', 'resend', 'nonsense')).toEqual([
      '1',
      expect.stringContaining('Nothing was changed.'),
    ]);
  });

  it('deliver to a disabled webhook again', async () => {
    const receiver = await WebhookReceiver.start();
    const database = await newDatabase(engine);
    const key = randomBytes(32);
    const network = '127.0.0.0/8';
    const settings = {
      ...environmentOf(database),
      WEBHOOK_KEY: key.toString('base64'),
      WEBHOOK_NETWORKS: network,
    };
    const config = { webhookKey: key, webhookNetworks: [network] };
    const service = await startService(engine, { database, config });
    const webhooks = service.get(WebhooksService);
    const { endpoint } = await webhooks.add(receiver.url, null, operator);
    await webhooks.setEnabled(endpoint.id, 'It answered 410 Gone.', operator);
    const test = async (...words: string[]) => {
      const { code, stdout, stderr } = await cli(settings, 'notifications', 'test', ...words);
      return [code, stdout + stderr];
    };
    const words = ['--webhook', endpoint.id];
    expect(await test('--enable')).toEqual([1, '--enable needs --webhook.\n']);
    expect(await test(...words)).toEqual([1, 'The webhook is disabled or removed.\n']);
    expect(await test(...words, '--enable')).toEqual([0, expect.stringContaining('accepted')]);
    expect([receiver.hooks.length, await webhooks.list()]).toEqual([1, [endpoint]]);
  });

  it('accept only webhooks to which the service would deliver', async () => {
    const database = await newDatabase(engine);
    const service = await startService(engine, { database });
    const { id } = await service.given.client();
    const shared = {
      ...environmentOf(database),
      WEBHOOK_KEY: randomBytes(32).toString('base64'),
      WEBHOOK_NETWORKS: '10.0.0.0/8',
    };
    const add = async (settings: Record<string, string>, ...words: string[]) => {
      const { code, stderr } = await cli({ ...shared, ...settings }, 'webhooks', 'add', ...words);
      return code === 0 ? 'added' : stderr.trim();
    };
    const [http, inside] = ['http://crm.example.net/orders', 'https://10.1.2.3/x'];
    const [needsTls, notPublic] = [
      'The URL must start with https://.',
      'The address is not on the public internet.',
    ];
    // The unit of the service sets NODE_ENV; the file of its settings, which commands share, has PUBLIC_URL.
    const ofUnit = { PUBLIC_URL: 'https://api.example.net' };
    expect(await add(ofUnit, http)).toBe(needsTls);
    expect(await add(ofUnit, http, '--client', id)).toBe(needsTls);
    expect(await add(ofUnit, inside, '--client', id)).toBe(notPublic);
    expect(await add(ofUnit, inside)).toBe('added');
    const withoutTls = { PUBLIC_URL: 'http://10.0.0.5', ALLOW_INSECURE: 'http' };
    expect(await add(withoutTls, http)).toBe(needsTls);
    const inProduction = { PUBLIC_URL: 'http://localhost:3000', NODE_ENV: 'production' };
    expect(await add(inProduction, http)).toBe(needsTls);
    // Commands need no other setting of production.
    expect(await add({ NODE_ENV: 'production' }, http)).toBe(needsTls);
    expect(await add({}, http)).toBe('added');
    expect(await add({ ...ofUnit, NODE_ENV: 'test' }, inside, '--client', id)).toBe('added');
  });
});
