import { createHash } from 'node:crypto';
import { LessThanOrEqual } from 'typeorm';
import { Clock } from '../kernel/clock.js';
import { Config } from '../config/config.js';
import { Transactions } from '../database/transactions.js';
import { DeliveryFailed, NothingToDeliver } from './messages/delivery-failed.js';
import { EmailFactsService } from './messages/email-facts.service.js';
import { isEmailKind, type EmailKind, emailOf } from './messages/email-texts.js';
import {
  type ClientEvent,
  type ChargeStep,
  isEnquiry,
  type OrderEvent,
} from './messages/order-event.js';
import type { Email } from './messages/email.js';
import { OutboxMessage } from './messages/outbox-message.entity.js';
import { type Channel, type ChannelMessage, NotificationChannel } from './channel.js';
import { MailerService } from './mailer.service.js';

/** Emails that a caller can cause in any number, to an address that it chose or that is not its own. */
const bounded: ReadonlySet<EmailKind> = new Set([
  'acknowledgement',
  'webhook-changed',
  'watch-served',
]);

const toSalesInbox: ReadonlySet<EmailKind> = new Set([
  'new-order',
  'new-enquiry',
  'reminder',
  'charge-answered',
]);
/** Emails to the operator's staff. */
const ofOperator: ReadonlySet<EmailKind> = new Set([...toSalesInbox, 'approval-wanted']);

type ChargeEvent = Extract<OrderEvent, { readonly charge: object }>;

/** Of each of these kinds, to one recipient. */
export const MOST_A_DAY = 20;

/** Emails the sales inbox, and the contacts of orders and of API clients. */
@NotificationChannel()
export class EmailChannel implements Channel {
  readonly name = 'email';
  readonly label = 'Email';
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
    return !toSalesInbox.has(kind) || this.config.salesInbox.length > 0;
  }

  warnings(): readonly string[] {
    if (!this.enabled) return ['SMTP_URL is not set: the service sends no emails.'];
    return this.config.salesInbox.length > 0
      ? []
      : ['SALES_INBOX is not set: no email announces new orders.'];
  }

  /** Test orders cause no emails. */
  messagesFor(event: OrderEvent, isTest: boolean): readonly ChannelMessage[] {
    if (isTest) return [];
    if ('charge' in event) return this.messagesForCharge(event);
    if ('offers' in event) return this.sends('offer') ? [this.messageOf('offer')] : [];
    if ('from' in event) return [];
    const announced: EmailKind = isEnquiry(event) ? 'new-enquiry' : 'new-order';
    const kinds: readonly EmailKind[] =
      event.order.contactEmail === null ? [announced] : [announced, 'acknowledgement'];
    return kinds.filter((kind) => this.sends(kind)).map((kind) => this.messageOf(kind));
  }

  /** An answer that staff record is no news to staff. */
  private messagesForCharge({ type, charge }: ChargeEvent): readonly ChannelMessage[] {
    const kind = type.replace('order.', '') as `charge-${ChargeStep}`;
    if (!this.sends(kind) || (kind === 'charge-answered' && charge.by !== 'client')) return [];
    return [{ ...this.messageOf(kind), subjectId: charge.id }];
  }

  /** To the client's contact. Test tokens cause no emails. */
  messagesTo(_clientId: string, _event: ClientEvent, isTest: boolean): readonly ChannelMessage[] {
    return isTest || !this.sends('watch-served') ? [] : [this.messageOf('watch-served')];
  }

  messageOf(kind: EmailKind): ChannelMessage {
    return { kind, forClient: !ofOperator.has(kind) };
  }

  describe(messages: readonly OutboxMessage[]): Promise<readonly string[]> {
    return Promise.resolve(messages.map(() => this.label));
  }

  async deliver(message: OutboxMessage, signal: AbortSignal): Promise<void> {
    const { id, kind, subjectId } = message;
    if (!isEmailKind(kind)) throw new DeliveryFailed(`No email is called ${kind}.`);
    const facts = await this.transactions.read((tx) => this.sources.facts(kind, tx, subjectId));
    if (!facts) throw new NothingToDeliver('There is nothing to report any more.');
    const email = emailOf(kind, facts, this.config, this.clock.now());
    if (bounded.has(kind)) await this.refuseBeyondBound(message, email);
    await this.mailer.send(email, id, signal);
  }

  /**
   * Counts the email for its recipient, on the day of its event: a retry counts once.
   * @throws {NothingToDeliver} where the recipient has had enough
   */
  private async refuseBeyondBound(message: OutboxMessage, { to }: Email): Promise<void> {
    const { id, kind, createdAt } = message;
    const day = createdAt.toISOString().slice(0, 10);
    const addresses = to.map(({ address }) => address.toLowerCase()).join();
    const hash = createHash('sha256').update(`${kind} ${day} ${addresses}`).digest('hex');
    const recipientDay = hash.slice(0, 32);
    const count = await this.transactions.run(async (tx) => {
      await tx.update(OutboxMessage, { id }, { recipientDay });
      return tx.countBy(OutboxMessage, { recipientDay, id: LessThanOrEqual(id) });
    });
    if (count > MOST_A_DAY) {
      throw new NothingToDeliver(`The recipient gets at most ${MOST_A_DAY} of these a day.`);
    }
  }
}
