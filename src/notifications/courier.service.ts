import { Injectable } from '@nestjs/common';
import type { Actor } from '../audit/audit.service.js';
import { Clock } from '../kernel/clock.js';
import { Config } from '../config/config.js';
import { Transactions } from '../database/transactions.js';
import { readRetryAfter } from './backoff.js';
import { DeliveryFailed } from './delivery-failed.js';
import { LetterSources } from './letter-sources.js';
import { isLetterKind, letterOf } from './letters.js';
import { MailerService } from './channels/mailer.service.js';
import type { OutboxMessage } from './outbox-message.entity.js';
import { signatureHeaders } from './channels/signing.js';
import { AddressRefused, postWebhook } from './channels/webhook-request.js';
import { WebhooksService } from './webhooks.service.js';

const courier: Actor = { type: 'system', id: null, name: 'notifications' };

/** There is nobody to tell, or nothing to say any more; the message is discarded. */
export class NothingToDeliver extends Error {}

/** Carries one message to its receiver. */
@Injectable()
export class Courier {
  constructor(
    private readonly mailer: MailerService,
    private readonly webhooks: WebhooksService,
    private readonly sources: LetterSources,
    private readonly transactions: Transactions,
    private readonly clock: Clock,
    private readonly config: Config,
  ) {}

  /**
   * @param trace a `traceparent` for the receiver
   * @throws {DeliveryFailed | NothingToDeliver}
   */
  deliver(message: OutboxMessage, signal: AbortSignal, trace: string | null): Promise<void> {
    const { body, channel, endpointId, id } = message;
    return channel === 'email'
      ? this.mail(message, signal)
      : this.post(endpointId ?? '', { id, body: body ?? '', trace }, signal);
  }

  /**
   * Posts to an endpoint once. An answer of 410 disables it.
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
        // Where several addresses were tried, the message is empty.
        throw new DeliveryFailed(message || (code ?? 'It could not be reached.'), {
          unreachable: !(error instanceof AddressRefused),
          cause: error,
        });
      },
    );
    if (answer.status >= 200 && answer.status < 300) return;
    if (answer.status === 410) {
      await this.webhooks.setEnabled(endpointId, 'It answered 410 Gone.', courier);
      throw new NothingToDeliver('The webhook answered 410 Gone and is disabled.');
    }
    throw new DeliveryFailed(`It answered ${answer.status}.`, {
      retryAfter: readRetryAfter(answer.retryAfter, now),
    });
  }

  private async mail(message: OutboxMessage, signal: AbortSignal): Promise<void> {
    const { id, kind, subjectId } = message;
    if (!isLetterKind(kind)) throw new DeliveryFailed(`No letter is called ${kind}.`);
    const facts = await this.transactions.read((tx) => this.sources.facts(kind, tx, subjectId));
    if (!facts) throw new NothingToDeliver('There is nothing to say any more.');
    const letter = letterOf(kind, facts, this.config, this.clock.now());
    await this.mailer.send(letter, id, signal);
  }
}
