import { afterAll, afterEach, beforeAll, beforeEach, expect, it, jest } from '@jest/globals';
import { globSync } from 'node:fs';
import { basename } from 'node:path';
import { runCommand } from '../../src/cli/commands.js';
import {
  type Channel,
  type ChannelMessage,
  NotificationChannel,
} from '../../src/platform/notifications/channel.js';
import { DeliveryFailed } from '../../src/platform/notifications/messages/backoff.js';
import { EmailKindsService } from '../../src/platform/notifications/messages/email-kinds.service.js';
import { DeliveryService } from '../../src/platform/notifications/delivery.service.js';
import { NotificationsModule } from '../../src/platform/notifications/notifications.module.js';
import type { OrderEvent } from '../../src/platform/notifications/messages/order-event.js';
import {
  type OutboxMessage,
  messageStates,
} from '../../src/platform/notifications/messages/outbox-message.entity.js';
import { OutboxRepository } from '../../src/platform/notifications/outbox.repository.js';
import { environmentOf } from '../support/databases.js';
import { onOneEngine, type Service, startService } from '../support/service.js';
import { StaffBrowser } from '../support/staff-browser.js';

/** A channel that only this test has. */
@NotificationChannel()
class PagerChannel implements Channel {
  readonly name = 'pager';
  readonly label = 'Pager';
  readonly slots = 1;
  readonly enabled = true;
  readonly reportsOrders = true;
  failure: DeliveryFailed | undefined;
  readonly delivered: (string | null)[] = [];

  warnings() {
    return ['The pager has no night shift.'];
  }

  messagesFor(event: OrderEvent): ChannelMessage[] {
    return event.type === 'order.received'
      ? [{ kind: event.type, body: event.order.reference }]
      : [];
  }

  describe(messages: readonly OutboxMessage[]) {
    return Promise.resolve(messages.map(({ body }) => `Pager of the engineer, ${body}`));
  }

  deliver({ body }: OutboxMessage): Promise<void> {
    if (this.failure) return Promise.reject(this.failure);
    this.delivered.push(body);
    return Promise.resolve();
  }
}

const providers = Reflect.getMetadata('providers', NotificationsModule) as unknown[];
const provide = (all: unknown[]) => Reflect.defineMetadata('providers', all, NotificationsModule);
beforeAll(() => provide([...providers, PagerChannel]));
afterAll(() => provide(providers));

onOneEngine('A notification channel that is registered as a provider', (engine) => {
  const { env } = process;
  let service: Service;
  let pager: PagerChannel;
  let reference: string;
  const deliver = () => service.get(DeliveryService).deliverDue();
  /** Fails the first delivery of the message, and succeeds with the second. */
  const deliverAtSecondAttempt = async () => {
    pager.failure = new DeliveryFailed('No signal.');
    await deliver();
    pager.failure = undefined;
    service.clock.advance({ seconds: 6 });
    await deliver();
  };
  const messages = () => service.get(OutboxRepository).list(messageStates, 10);

  beforeEach(async () => {
    service = await startService(engine);
    pager = service.get(PagerChannel);
    await service.given.catalogue();
    await service.given.order();
    const [message] = await messages();
    reference = message!.body!;
    expect(reference).toMatch(/^ORD-/);
  });
  afterEach(() => {
    process.env = env;
    jest.restoreAllMocks();
  });

  it('retries a failed message after a delay', async () => {
    pager.failure = new DeliveryFailed('No signal.');
    await deliver();
    await deliver();
    expect(await messages()).toMatchObject([
      { channel: 'pager', state: 'waiting', attempts: 1, lastError: 'No signal.' },
    ]);
    pager.failure = undefined;
    service.clock.advance({ seconds: 6 });
    await deliver();
    expect(pager.delivered).toEqual([reference]);
    expect(await messages()).toMatchObject([{ state: 'delivered', attempts: 2, lastError: null }]);
  });

  it('has its messages in the list of the command', async () => {
    await deliverAtSecondAttempt();
    process.env = { ...env, ...environmentOf(service.config) };
    const print = jest.spyOn(console, 'log').mockReturnValue();
    jest.spyOn(console, 'error').mockReturnValue(); // which database it reads
    await runCommand(['notifications', 'list', '--state', 'delivered', '--json']);
    const lines = print.mock.calls.map(([line]) => JSON.parse(String(line)) as unknown);
    expect(lines).toEqual([
      expect.objectContaining({ channel: 'pager', kind: 'order.received', attempts: 2 }),
    ]);
  });

  it('has its messages and warnings on the page', async () => {
    await deliverAtSecondAttempt();
    const admin = await StaffBrowser.signedIn(service, { role: 'admin' });
    const { text } = await admin.get('/staff/notifications?state=delivered');
    expect(text).toContain(`Pager of the engineer, ${reference}`);
    expect(text).toContain('The pager has no night shift.');
  });

  it('has its warnings logged at the start, and counts as a report of new orders', () => {
    service.get(DeliveryService).warnOfSilences();
    expect(service.log.lines.join('\n')).toContain('The pager has no night shift.');
    expect(service.log.lines.join('\n')).not.toContain('No one is notified');
  });

  it('has its messages deleted a month after delivery', async () => {
    await deliverAtSecondAttempt();
    service.clock.advance({ days: 29 });
    expect(await service.get(OutboxRepository).prune()).toBe(0);
    service.clock.advance({ days: 2 });
    expect(await service.get(OutboxRepository).prune()).toBe(1);
    expect(await messages()).toEqual([]);
  });

  it('leaves no file of words without its kind of email', () => {
    const files = globSync('src/**/emails/*.md').map((path) => basename(path, '.md'));
    const { all } = service.get(EmailKindsService);
    expect(files.sort()).toEqual(all.map(({ code }) => code).sort());
  });
});
