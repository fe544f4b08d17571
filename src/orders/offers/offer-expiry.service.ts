import { Injectable } from '@nestjs/common';
import { Transactions } from '../../platform/database/transactions.js';
import { Clock } from '../../platform/kernel/clock.js';
import { MovesService } from '../moves/moves.service.js';
import { UNDO_TIME } from '../moves/undo.service.js';
import { Order } from '../record/order.entity.js';
import type { OrdersTx } from '../record/order-tables.js';
import { BespokeOffer } from '../record/bespoke-offer.entity.js';
import { OfferChangesService, type OfferedEnquiry } from './offer-changes.service.js';
import { changesBy, isRefused, outcomeOf } from './offer-rules.js';

/** Enquiries of one run. Those of the sandbox are deleted before their offers expire. */
const MOST_AT_ONCE = 200;
/** Milliseconds for which an enquiry that has ended keeps its offers, because that can be undone. */
const AFTER_CLOSING = 2 * UNDO_TIME;

/**
 * Ends offers whose validity has ended, and those of enquiries that ended in another way. Several instances
 * may run at once: each offer ends once.
 */
@Injectable()
export class OfferExpiryService {
  constructor(
    private readonly transactions: Transactions,
    private readonly moves: MovesService,
    private readonly changes: OfferChangesService,
    private readonly clock: Clock,
  ) {}

  async endOffers(): Promise<void> {
    await this.transactions.refuseClockAhead();
    for (const id of await this.enquiriesToLookAt()) {
      await this.moves.run((tx) => this.end(tx, id));
    }
  }

  private async enquiriesToLookAt(): Promise<string[]> {
    const now = this.clock.now().getTime();
    const rows = await this.transactions.read((tx) =>
      tx
        .createQueryBuilder(BespokeOffer, 'f')
        .select('f.enquiryId', 'id')
        .innerJoin(Order, 'o', 'o.id = f.enquiryId')
        .where('f.endedAt IS NULL')
        .andWhere(
          `((o.closedAt IS NULL AND f.validUntil < :now) OR (o.lastEntryAt < :before AND
            (o.closedAt IS NOT NULL OR (f.state = 'open' AND o.state <> 'offered'))))`,
          { now, before: now - AFTER_CLOSING },
        )
        .groupBy('f.enquiryId')
        .limit(MOST_AT_ONCE)
        .getRawMany<{ id: string }>(),
    );
    return rows.map(({ id }) => id);
  }

  private async end(tx: OrdersTx, id: string): Promise<void> {
    const locked = await this.changes.lock(tx, id);
    const { enquiry } = locked;
    if (this.canBeUndone(enquiry)) return;
    const isOffered = enquiry.state === 'offered';
    const changes = isOffered ? this.expired(locked) : this.left(locked);
    if (changes.size === 0) return;
    const after = await this.changes.store(tx, locked, changes);
    if (!isOffered) return;
    const outcome = outcomeOf(after, { name: 'expire' });
    if (outcome === 'stays') return;
    await this.changes.move(tx, locked, { name: outcome }, { kind: 'service' });
  }

  /** An enquiry that returns to `offered` has the offers that it had. If they have expired meanwhile, it ends next. */
  private canBeUndone({ closedAt, lastEntryAt }: Order): boolean {
    return closedAt !== null && this.clock.now().getTime() - lastEntryAt.getTime() <= AFTER_CLOSING;
  }

  private expired({ offers }: Pick<OfferedEnquiry, 'offers'>) {
    const changes = changesBy(offers, { name: 'expire' }, this.clock.now());
    return isRefused(changes) ? new Map<string, never>() : changes;
  }

  /** An enquiry that was reopened keeps the offers that wait for approval. */
  private left({ enquiry, offers }: OfferedEnquiry) {
    const gone = offers.filter(({ state }) => enquiry.closedAt !== null || state === 'open');
    const now = this.clock.now();
    const closed = changesBy(gone, { name: 'close', at: enquiry.closedAt ?? now }, now);
    return new Map([...this.expired({ offers }), ...(isRefused(closed) ? [] : closed)]);
  }
}
