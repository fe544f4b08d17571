import { Option } from 'commander';
import { operator } from '../audit/audit.service.js';
import { ClientsService } from '../clients/clients.service.js';
import { Refused } from '../problems/refused.js';
import { newId } from '../database/new-id.js';
import { Config } from '../config/config.js';
import { WebhookChannel } from '../notifications/channels/webhook.channel.js';
import { writeEmail } from '../notifications/email.js';
import { MailerService } from '../notifications/channels/mailer.service.js';
import {
  type MessageState,
  messageStates,
  type OutboxMessage,
} from '../notifications/outbox-message.entity.js';
import { OutboxRepository } from '../notifications/outbox.repository.js';
import { WebhooksService } from '../notifications/webhooks.service.js';
import { type JsonOption, limitOption } from './options.js';
import type { ServiceCommand } from './service-command.js';

const never = new AbortController().signal;

export function addNotificationCommands(program: ServiceCommand): void {
  addMessages(program.add('notifications', 'messages to people and systems'));
  addWebhooks(program.add('webhooks', 'where events of orders are posted'));
}

interface ListOptions extends JsonOption {
  readonly state: readonly MessageState[];
  readonly limit: number;
}

function addMessages(notifications: ServiceCommand): void {
  notifications
    .addList(
      'list the messages that wait and the dead letters, newest first',
      null,
      async (services, { state, limit, json }: ListOptions) => {
        const queue = services.get(OutboxRepository);
        if (!json) {
          const counts = await queue.counts();
          console.log(messageStates.map((state) => `${counts[state] ?? 0} ${state}`).join(', '));
        }
        return (await queue.list(state, limit)).map(shown);
      },
    )
    .addOption(
      new Option('--state <state...>', 'only those in these states')
        .choices(messageStates)
        .default(['waiting', 'dead']),
    )
    .addOption(limitOption(50, 10_000));
  for (const [verb, done, description] of [
    ['resend', 'is due again', 'try dead, discarded or waiting messages again, now'],
    ['discard', 'is discarded', 'give up dead or waiting messages: they are never delivered'],
  ] as const) {
    notifications
      .add(`${verb} [ids...]`, description)
      .option('--dead', 'all dead letters', false)
      .inService(async (services, ids: string[], { dead }: { dead: boolean }) => {
        if ((ids.length === 0) !== dead) throw new Refused('Name either ids or --dead.');
        const queue = services.get(OutboxRepository);
        const chosen = dead ? (await queue.list(['dead'], 10_000)).map(({ id }) => id) : ids;
        if (chosen.length === 0) console.log('There are no dead letters.');
        await queue[verb](chosen, operator);
        for (const id of chosen) console.log(`${id} ${done}.`);
      });
  }
  notifications
    .add('test', 'send a test e-mail, or a test event to a webhook, at once')
    .option('--to <address>', 'send the e-mail there and not to SALES_INBOX')
    .option('--webhook <id>', 'post to this webhook instead')
    .inService(async (services, { to, webhook }: { to?: string; webhook?: string }) => {
      const id = newId();
      const start = Date.now();
      const receiver =
        webhook === undefined
          ? await testMail(services.get(MailerService), services.get(Config), id, to)
          : await testWebhook(services.get(WebhookChannel), id, webhook);
      console.log(`${receiver} took the test ${id} after ${Date.now() - start} ms.`);
    });
}

async function testMail(mailer: MailerService, config: Config, id: string, to?: string) {
  if (!mailer.on) throw new Refused('E-mail is off: set SMTP_URL.');
  const recipients = to === undefined ? config.salesInbox : [{ name: '', address: to }];
  if (recipients.length === 0) throw new Refused('Set SALES_INBOX, or name an address with --to.');
  const letter = writeEmail({
    to: recipients,
    subject: 'Test of the Product Availability Service',
    parts: [{ paragraph: 'This is a test. If you can read it, e-mail works.' }],
  });
  const refused = await mailer.send(letter, id, never);
  const server = `${config.smtp?.host}:${config.smtp?.port}`;
  return refused === 0 ? server : `${server} refused ${refused} of the recipients, but`;
}

async function testWebhook(channel: WebhookChannel, id: string, endpointId: string) {
  const body = JSON.stringify({
    type: 'webhook.test',
    timestamp: new Date().toISOString(),
    data: {},
  });
  await channel.post(endpointId, { id, body, trace: null }, never);
  return `Webhook ${endpointId}`;
}

function addWebhooks(webhooks: ServiceCommand): void {
  webhooks
    .add('add <url>', "add an endpoint: the operator's own, for all orders, or an API client's")
    .option('--client <id-or-name>', "for this API client's orders only")
    .inService(async (services, url: string, { client: idOrName }: { client?: string }) => {
      const client =
        idOrName === undefined ? null : await services.get(ClientsService).find(idOrName);
      const webhooks = services.get(WebhooksService);
      if (client && (await webhooks.ofClient(client.id))) {
        throw new Refused(`${client.name} has a webhook already; remove it first.`);
      }
      const { endpoint, secret } = await webhooks.add(url, client?.id ?? null, operator);
      console.log(secret);
      console.error(
        `Webhook ${endpoint.id} is added. Above is its signing secret: it is not shown again. Next: notifications test --webhook ${endpoint.id}`,
      );
    });
  webhooks.addList(
    'list the endpoints, without their secrets',
    'There are no webhooks yet.',
    (services) => services.get(WebhooksService).list(),
  );
  webhooks
    .add(
      'rotate <id>',
      'add a signing secret; messages carry a signature of the old one too, until retire',
    )
    .inService(async (services, id: string) => {
      console.log(await services.get(WebhooksService).rotate(id, operator));
      console.error(`Once the receiver knows it: webhooks retire ${id}`);
    });
  webhooks
    .add('retire <id>', 'drop all signing secrets but the newest')
    .inService(async (services, id: string) => {
      await services.get(WebhooksService).retire(id, operator);
      console.log(`Only the newest secret of ${id} signs now.`);
    });
  webhooks.addSwitches(
    '<id>',
    { enable: 'post to it again', disable: 'post nothing to it from now on' },
    async (services, id, enabled) => {
      const reason = enabled ? null : 'Disabled by the operator.';
      await services.get(WebhooksService).setEnabled(id, reason, operator);
      return id;
    },
  );
  webhooks
    .add('remove <id>', 'forget the endpoint and its secrets')
    .inService(async (services, id: string) => {
      await services.get(WebhooksService).remove(id, operator);
      console.log(`${id} is removed.`);
    });
}

function shown(message: OutboxMessage) {
  const { id, channel, kind, subjectId, state, attempts, dueAt, lastError } = message;
  return { id, channel, kind, about: subjectId, state, attempts, dueAt, lastError };
}
