import { Injectable, Logger } from '@nestjs/common';
import type { BackgroundBuffer } from '../../kernel/background-buffer.js';
import { BackgroundWork } from '../../kernel/background-work.js';
import { RevisionsService } from '../../database/revisions.service.js';
import { Transactions } from '../../database/transactions.js';
import type { Tx } from '../../database/engine/tx.js';
import type { OutboxMessage } from '../../notifications/outbox-message.entity.js';
import { OutboxService } from '../../notifications/outbox.service.js';
import type { Order } from '../order.entity.js';
import { toPublicState } from './public-state.js';

/** Milliseconds in which changes are gathered into one bump. */
const GATHERING = 250;
const LIVE = { isTest: false };

/**
 * Tells whoever has to know that orders have changed. E-mails and webhooks are noted in the change's
 * own transaction. All instances learn it from a number, for the pages that lie open; the number is bumped after the change is committed and
 * at most four times a second: in the change's own transaction it would make every move of every
 * instance wait for the same row.
 */
@Injectable()
export class OrderChangesService {
  private readonly logger = new Logger(OrderChangesService.name);
  private readonly news: BackgroundBuffer<object>;

  constructor(
    private readonly transactions: Transactions,
    private readonly revisions: RevisionsService,
    private readonly outbox: OutboxService,
    background: BackgroundWork,
  ) {
    this.news = background.buffer({
      keyOf: () => 'orders',
      write: () => this.bump(),
      delay: GATHERING,
      onFailure: (error) =>
        this.logger.warn(`The news of changed orders waits for the database: ${String(error)}`),
    });
  }

  /** Whom to tell of a new order: they are stored with it. */
  received(order: Order, { isTest } = LIVE): OutboxMessage[] {
    const state = toPublicState({ to: order.state });
    return this.outbox.messagesOf(
      { type: 'order.received', order, state, at: order.receivedAt },
      isTest,
    );
  }

  /** Notes, in the transaction of a move, whom to tell of the new public state, if it is one. */
  moved(tx: Tx, before: Order, after: Order, { isTest } = LIVE): Promise<void> {
    const event = {
      type: 'order.state-changed' as const,
      order: after,
      from: toPublicState({ to: before.state, reason: before.closeReason }),
      to: toPublicState({ to: after.state, reason: after.closeReason }),
      at: after.lastEntryAt,
    };
    return this.outbox.publish(tx, event, isTest);
  }

  /** Tells all instances. Call it after the commit. */
  tell(): void {
    this.news.add({});
  }

  private async bump(): Promise<void> {
    await this.transactions.run((tx) => this.revisions.bump(tx, 'follow-up'));
    await this.revisions.look();
  }
}
