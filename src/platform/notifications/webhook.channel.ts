import type { Actor } from '../audit/audit.service.js';
import type { Side } from '../database/sides.js';
import { Clock } from '../kernel/clock.js';
import { readRetryAfter, DeliveryFailed, NothingToDeliver } from './messages/backoff.js';
import type { ClientEvent, OrderEvent } from './messages/order-event.js';
import type { OutboxMessage } from './messages/outbox-message.entity.js';
import type { WebhookPayload } from './messages/webhook-payloads.dto.js';
import { WebhooksService } from './webhooks.service.js';
import { type Channel, type ChannelMessage, NotificationChannel } from './channel.js';
import { signatureHeaders } from './signing.js';
import { addressIn, mayCall, type UrlRules } from '../config/addresses.js';
import { lookupBy, names, type ResolveName } from '../kernel/name-resolver.js';
import { sendRequest } from '../kernel/outgoing-request.js';

/** Milliseconds for name resolution, connection, TLS, request and response together. */
const DEADLINE = 15_000;
/** Bytes of a response that are read. Their content is ignored. */
const LARGEST_ANSWER = 64 * 1_024;

interface WebhookRequest {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly rules: UrlRules;
  readonly signal: AbortSignal;
}

interface WebhookAnswer {
  readonly status: number;
  readonly retryAfter: string | undefined;
}

interface WebhookRequestOptions {
  readonly resolve?: ResolveName;
  /** A private certificate authority, for tests. */
  readonly ca?: string;
  readonly deadline?: number;
}

export class AddressRefused extends Error {
  constructor(reason = 'The host resolves to an address that is not on the public internet.') {
    super(reason);
  }
}

/**
 * Posts to a webhook. Connects only to an address that it has checked (no DNS rebinding), and follows
 * no redirects.
 * @throws {AddressRefused | Error} also if there is no complete response in time
 */
export async function postWebhook(
  { url, headers, body, rules, signal }: WebhookRequest,
  { resolve = names.resolve, ca, deadline = DEADLINE }: WebhookRequestOptions = {},
): Promise<WebhookAnswer> {
  if (url.protocol !== 'https:' && !rules.http) {
    throw new AddressRefused('The URL is not https, and only https is allowed.');
  }
  const literal = addressIn(url);
  if (literal !== undefined && !mayCall(literal, rules.networks)) throw new AddressRefused();
  const timeUp = AbortSignal.timeout(deadline);
  try {
    const answer = await sendRequest(url, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body,
      signal: AbortSignal.any([signal, timeUp]),
      mostRead: LARGEST_ANSWER,
      lookup: lookupBy(resolve, (addresses) => {
        const allowed = addresses.every(({ address }) => mayCall(address, rules.networks));
        if (!allowed || addresses.length === 0) throw new AddressRefused();
      }),
      ...(ca !== undefined && { ca }),
    });
    return { status: answer.status, retryAfter: answer.headers['retry-after'] };
  } catch (error) {
    if (timeUp.aborted && !signal.aborted) {
      throw new Error(`No complete response within ${deadline / 1_000} seconds.`, { cause: error });
    }
    throw error;
  }
}

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
  messagesFor(event: OrderEvent, side: Side): readonly ChannelMessage[] {
    const isOfClient = 'message' in event && event.message.from === 'client';
    const all = this.webhooks.listeners(event.order.clientId, side);
    const listeners = isOfClient ? all.filter(({ clientId }) => clientId === null) : all;
    if (listeners.length === 0) return [];
    const body = bodyOf(payloadOf(event), side);
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
    side: Side,
  ): readonly ChannelMessage[] {
    const own = this.webhooks.listeners(clientId, side).filter((one) => one.clientId !== null);
    if (own.length === 0) return [];
    const body = bodyOf({ type, timestamp: at, data } as WebhookPayload, side);
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

  deliver({ id, endpointId, body }: OutboxMessage, signal: AbortSignal): Promise<void> {
    return this.post(endpointId ?? '', { id, body: body ?? '' }, signal);
  }

  /**
   * Posts to an endpoint once. A 410 disables the endpoint, unless it has another URL by now.
   * @throws {DeliveryFailed | NothingToDeliver}
   * @throws {Refused} if the endpoint cannot be read, or was replaced meanwhile: not for the receiver's fault
   */
  async post(
    endpointId: string,
    { id, body }: { id: string; body: string },
    signal: AbortSignal,
  ): Promise<void> {
    const target = await this.webhooks.target(endpointId);
    if (!target) throw new NothingToDeliver('The webhook is disabled or removed.');
    const now = this.clock.now();
    const headers = signatureHeaders({ id, body, at: now }, target.secrets);
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
      const { storedUrl } = target;
      await this.webhooks.disableAt(endpointId, storedUrl, 'It answered 410 Gone.', actor);
      throw new NothingToDeliver('The webhook answered 410 Gone and is disabled.');
    }
    throw new DeliveryFailed(`It answered ${answer.status}.`, {
      retryAfter: readRetryAfter(answer.retryAfter, now),
    });
  }
}

function bodyOf(payload: WebhookPayload, { isTest }: Side): string {
  const data = isTest ? { ...payload.data, test: true } : payload.data;
  return JSON.stringify({ ...payload, data });
}

function payloadOf(event: OrderEvent): WebhookPayload {
  const { id, reference: ownReference, clientReference: reference } = event.order;
  const timestamp = event.at;
  const state = 'state' in event ? event.state : event.to;
  const order = { orderId: id, orderReference: ownReference, reference, state };
  const enquiry = { enquiryId: id, enquiryReference: ownReference, reference, state };
  switch (event.type) {
    case 'order.received':
    case 'order.state-changed':
    case 'order.amended':
      return { type: event.type, timestamp, data: order };
    case 'enquiry.received':
    case 'enquiry.state-changed':
    case 'enquiry.amended':
      return { type: event.type, timestamp, data: enquiry };
    case 'enquiry.offered':
      return { type: event.type, timestamp, data: { ...enquiry, offers: [...event.offers] } };
    case 'order.charge-proposed':
    case 'order.charge-answered':
    case 'order.charge-lapsed':
    case 'order.charge-withdrawn': {
      const { id: chargeId, state: chargeState } = event.charge;
      return { type: event.type, timestamp, data: { ...order, chargeId, chargeState } };
    }
    case 'order.message': {
      const { id: messageId, from } = event.message;
      return { type: event.type, timestamp, data: { ...order, messageId, from } };
    }
    case 'enquiry.message': {
      const { id: messageId, from } = event.message;
      return { type: event.type, timestamp, data: { ...enquiry, messageId, from } };
    }
    case 'order.delivery-changed':
    case 'order.waiting':
      return { type: event.type, timestamp, data: { ...order, ...event.delivery } };
  }
}
