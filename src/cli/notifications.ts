import { Option } from 'commander';
import { LIVE, SANDBOX } from '../platform/database/sides.js';
import { operator } from '../platform/audit/audit.service.js';
import { ClientsService } from '../clients/clients.service.js';
import { Refused } from '../platform/problems/refused.js';
import { newId } from '../platform/database/new-id.js';
import { Config } from '../platform/config/config.js';
import { WebhookChannel } from '../platform/notifications/webhook.channel.js';
import { writeEmail } from '../platform/notifications/messages/email.js';
import { MailerService } from '../platform/notifications/mailer.service.js';
import {
  type MessageState,
  messageStates,
  type OutboxMessage,
} from '../platform/notifications/messages/outbox-message.entity.js';
import { failureWords } from '../platform/notifications/message-words.js';
import { OutboxRepository } from '../platform/notifications/outbox.repository.js';
import type { TrialPayload } from '../platform/notifications/messages/webhook-payloads.dto.js';
import { WebhooksService } from '../platform/notifications/webhooks.service.js';
import { type JsonOption, limitOption } from './options.js';
import type { ServiceCommand } from './service-command.js';

const never = new AbortController().signal;

interface ListOptions extends JsonOption {
  readonly state: readonly MessageState[];
  readonly limit: number;
}

interface TestOptions {
  readonly to?: string;
  readonly webhook?: string;
  readonly enable: boolean;
}

export function addMessageCommands(notifications: ServiceCommand): void {
  notifications
    .addList(null, async (services, { state, limit, json }: ListOptions) => {
      const queue = services.get(OutboxRepository);
      if (!json) {
        const counts = await queue.counts();
        console.log(messageStates.map((state) => `${counts[state] ?? 0} ${state}`).join(', '));
      }
      return (await queue.list(state, limit)).map(shown);
    })
    .addOption(
      new Option('--state <state...>', 'only messages in these states')
        .choices(messageStates)
        .default(['waiting', 'dead']),
    )
    .addOption(limitOption(50, 10_000));
  notifications
    .add('resend [ids...]')
    .option('--dead', 'all failed messages', false)
    .using(OutboxRepository, async (queue, ids: string[], { dead }: { dead: boolean }) => {
      if ((ids.length === 0) !== dead) throw new Refused('Name either ids or --dead.');
      const chosen = dead ? (await queue.list(['dead'], 10_000)).map(({ id }) => id) : ids;
      if (chosen.length === 0) console.log('There are no failed messages.');
      await queue.resend(chosen, operator);
      for (const id of chosen) console.log(`${id} is due again.`);
    });
  notifications
    .add('test')
    .option('--to <address>', 'recipient; default: SALES_INBOX')
    .option('--webhook <id>', 'post to this webhook instead')
    .option('--enable', 'and deliver to it again, if it is disabled', false)
    .inService(async (services, { to, webhook, enable }: TestOptions) => {
      if (enable) {
        if (webhook === undefined) throw new Refused('--enable needs --webhook.');
        await services.get(WebhooksService).setEnabled(webhook, null, operator);
      }
      const id = newId();
      const start = Date.now();
      const receiver =
        webhook === undefined
          ? await testMail(services.get(MailerService), services.get(Config), id, to)
          : await testWebhook(services.get(WebhookChannel), id, webhook);
      console.log(`${receiver} accepted the test ${id} after ${Date.now() - start} ms.`);
    });
}

async function testMail(mailer: MailerService, config: Config, id: string, to?: string) {
  if (!config.smtp) throw new Refused('Email is off: set SMTP_URL.');
  const recipients = to === undefined ? config.salesInbox : [{ name: '', address: to }];
  if (recipients.length === 0) throw new Refused('Set SALES_INBOX, or name an address with --to.');
  const letter = writeEmail({
    to: recipients,
    subject: 'Test of the Product Availability Service',
    parts: [{ paragraph: 'This is a test. If you can read it, email works.' }],
  });
  const { refused } = await mailer.send(letter, id, never);
  const server = `${config.smtp.host}:${config.smtp.port}`;
  const some = refused.length;
  return some === 0 ? server : `${server} refused ${some} of the recipients, but`;
}

async function testWebhook(channel: WebhookChannel, id: string, endpointId: string) {
  const payload: TrialPayload = { type: 'webhook.test', timestamp: new Date(), data: {} };
  const body = JSON.stringify(payload);
  await channel.post(endpointId, { id, body }, never);
  return `Webhook ${endpointId}`;
}

interface WebhookOptions {
  readonly client?: string;
  readonly test: boolean;
}

export function addWebhookCommands(webhooks: ServiceCommand): void {
  webhooks
    .add('add <url>')
    .option('--client <id-or-name>', 'for the orders of this API client only')
    .option('--test', 'for the test orders of the client, not its live ones', false)
    .inService(async (services, url: string, options: WebhookOptions) => {
      const { client: idOrName, test } = options;
      if (test && idOrName === undefined) throw new Refused('--test needs --client.');
      const client =
        idOrName === undefined ? null : await services.get(ClientsService).find(idOrName);
      const webhooks = services.get(WebhooksService);
      const owner = client && { clientId: client.id, ...(test ? SANDBOX : LIVE) };
      if (client && owner && (await webhooks.ofClient(owner))) {
        const kind = test ? 'test' : 'live';
        throw new Refused(`${client.name} has a ${kind} webhook already; remove it first.`);
      }
      if (await webhooks.opensNone()) {
        throw new Refused(
          'WEBHOOK_KEY opens no secret of the webhooks in the database: set it to the key of the service. If that is lost, remove these webhooks first.',
        );
      }
      const { endpoint, secret } = await webhooks.add(url, owner, operator);
      console.log(secret);
      console.error(
        `Webhook ${endpoint.id} is added. Above is its signing secret, which is not shown again. Next: notifications test --webhook ${endpoint.id}`,
      );
    });
  webhooks.addList('There are no webhooks yet.', (services) =>
    services.get(WebhooksService).list(),
  );
  webhooks.add('rotate <id>').using(WebhooksService, async (webhooks, id: string) => {
    console.log(await webhooks.rotate(id, operator));
    console.error(`Once the receiver knows it: webhooks retire ${id}`);
  });
  webhooks.add('retire <id>').using(WebhooksService, async (webhooks, id: string) => {
    await webhooks.retire(id, operator);
    console.log(`Only the newest secret of ${id} now signs.`);
  });
  webhooks.add('remove <id>').using(WebhooksService, async (webhooks, id: string) => {
    await webhooks.remove(id, operator);
    console.log(`${id} is removed.`);
  });
}

function shown(message: OutboxMessage) {
  const { id, channel, kind, subjectId, state, attempts, dueAt, lastError } = message;
  const failure = lastError && failureWords(lastError);
  return { id, channel, kind, about: subjectId, state, attempts, dueAt, failure, lastError };
}
