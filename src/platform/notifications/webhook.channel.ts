import type { Actor } from '../audit/audit.service.js';
import { Clock } from '../kernel/clock.js';
import { readRetryAfter } from './messages/backoff.js';
import { DeliveryFailed, NothingToDeliver } from './messages/delivery-failed.js';
import { type ClientEvent, isEnquiry, type OrderEvent } from './messages/order-event.js';
import type { OutboxMessage } from './messages/outbox-message.entity.js';
import { WebhooksService } from './webhooks.service.js';
import { type Channel, type ChannelMessage, NotificationChannel } from './channel.js';
import { signatureHeaders } from './signing.js';
import { AddressRefused, postWebhook } from './webhook-request.js';

const actor: Actor = { type: 'system', id: null, name: 'notifications' };

/** Posts order events to the endpoints of the operator and of API clients. */
@NotificationChannel()
export class WebhookChannel implements Channel {
  readonly name = 'webhook';
  readonly label = 'Webhook delivery';
  readonly slots = 16;

  constructor(
    private readonly webhooks: WebhooksService,
    private readonly clock: Clock,
  ) {}

  get enabled(): boolean {
    return this.webhooks.on;
  }

  get reportsOrders(): boolean {
    return this.enabled && this.webhooks.count > 0;
  }

  warnings(): readonly string[] {
    const { count } = this.webhooks;
    return this.enabled || count === 0
      ? []
      : [`WEBHOOK_KEY is not set: ${count} webhooks receive nothing.`];
  }

  /** Only the client's own endpoint receives a test order, with `test: true`. */
  messagesFor(event: OrderEvent, isTest: boolean): readonly ChannelMessage[] {
    const listeners = this.webhooks.listeners(event.order.clientId, isTest);
    if (listeners.length === 0) return [];
    const body = bodyOf(event, isTest);
    return listeners.map(({ id, clientId }) => ({
      kind: event.type,
      forClient: clientId !== null,
      endpointId: id,
      body,
    }));
  }

  /** For the endpoint of the API client itself, if it has one. */
  messagesTo(
    clientId: string,
    { type, at, data }: ClientEvent,
    isTest: boolean,
  ): readonly ChannelMessage[] {
    const own = this.webhooks.listeners(clientId, isTest).filter((one) => one.clientId !== null);
    if (own.length === 0) return [];
    const test = isTest ? { test: true } : {};
    const body = JSON.stringify({ type, timestamp: at.toISOString(), data: { ...data, ...test } });
    return own.map(({ id }) => ({ kind: type, forClient: true, endpointId: id, body }));
  }

  async describe(messages: readonly OutboxMessage[]): Promise<readonly string[]> {
    const hosts = new Map(
      (await this.webhooks.list()).map(({ id, url }) => [id, new URL(url).host]),
    );
    return messages.map(({ endpointId }) => {
      const host = hosts.get(endpointId ?? '');
      return host === undefined ? 'Webhook that was removed' : `Webhook to ${host}`;
    });
  }

  deliver(
    { id, endpointId, body }: OutboxMessage,
    signal: AbortSignal,
    trace: string | null,
  ): Promise<void> {
    return this.post(endpointId ?? '', { id, body: body ?? '', trace }, signal);
  }

  /**
   * Posts to an endpoint once. A 410 disables the endpoint.
   * @throws {DeliveryFailed | NothingToDeliver}
   */
  async post(
    endpointId: string,
    { id, body, trace }: { id: string; body: string; trace: string | null },
    signal: AbortSignal,
  ): Promise<void> {
    const target = await this.webhooks.target(endpointId);
    if (!target) throw new NothingToDeliver('The webhook is disabled or removed.');
    const now = this.clock.now();
    const headers = {
      ...signatureHeaders({ id, body, at: now }, target.secrets),
      ...(trace !== null && { traceparent: trace }),
    };
    const answer = await postWebhook({ ...target, headers, body, signal }).catch(
      (error: unknown) => {
        const { code, message } = error as NodeJS.ErrnoException;
        // Node leaves the message empty if it tried several addresses.
        throw new DeliveryFailed(message || (code ?? 'It could not be reached.'), {
          unreachable: !(error instanceof AddressRefused),
          cause: error,
        });
      },
    );
    if (answer.status >= 200 && answer.status < 300) return;
    if (answer.status === 410) {
      await this.webhooks.setEnabled(endpointId, 'It answered 410 Gone.', actor);
      throw new NothingToDeliver('The webhook answered 410 Gone and is disabled.');
    }
    throw new DeliveryFailed(`It answered ${answer.status}.`, {
      retryAfter: readRetryAfter(answer.retryAfter, now),
    });
  }
}

function bodyOf(event: OrderEvent, isTest: boolean): string {
  const { id, reference, clientReference } = event.order;
  return JSON.stringify({
    type: event.type,
    timestamp: event.at.toISOString(),
    data: {
      ...(isEnquiry(event)
        ? { enquiryId: id, enquiryReference: reference }
        : { orderId: id, orderReference: reference }),
      reference: clientReference,
      state: 'state' in event ? event.state : event.to,
      ...('charge' in event && { chargeId: event.charge.id, chargeState: event.charge.state }),
      ...('offers' in event && { offers: event.offers }),
      ...(isTest && { test: true }),
    },
  });
}
