import { expect, test } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { loadavg } from 'node:os';
import { setTimeout as wait } from 'node:timers/promises';
import { operator } from '../../src/platform/audit/audit.service.js';
import { WebhooksService } from '../../src/platform/notifications/webhooks.service.js';
import { later } from '../support/closing.js';
import { Http } from '../support/http.js';
import { Ledger } from '../support/ledger.js';
import { MailServer } from '../support/mail-server.js';
import { order } from '../support/orders.js';
import { freePort } from '../support/postgres.js';
import { PostgresMachine } from '../support/postgres-machine.js';
import { startService } from '../support/service.js';
import { WebhookReceiver } from '../support/webhook-receiver.js';
import { PgBouncer } from './pgbouncer.js';
import { Instance } from './processes.js';

/** Seconds of each fault, and after it. */
const [FAULT, AFTER] = [6, 4];
const ORDERERS = 4;
/** Milliseconds. */
const PAUSE = 150;
/** Seconds in which all messages must have arrived: a lease of two minutes, and the first delays. */
const PATIENCE = 300;

interface Fault {
  readonly name: string;
  readonly begin: () => Promise<unknown> | void;
  readonly end: () => Promise<unknown> | void;
}

/** How often each has arrived, by the id of the order. */
type Arrivals = Map<string, number>;

test('messages about orders arrive through faults of PgBouncer, PostgreSQL, instances and receivers', async () => {
  const machine = await PostgresMachine.start();
  const database = await machine.newDatabase();
  const mail = await MailServer.start();
  const mailPort = mail.port;
  const hooks = await WebhookReceiver.start();
  const webhookKey = randomBytes(32);
  const config = { webhookKey, webhookNetworks: ['127.0.0.0/8'] };
  const seed = await startService('postgres', { database, config });
  await seed.given.catalogue();
  const token = await seed.given.token({ days: 3_650 });
  await seed.get(WebhooksService).add(hooks.url, null, operator);
  await seed.close();
  const pooler = await PgBouncer.before(database.databaseUrl!);
  const environment = {
    ...{
      DATABASE_URL: pooler.url,
      ALLOW_INSECURE: 'no-rate-limits',
      LOG_LEVEL: 'error',
      NODE_ENV: 'test',
    },
    ...{ WEBHOOK_KEY: webhookKey.toString('base64'), WEBHOOK_NETWORKS: '127.0.0.0/8' },
    ...{ SMTP_URL: `smtp://127.0.0.1:${mail.port}`, MAIL_FROM: 'orders@operator.example' },
    SALES_INBOX: 'sales@operator.example',
  };
  const instances = [
    new Instance(await freePort(), environment),
    new Instance(await freePort(), environment),
  ];
  await Promise.all(instances.map((instance) => instance.start()));
  const clients = instances.map(({ port }) => new Http(port));
  later(() => Promise.resolve(clients.forEach((http) => http.close())));

  const answer = hooks.answer;
  const faults: readonly Fault[] = [
    { name: 'PgBouncer is killed', begin: () => pooler.kill(), end: () => pooler.start() },
    { name: 'PgBouncer freezes', begin: () => pooler.freeze(), end: () => pooler.thaw() },
    { name: 'PostgreSQL stops', begin: () => machine.stop(), end: () => machine.restart() },
    { name: 'PostgreSQL freezes', begin: () => machine.freeze(), end: () => machine.thaw() },
    {
      name: 'an instance is killed',
      begin: () => instances[0]!.stop('SIGKILL'),
      end: () => instances[0]!.start(),
    },
    {
      name: 'receivers refuse',
      begin: () => {
        hooks.answer = (response) => response.writeHead(500).end();
        mail.rules = { refuseMessage: () => 451 };
      },
      end: () => {
        hooks.answer = answer;
        mail.rules = {};
      },
    },
    {
      name: 'the receiver of webhooks is silent',
      begin: () => void (hooks.answer = () => undefined),
      end: () => void (hooks.answer = answer),
    },
    {
      name: 'the mail server goes away with messages that it has not answered',
      begin: async () => {
        mail.rules = { slow: 60_000 };
        await wait((FAULT / 2) * 1_000);
        await mail.stop();
      },
      end: async () => {
        mail.rules = {};
        await mail.listen(mailPort);
      },
    },
  ];

  let done = false;
  let n = 0;
  const placed = new Map<string, { readonly id: string; readonly reference: string }>();
  const answers = new Map<string, number>();
  const place = async () => {
    while (!done) {
      const key = `message-${(n += 1)}`;
      for (let attempt = n; ; attempt += 1) {
        // A connection that breaks is no answer.
        const reply = await order(clients[attempt % 2]!, token, key, key).catch(() => undefined);
        const status = String(reply?.status ?? 'none');
        answers.set(status, (answers.get(status) ?? 0) + 1);
        await wait(PAUSE);
        if (reply?.status !== 201) continue;
        const [reference] = /ORD-\w{6}/.exec(reply.body.message!)!;
        placed.set(key, { id: reply.body.orderId!, reference });
        break;
      }
    }
  };
  const fail = async () => {
    for (const { begin, end } of faults) {
      await begin();
      await wait(FAULT * 1_000);
      await end();
      await wait(AFTER * 1_000);
    }
    done = true;
  };
  await Promise.all([...Array.from({ length: ORDERERS }, place), fail()]);

  const start = performance.now();
  const stored = await new Ledger(database).counts('message-');
  const arrivals = { hooks: new Map() as Arrivals, mails: new Map() as Arrivals };
  const count = () => {
    const webhookIds = new Map<string, unknown[]>();
    for (const { body, headers } of hooks.hooks) {
      const [, id = ''] = /"orderId":"([^"]+)"/.exec(body) ?? [];
      webhookIds.set(id, [...(webhookIds.get(id) ?? []), headers['webhook-id']]);
    }
    const letters = new Map<string, number>();
    for (const { source } of mail.mails) {
      const [, reference = ''] = /^Subject: New order (ORD-\w{6})/m.exec(source) ?? [];
      letters.set(reference, (letters.get(reference) ?? 0) + 1);
    }
    for (const { id, reference } of placed.values()) {
      const about = webhookIds.get(id) ?? [];
      arrivals.hooks.set(id, about.length);
      // A repetition has the id of the first, by which the receiver knows it.
      expect(new Set(about).size).toBeLessThan(2);
      arrivals.mails.set(id, letters.get(reference) ?? 0);
    }
    return [...arrivals.hooks.values(), ...arrivals.mails.values()].filter((times) => times === 0);
  };
  while (count().length > 0 && performance.now() - start < PATIENCE * 1_000) await wait(2_000);
  const repeated = (of: Arrivals) => [...of.values()].filter((times) => times > 1).length;
  process.stdout.write(
    `${placed.size} orders acknowledged, answers ${JSON.stringify(Object.fromEntries(answers))}; all messages ${Math.round((performance.now() - start) / 1_000)} s after the last fault; sent again: ${repeated(arrivals.hooks)} webhooks, ${repeated(arrivals.mails)} emails; load average ${loadavg()[0]!.toFixed(1)}\n`,
  );
  expect([...placed.keys()].filter((key) => stored.get(key) !== 1)).toEqual([]);
  expect(stored.size).toBe(placed.size);
  expect(count()).toEqual([]);
  expect(
    Object.keys(Object.fromEntries(answers)).filter((one) => !/^(201|503|none)$/.test(one)),
  ).toEqual([]);
});
