import { Injectable } from '@nestjs/common';
import { Traces } from '../tracing/traces.js';
import { Courier } from './courier.service.js';
import type { OutboxMessage } from './outbox-message.entity.js';

/** Carries messages, each in a span that follows from the request which has led to it. */
@Injectable()
export class TracedCourier {
  constructor(
    private readonly courier: Courier,
    private readonly traces: Traces,
  ) {}

  /** @throws {DeliveryFailed | NothingToDeliver} */
  deliver(message: OutboxMessage, signal: AbortSignal): Promise<void> {
    const { attempts, cause, channel, id, kind } = message;
    const attributes = {
      'messaging.system': channel,
      'messaging.operation.type': 'send',
      'messaging.message.id': id,
      'availability.message.kind': kind,
      'availability.message.attempt': attempts,
    };
    return this.traces.around({ name: `send ${channel}`, cause, attributes }, (header) =>
      this.courier.deliver(message, signal, header),
    );
  }
}
