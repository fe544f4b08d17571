import { Injectable } from '@nestjs/common';
import { Clock } from '../kernel/clock.js';
import { isUniqueViolation } from '../database/engine/errors.js';
import { newId } from '../database/new-id.js';
import { addRows } from '../database/engine/rows.js';
import { Transactions } from '../database/transactions.js';
import type { Tx } from '../database/engine/tx.js';
import type { Side, SideTx } from '../database/sides.js';
import { DELIVERY_PERIOD } from './messages/backoff.js';
import type { ChannelMessage } from './channel.js';
import { EmailChannel } from './email.channel.js';
import { ChannelsService } from './channels.service.js';
import type { ClientEvent, OrderEvent } from './messages/order-event.js';
import { OutboxMessage } from './messages/outbox-message.entity.js';

/** Adds notifications to the outbox, in the transaction of the change that they report. */
@Injectable()
export class OutboxService {
  constructor(
    private readonly transactions: Transactions,
    private readonly channels: ChannelsService,
    private readonly email: EmailChannel,
    private readonly clock: Clock,
  ) {}

  /**
   * Adds the messages of an event on the side of the transaction, in one statement.
   * @param heldUntil finds when they may be sent; null for at once
   * @returns their ids
   */
  async publish(
    tx: SideTx,
    event: OrderEvent,
    heldUntil: () => Promise<Date | null> = () => Promise.resolve(null),
  ): Promise<string[]> {
    const messages = this.messagesOf(event, tx);
    if (messages.length === 0) return [];
    const until = await heldUntil();
    const held = messages.map((one) => ({ ...one, dueAt: until ?? one.dueAt }));
    await addRows(tx, OutboxMessage, held);
    return messages.map(({ id }) => id);
  }

  /** The messages of all channels; none if the public state stays the same. */
  messagesOf(event: OrderEvent, side: Side): OutboxMessage[] {
    if ('from' in event && event.from === event.to) return [];
    return this.channels.enabled.flatMap((channel) =>
      channel
        .messagesFor(event, side)
        .map((message) => this.message(channel.name, message.subjectId ?? event.order.id, message)),
    );
  }

  /**
   * Adds the messages of an event that concerns one API client, in the transaction of the change that they
   * report.
   */
  async addClientEvent(
    tx: SideTx,
    clientId: string,
    event: ClientEvent,
    subjectId: string,
  ): Promise<void> {
    const messages = this.channels.enabled.flatMap((channel) =>
      (channel.messagesTo?.(clientId, event, tx) ?? []).map((message) =>
        this.message(channel.name, subjectId, message),
      ),
    );
    if (messages.length > 0) await addRows(tx, OutboxMessage, messages);
  }

  /** Whether emails of this kind are on. */
  sends(kind: string): boolean {
    return this.email.sends(kind);
  }

  /** Adds an email in the transaction of the change that it reports, unless emails of this kind are off. The sandbox sends none. */
  async addEmail(tx: Tx & Partial<Side>, kind: string, subjectId: string): Promise<void> {
    if (tx.isTest || !this.sends(kind)) return;
    const message = this.email.messageOf(kind);
    await addRows(tx, OutboxMessage, [this.message(this.email.name, subjectId, message)]);
  }

  /**
   * Adds an email in a separate transaction, unless any instance has added one with the same key.
   * @returns whether it was added
   */
  async addEmailOnce(kind: string, subjectId: string, key: string): Promise<boolean> {
    const onceKey = `${kind} ${key}`;
    try {
      return await this.transactions.run(async (tx) => {
        if (await tx.existsBy(OutboxMessage, { onceKey })) return false;
        const message = this.message(this.email.name, subjectId, this.email.messageOf(kind));
        await addRows(tx, OutboxMessage, [{ ...message, onceKey }]);
        return true;
      });
    } catch (error) {
      if (isUniqueViolation(error)) return false;
      throw error;
    }
  }

  private message(
    channel: string,
    subjectId: string,
    { kind, forClient, endpointId, body }: ChannelMessage,
  ): OutboxMessage {
    const now = this.clock.now();
    return {
      id: newId(),
      channel,
      kind,
      subjectId,
      forClient: forClient ?? false,
      endpointId: endpointId ?? null,
      body: body ?? null,
      onceKey: null,
      recipientDay: null,
      receivedBy: null,
      state: 'waiting',
      dueAt: now,
      claim: null,
      attempts: 0,
      createdAt: now,
      giveUpAt: new Date(now.getTime() + DELIVERY_PERIOD),
      finishedAt: null,
      lastError: null,
    };
  }
}
