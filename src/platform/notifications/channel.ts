import { DiscoveryService } from '@nestjs/core';
import type { Side } from '../database/sides.js';
import type { ClientEvent, OrderEvent } from './messages/order-event.js';
import type { OutboxMessage } from './messages/outbox-message.entity.js';

/** The part of an outbox message that depends on the channel. */
export interface ChannelMessage {
  /** The kind of email, or the type of the event. */
  readonly kind: string;
  /** Its receiver is a client or someone whom a client named, not the operator. */
  readonly forClient?: boolean;
  /** By default the order of the event. */
  readonly subjectId?: string;
  readonly endpointId?: string;
  readonly body?: string;
}

/**
 * A way to notify people or systems. A provider that implements this and carries
 * `@NotificationChannel()` takes part in delivery, lists, warnings and pruning.
 */
export interface Channel {
  /** Stored with each message: at most 16 characters, unique, never changed. */
  readonly name: string;
  readonly label: string;
  /** Concurrent deliveries to the operator, and the same number to clients. */
  readonly slots: number;
  /** Messages of a disabled channel wait. */
  readonly enabled: boolean;
  /** Whether a new order reaches someone through it. */
  readonly reportsOrders: boolean;
  /** Missing settings, one sentence each. */
  warnings(): readonly string[];
  /** The messages that an event causes. */
  messagesFor(event: OrderEvent, side: Side): readonly ChannelMessage[];
  /** The messages to one API client that one of its events causes. */
  messagesTo?(clientId: string, event: ClientEvent, side: Side): readonly ChannelMessage[];
  /** Where each message goes, in words for staff. */
  describe(messages: readonly OutboxMessage[]): Promise<readonly string[]>;
  /** @throws {DeliveryFailed | NothingToDeliver} */
  deliver(message: OutboxMessage, signal: AbortSignal): Promise<void>;
}

/** Marks a provider as a notification channel; `ChannelsService` finds it. */
export const NotificationChannel = DiscoveryService.createDecorator();
