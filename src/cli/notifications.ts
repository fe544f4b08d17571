import { type Command, Option } from 'commander';
import { operator } from '../audit/audit.service.js';
import { ClientsService } from '../clients/clients.service.js';
import { Refused } from '../problems/refused.js';
import { newId } from '../database/new-id.js';
import { Config } from '../config/config.js';
import { WebhookChannel } from '../notifications/channels/webhook.channel.js';
import { writeLetter } from '../notifications/letter.js';
import { MailerService } from '../notifications/channels/mailer.service.js';
import {
  type MessageState,
  messageStates,
  type OutboxMessage,
} from '../notifications/outbox-message.entity.js';
import { OutboxQueue } from '../notifications/outbox-queue.service.js';
import { WebhooksService } from '../notifications/webhooks.service.js';
import { addEnabling, addList, jsonOption, printRows, withService } from './context.js';

const never = new AbortController().signal;

export function addNotificationCommands(program: Command): void {
  addMessages(program.command('notifications').description('what people and systems are told'));
  addWebhooks(program.command('webhooks').description('where events of orders are posted'));
}

function addMessages(notifications: Command): void {
  notifications
    .command('list')
    .description('list the messages that wait and the dead letters, newest first')
    .addOption(
      new Option('--state <state>', 'only those in this state; can be repeated')
        .choices(messageStates)
        .argParser((value: string, earlier: MessageState[] = []) => {
          const state = messageStates.find((known) => known === value);
          if (state) return [...earlier, state];
          throw new Refused(`A state is one of ${messageStates.join(', ')}.`);
        }),
    )
    .option('--limit <n>', 'at most so many', '50')
    .addOption(jsonOption())
    .action(async (options: { state?: MessageState[]; limit: string; json: boolean }) => {
      const states = options.state ?? ['waiting', 'dead'];
      const most = Number(options.limit);
      if (!Number.isInteger(most) || most < 1 || most > 10_000) {
        throw new Refused('--limit must be a whole number from 1 to 10000.');
      }
      await withService(async (service) => {
        const queue = service.get(OutboxQueue);
        const rows = await queue.list(states, most);
        if (!options.json) {
          const counts = await queue.counts();
          console.log(messageStates.map((state) => `${counts[state] ?? 0} ${state}`).join(', '));
        }
        printRows(rows.map(shown), options.json);
      });
    });
  for (const [verb, done, description] of [
    ['resend', 'is due again', 'try dead, discarded or waiting messages again, now'],
    ['discard', 'is discarded', 'give dead or waiting messages up: nobody will be told'],
  ] as const) {
    notifications
      .command(`${verb} [ids...]`)
      .description(description)
      .option('--dead', 'all dead letters', false)
      .action(async (ids: string[], options: { dead: boolean }) => {
        if ((ids.length === 0) !== options.dead) throw new Refused('Name either ids or --dead.');
        await withService(async (service) => {
          const queue = service.get(OutboxQueue);
          const chosen = options.dead
            ? (await queue.list(['dead'], 10_000)).map(({ id }) => id)
            : ids;
          if (chosen.length === 0) console.log('There are no dead letters.');
          await queue[verb](chosen, operator);
          for (const id of chosen) console.log(`${id} ${done}.`);
        });
      });
  }
  notifications
    .command('test')
    .description('send a test e-mail, or a test event to a webhook, at once')
    .option('--to <address>', 'send the e-mail there and not to SALES_INBOX')
    .option('--webhook <id>', 'post to this webhook instead')
    .action(async (options: { to?: string; webhook?: string }) => {
      await withService(async (service) => {
        const id = newId();
        const begun = Date.now();
        const receiver =
          options.webhook === undefined
            ? await testMail(service.get(MailerService), service.get(Config), id, options.to)
            : await testWebhook(service.get(WebhookChannel), id, options.webhook);
        console.log(`${receiver} took the test ${id} after ${Date.now() - begun} ms.`);
      });
    });
}

async function testMail(mailer: MailerService, config: Config, id: string, to?: string) {
  if (!mailer.on) throw new Refused('E-mail is off: set SMTP_URL.');
  const recipients = to === undefined ? config.salesInbox : [{ name: '', address: to }];
  if (recipients.length === 0) throw new Refused('Set SALES_INBOX, or name an address with --to.');
  const letter = writeLetter({
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

function addWebhooks(webhooks: Command): void {
  webhooks
    .command('add <url>')
    .description("add an endpoint: the operator's own, told of all orders, or an API client's")
    .option('--client <id-or-name>', "told of this API client's orders only")
    .action(async (url: string, options: { client?: string }) => {
      await withService(async (service) => {
        const client =
          options.client === undefined
            ? null
            : await service.get(ClientsService).find(options.client);
        const webhooks = service.get(WebhooksService);
        if (client && (await webhooks.ofClient(client.id))) {
          throw new Refused(`${client.name} has a webhook already; remove it first.`);
        }
        const { endpoint, secret } = await webhooks.add(url, client?.id ?? null, operator);
        console.log(secret);
        console.error(
          `Webhook ${endpoint.id} is added. Above is its signing secret: it is not shown again. Next: notifications test --webhook ${endpoint.id}`,
        );
      });
    });
  addList(
    webhooks,
    {
      description: 'list the endpoints, without their secrets',
      none: 'There are no webhooks yet.',
    },
    (service) => service.get(WebhooksService).list(),
  );
  webhooks
    .command('rotate <id>')
    .description(
      'add a signing secret; messages carry a signature of the old one too, until retire',
    )
    .action(async (id: string) => {
      const secret = await withService((service) =>
        service.get(WebhooksService).rotate(id, operator),
      );
      console.log(secret);
      console.error(`Once the receiver knows it: webhooks retire ${id}`);
    });
  webhooks
    .command('retire <id>')
    .description('drop all signing secrets but the newest')
    .action(async (id: string) => {
      await withService((service) => service.get(WebhooksService).retire(id, operator));
      console.log(`Only the newest secret of ${id} signs now.`);
    });
  addEnabling(
    webhooks,
    'id',
    { enable: 'post to it again', disable: 'post nothing to it from now on' },
    async (service, id, enabled) => {
      const reason = enabled ? null : 'Disabled by the operator.';
      await service.get(WebhooksService).setEnabled(id, reason, operator);
      return id;
    },
  );
  webhooks
    .command('remove <id>')
    .description('forget the endpoint and its secrets')
    .action(async (id: string) => {
      await withService((service) => service.get(WebhooksService).remove(id, operator));
      console.log(`${id} is removed.`);
    });
}

function shown(message: OutboxMessage) {
  const { id, channel, kind, subjectId, state, attempts, dueAt, lastError } = message;
  return { id, channel, kind, about: subjectId, state, attempts, dueAt, lastError };
}
