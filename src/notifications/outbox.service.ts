import { Injectable } from '@nestjs/common';
import { Clock } from '../kernel/clock.js';
import { isUniqueViolation } from '../database/errors.js';
import { Traces } from '../tracing/traces.js';
import { Config } from '../config/config.js';
import { newId } from '../database/new-id.js';
import { addRows } from '../database/engine/rows.js';
import { Transactions } from '../database/transactions.js';
import type { Tx } from '../database/engine/tx.js';
import { PATIENCE } from './backoff.js';
import type { LetterKind } from './letters.js';
import { OutboxMessage } from './outbox-message.entity.js';
import { WebhooksService } from './webhooks.service.js';

interface OrderKey {
  readonly id: string;
  readonly reference: string;
  readonly clientId: string;
  /** The client's own reference. */
  readonly clientReference: string | null;
}

/** What has happened to an order. States are the public ones: nothing inner leaves the house. */
export type OrderEvent =
  | {
      readonly type: 'order.received';
      readonly order: OrderKey & { readonly contactEmail: string | null };
      readonly state: string;
      readonly at: Date;
    }
  | {
      readonly type: 'order.state-changed';
      readonly order: OrderKey;
      readonly from: string;
      readonly to: string;
      readonly at: Date;
    };

/** Notes, in the transaction of what happens, who has to be told of it. */
@Injectable()
export class Outbox {
  constructor(
    private readonly transactions: Transactions,
    private readonly webhooks: WebhooksService,
    private readonly clock: Clock,
    private readonly config: Config,
    private readonly traces: Traces,
  ) {}

  /** Adds the messages of what happens, in one statement. */
  publish(tx: Tx, event: OrderEvent, isTest = false): Promise<void> {
    return addRows(tx, OutboxMessage, this.messagesOf(event, isTest));
  }

  /**
   * A message for everybody who has to be told; none where nobody has to be. A change that is none for
   * the public, from a state to the same one, is told to nobody. Of a test order nobody gets an
   * e-mail, and what is posted to its client says `test`.
   */
  messagesOf(event: OrderEvent, isTest = false): OutboxMessage[] {
    const state = event.type === 'order.received' ? event.state : event.to;
    if (event.type === 'order.state-changed' && event.from === state) return [];
    const { id, reference, clientId, clientReference } = event.order;
    const letters = event.type === 'order.received' && !isTest ? this.lettersFor(event.order) : [];
    const listeners = this.webhooks.listeners(clientId, isTest);
    const posted = () =>
      JSON.stringify({
        type: event.type,
        timestamp: event.at.toISOString(),
        data: {
          orderId: id,
          orderReference: reference,
          reference: clientReference,
          state,
          ...(isTest && { test: true }),
        },
      });
    const body = listeners.length > 0 ? posted() : null;
    return [
      ...letters.map((kind) => this.message('email', kind, id)),
      ...listeners.map((endpointId) => ({
        ...this.message('webhook', event.type, id),
        endpointId,
        body,
      })),
    ];
  }

  /** Whether e-mails of this kind are sent at all. */
  sends(kind: LetterKind): boolean {
    if (!this.config.smtp) return false;
    if (kind === 'acknowledgement') return this.config.acknowledgeOrders;
    return kind === 'token-expiry' || this.config.salesInbox.length > 0;
  }

  /**
   * Adds an e-mail in a transaction of its own, unless one with the same key was added before, on any
   * instance.
   * @returns whether it was added
   */
  async tellOnce(kind: LetterKind, subjectId: string, key: string): Promise<boolean> {
    const onceKey = `${kind} ${key}`;
    try {
      return await this.transactions.run(async (tx) => {
        if (await tx.existsBy(OutboxMessage, { onceKey })) return false;
        await addRows(tx, OutboxMessage, [{ ...this.message('email', kind, subjectId), onceKey }]);
        return true;
      });
    } catch (error) {
      if (isUniqueViolation(error)) return false;
      throw error;
    }
  }

  private lettersFor({ contactEmail }: { contactEmail: string | null }): LetterKind[] {
    const letters: LetterKind[] = [];
    if (this.sends('new-order')) letters.push('new-order');
    if (contactEmail !== null && this.sends('acknowledgement')) letters.push('acknowledgement');
    return letters;
  }

  private message(channel: OutboxMessage['channel'], kind: string, subjectId: string) {
    const now = this.clock.now();
    return {
      id: newId(),
      channel,
      kind,
      subjectId,
      endpointId: null as string | null,
      body: null as string | null,
      onceKey: null as string | null,
      cause: this.traces.cause,
      state: 'waiting' as const,
      dueAt: now,
      claim: null,
      attempts: 0,
      createdAt: now,
      giveUpAt: new Date(now.getTime() + PATIENCE),
      finishedAt: null,
      lastError: null,
    };
  }
}
