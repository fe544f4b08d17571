import { Injectable, Logger } from '@nestjs/common';
import type { BackgroundBuffer } from '../../platform/kernel/background-buffer.js';
import { BackgroundWork } from '../../platform/kernel/background-work.js';
import { RevisionsService } from '../../platform/database/revisions.service.js';
import { Transactions } from '../../platform/database/transactions.js';
import type { OutboxMessage } from '../../platform/notifications/messages/outbox-message.entity.js';
import { OutboxService } from '../../platform/notifications/outbox.service.js';
import type { MessageRecord } from '../record/message.entity.js';
import type { Order } from '../record/order.entity.js';
import { LIVE, type Side } from '../../platform/database/sides.js';
import type { OrdersTx } from '../record/order-tables.js';
import { publicStateOf } from '../record/public-state.js';

/** Milliseconds between two bumps. */
const GATHERING = 250;

/**
 * Announces changes of orders: by outbox messages in the transaction of the change, and to open pages
 * on all instances by a revision number. The number is bumped after the commit, at most four times a
 * second: inside the transaction, all moves of all instances would wait for the same row.
 */
@Injectable()
export class OrderChangesService {
  private readonly logger = new Logger(OrderChangesService.name);
  private readonly bumps: BackgroundBuffer<object>;

  constructor(
    private readonly transactions: Transactions,
    private readonly revisions: RevisionsService,
    private readonly outbox: OutboxService,
    background: BackgroundWork,
  ) {
    this.bumps = background.buffer({
      keyOf: () => 'orders',
      write: () => this.bump(),
      delay: GATHERING,
      onFailure: (error) =>
        this.logger.warn(`Open pages do not know of changed orders yet: ${String(error)}`),
    });
  }

  /** The messages of a new order, to store with it. */
  received(order: Order, side: Side): OutboxMessage[] {
    const type = `${order.kind}.received` as const;
    const event = { type, order, state: publicStateOf(order), at: order.receivedAt };
    return this.outbox.messagesOf(event, side);
  }

  /**
   * Adds the messages of a move in its transaction, if the public state has changed. `enquiry.offered`
   * reports an offer, with the offers themselves: see `OfferChangesService.announce`.
   * @param heldUntil finds when they may be sent; null for at once
   * @returns their ids
   */
  async moved(
    tx: OrdersTx,
    before: Order,
    after: Order,
    heldUntil?: () => Promise<Date | null>,
  ): Promise<string[]> {
    const to = publicStateOf(after);
    if (to === 'offered') return [];
    const event = {
      type: `${after.kind}.state-changed` as const,
      order: after,
      from: publicStateOf(before),
      to,
      at: after.lastEntryAt,
    };
    return this.outbox.publish(tx, event, heldUntil);
  }

  /** Adds the messages that report what one side has written, as `moved`. */
  wrote(
    tx: OrdersTx,
    order: Order,
    { id, sender: from }: MessageRecord,
    heldUntil: () => Promise<Date | null>,
  ): Promise<string[]> {
    const type = `${order.kind}.message` as const;
    const event = { type, order, state: publicStateOf(order), message: { id, from } };
    return this.outbox.publish(tx, { ...event, at: order.lastEntryAt }, heldUntil);
  }

  /** Notifies open pages on all instances, which show no tests. Call it after the commit. */
  notifyPages({ isTest }: Side = LIVE): void {
    if (!isTest) this.bumps.add({});
  }

  private async bump(): Promise<void> {
    await this.transactions.run((tx) => this.revisions.bump(tx, 'follow-up'));
    await this.revisions.look();
  }
}
