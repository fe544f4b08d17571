import { Clock } from '../../kernel/clock.js';
import { Config } from '../../config/config.js';
import { Transactions } from '../../database/transactions.js';
import { DeliveryFailed, NothingToDeliver } from '../delivery-failed.js';
import { EmailFactsService } from '../email-facts.service.js';
import { isEmailKind, type EmailKind, emailOf } from '../email-texts.js';
import type { OrderEvent } from '../order-event.js';
import type { OutboxMessage } from '../outbox-message.entity.js';
import { type Channel, type ChannelMessage, NotificationChannel } from './channel.js';
import { MailerService } from './mailer.service.js';

/** Emails the sales inbox and the contacts of orders and tokens. */
@NotificationChannel()
export class EmailChannel implements Channel {
  readonly name = 'email';
  readonly label = 'E-mail';
  readonly slots = 4;

  constructor(
    private readonly mailer: MailerService,
    private readonly sources: EmailFactsService,
    private readonly transactions: Transactions,
    private readonly clock: Clock,
    private readonly config: Config,
  ) {}

  get enabled(): boolean {
    return this.mailer.on;
  }

  get reportsOrders(): boolean {
    return this.sends('new-order');
  }

  /** Whether emails of this kind are sent at all. */
  sends(kind: EmailKind): boolean {
    if (!this.enabled) return false;
    if (kind === 'acknowledgement') return this.config.acknowledgeOrders;
    return kind === 'token-expiry' || this.config.salesInbox.length > 0;
  }

  warnings(): readonly string[] {
    if (!this.enabled) return ['E-mail is off: SMTP_URL is not set.'];
    return this.config.salesInbox.length > 0
      ? []
      : ['SALES_INBOX is not set: no e-mail tells of new orders.'];
  }

  /** A test order causes no email. */
  messagesFor(event: OrderEvent, isTest: boolean): readonly ChannelMessage[] {
    if (event.type !== 'order.received' || isTest) return [];
    const kinds: readonly EmailKind[] =
      event.order.contactEmail === null ? ['new-order'] : ['new-order', 'acknowledgement'];
    return kinds.filter((kind) => this.sends(kind)).map((kind) => ({ kind }));
  }

  describe(messages: readonly OutboxMessage[]): Promise<readonly string[]> {
    return Promise.resolve(messages.map(() => this.label));
  }

  async deliver({ id, kind, subjectId }: OutboxMessage, signal: AbortSignal): Promise<void> {
    if (!isEmailKind(kind)) throw new DeliveryFailed(`No email is called ${kind}.`);
    const facts = await this.transactions.read((tx) => this.sources.facts(kind, tx, subjectId));
    if (!facts) throw new NothingToDeliver('There is nothing to say any more.');
    const email = emailOf(kind, facts, this.config, this.clock.now());
    await this.mailer.send(email, id, signal);
  }
}
