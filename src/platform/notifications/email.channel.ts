import { createHash } from 'node:crypto';
import { LessThanOrEqual } from 'typeorm';
import { Config } from '../config/config.js';
import { Transactions } from '../database/transactions.js';
import { DeliveryFailed, NothingToDeliver } from './messages/backoff.js';
import { type EmailKind, EmailKindsService, emailOf } from './messages/email-kinds.service.js';
import type { Side } from '../database/sides.js';
import type { ClientEvent, OrderEvent } from './messages/order-event.js';
import type { Email } from './messages/email.js';
import { OutboxMessage } from './messages/outbox-message.entity.js';
import { type Channel, type ChannelMessage, NotificationChannel } from './channel.js';
import { MailerService } from './mailer.service.js';

/** Of each bounded kind, to one recipient. */
export const MOST_A_DAY = 20;

/** Emails the sales inbox, and the contacts of orders and of API clients. */
@NotificationChannel()
export class EmailChannel implements Channel {
  readonly name = 'email';
  readonly label = 'Email';
  readonly slots = 4;

  constructor(
    private readonly mailer: MailerService,
    private readonly kinds: EmailKindsService,
    private readonly transactions: Transactions,
    private readonly config: Config,
  ) {}

  get enabled(): boolean {
    return Boolean(this.config.smtp);
  }

  get reportsOrders(): boolean {
    return this.enabled && this.config.salesInbox.length > 0;
  }

  /** Whether emails of this kind are sent at all. */
  sends(code: string): boolean {
    const kind = this.kinds.find(code);
    if (!kind) throw new Error(`No feature has declared ${code} emails.`);
    return this.isOn(kind);
  }

  private isOn(kind: EmailKind): boolean {
    if (!this.enabled || kind.isWanted?.(this.config) === false) return false;
    return kind.to !== 'sales' || this.config.salesInbox.length > 0;
  }

  warnings(): readonly string[] {
    if (!this.enabled) return ['SMTP_URL is not set: the service sends no emails.'];
    return this.config.salesInbox.length > 0
      ? []
      : ['SALES_INBOX is not set: no email announces new orders.'];
  }

  /** Test orders cause no emails. */
  messagesFor(event: OrderEvent | ClientEvent, { isTest }: Side): readonly ChannelMessage[] {
    if (isTest) return [];
    return this.kinds.all.flatMap((kind) => {
      const news = this.isOn(kind) ? kind.newsOf?.(event) : null;
      return news ? [{ ...this.messageOf(kind.code), ...news }] : [];
    });
  }

  /** To the client's contact. */
  messagesTo(_clientId: string, event: ClientEvent, side: Side): readonly ChannelMessage[] {
    return this.messagesFor(event, side);
  }

  messageOf(code: string): ChannelMessage {
    return { kind: code, forClient: this.kinds.find(code)?.to === 'client' };
  }

  describe(messages: readonly OutboxMessage[]): Promise<readonly string[]> {
    return Promise.resolve(messages.map(() => this.label));
  }

  async deliver(message: OutboxMessage, signal: AbortSignal): Promise<void> {
    const { kind, subjectId } = message;
    const email = this.kinds.find(kind);
    if (!email) throw new DeliveryFailed(`No email is called ${kind}.`);
    const letter = await this.transactions.read((tx) => email.facts(tx, subjectId));
    if (!letter) throw new NothingToDeliver('There is nothing to report any more.');
    const written = emailOf(email, letter, this.config);
    if (email.bounded) await this.refuseBeyondBound(message, written);
    await this.sendToRest(message, written, signal);
  }

  /**
   * Sends the email to those to whom no earlier attempt has brought it. If the server refuses some, the next attempt
   * is for them.
   */
  private async sendToRest(
    { id, receivedBy }: OutboxMessage,
    written: Email,
    signal: AbortSignal,
  ): Promise<void> {
    const hashOf = (address: string) =>
      createHash('sha256').update(`${id} ${address.toLowerCase()}`).digest('hex').slice(0, 16);
    const received = new Set(receivedBy?.split(' '));
    const to = written.to.filter(({ address }) => !received.has(hashOf(address)));
    if (to.length === 0 && received.size > 0) return;
    const { accepted, refusal } = await this.mailer.send({ ...written, to }, id, signal);
    if (!refusal) return;
    for (const address of accepted) received.add(hashOf(address));
    const values = { receivedBy: [...received].join(' ') };
    await this.transactions.run((tx) => tx.update(OutboxMessage, { id }, values));
    throw refusal;
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
