import { Injectable } from '@nestjs/common';
import type { AuditAction } from '../../platform/audit/audit-actions.js';
import { type Actor, AuditService } from '../../platform/audit/audit.service.js';
import { Clock } from '../../platform/kernel/clock.js';
import { OutboxService } from '../../platform/notifications/outbox.service.js';
import { orderMoved } from '../moves/plan-move.js';
import type { Move, Mover, StaffMover } from '../moves/move-contents.js';
import { MovesService } from '../moves/moves.service.js';
import { OrderUndo } from '../moves/order-undo.entity.js';
import { UndoService, UNDO_TIME } from '../moves/undo.service.js';
import { Order } from '../record/order.entity.js';
import { lockedOrder, type OrdersTx } from '../record/order-tables.js';
import { EnquiryNotFound, NotPermitted } from '../record/orders.errors.js';
import { BespokeOffer } from '../record/bespoke-offer.entity.js';
import { isLive, type OfferState } from '../record/offer-states.js';
import { enquiryRules, mustHold, offerRules } from '../record/money-rules.js';
import { Transactions } from '../../platform/database/transactions.js';
import { changesBy, isRefused, outcomeOf } from './offer-rules.js';

/** An enquiry with its offers, oldest first. */
export interface OfferedEnquiry {
  readonly enquiry: Order;
  readonly offers: readonly BespokeOffer[];
}

/** Reads and writes the offers of an enquiry within a transaction. Only the rules decide what changes. */
@Injectable()
export class OfferChangesService {
  constructor(
    private readonly moves: MovesService,
    private readonly audit: AuditService,
    private readonly outbox: OutboxService,
    private readonly undos: UndoService,
    private readonly clock: Clock,
  ) {}

  /**
   * Locks an enquiry until the transaction ends, and reads it with its offers. All that changes offers starts
   * with this: what happens to the offers of one enquiry happens in sequence, on all instances.
   * @param clientId its API client, if only that may find it
   * @throws {EnquiryNotFound}
   */
  async lock(tx: OrdersTx, id: string, clientId?: string): Promise<OfferedEnquiry> {
    const where = { id, kind: 'enquiry' as const, ...(clientId !== undefined && { clientId }) };
    const enquiry = await lockedOrder(tx, where);
    if (!enquiry) throw new EnquiryNotFound();
    const offers = await tx.find(tx.offers, {
      where: { enquiryId: id },
      order: { id: 'ASC' },
    });
    for (const offer of offers) mustHold(offerRules, offer, offer.reference);
    mustHold(enquiryRules, offers, enquiry.reference);
    return { enquiry, offers };
  }

  /** Stores the new states; clients that poll learn of those they see. @param set further columns of those that change */
  async store(
    tx: OrdersTx,
    { enquiry, offers }: OfferedEnquiry,
    changes: ReadonlyMap<string, OfferState>,
    set: (state: OfferState) => Partial<BespokeOffer> = () => ({}),
  ): Promise<BespokeOffer[]> {
    const now = this.clock.now();
    // What was sent before cannot be taken back as a whole any more.
    if (changes.size > 0) await tx.delete(OrderUndo, { orderId: enquiry.id });
    const after: BespokeOffer[] = [];
    for (const offer of offers) {
      const state = changes.get(offer.id);
      if (state === undefined) {
        after.push(offer);
        continue;
      }
      const columns = {
        state,
        ...(state === 'open' && { openedAt: now }),
        ...(!isLive(state) && { endedAt: now }),
        ...set(state),
      };
      await tx.update(tx.offers, { id: offer.id }, columns);
      const changed = { ...offer, ...columns };
      mustHold(offerRules, changed, offer.reference);
      after.push(changed);
    }
    mustHold(enquiryRules, after, enquiry.reference);
    if (after.some(({ id, openedAt }) => changes.has(id) && openedAt !== null)) {
      await tx.update(tx.orders, { id: enquiry.id }, { publicStateAt: now });
    }
    return after;
  }

  /** Moves the locked enquiry. @throws {OrderMoved | NotPermitted | ValidationFailed} */
  async move(tx: OrdersTx, { enquiry }: OfferedEnquiry, move: Move, mover: Mover): Promise<Order> {
    const moved = await this.moves.attempt(tx, enquiry, move, mover);
    if (moved) return moved;
    throw await orderMoved(tx, enquiry);
  }

  /** Adds an entry to the timeline of the enquiry. The enquiry counts as worked on. */
  async record(
    tx: OrdersTx,
    { enquiry }: OfferedEnquiry,
    action: AuditAction,
    actor: Actor,
    details: Record<string, unknown>,
  ): Promise<void> {
    const subject = [tx.subject, enquiry.id] as const;
    await this.audit.record(tx, { subject, action, actor, details });
    await tx.update(tx.orders, { id: enquiry.id }, { lastEntryAt: this.clock.now() });
  }

  /** Adds the email to the managers who may approve the offers that wait for it. */
  askApproval(tx: OrdersTx, { enquiry }: OfferedEnquiry): Promise<void> {
    return this.outbox.addEmail(tx, 'approval-wanted', enquiry.id);
  }

  /**
   * Adds the messages that report the open offers to the client. They wait while the sending can be undone.
   * @param offers the open ones
   * @param before what undoing it restores: the offers that it changed
   * @param action what is undone, if it is more than the move
   */
  async announce(
    tx: OrdersTx,
    enquiry: Order,
    offers: readonly BespokeOffer[],
    before: readonly BespokeOffer[],
    action?: AuditAction,
  ): Promise<void> {
    const event = {
      type: 'enquiry.offered' as const,
      order: enquiry,
      to: 'offered' as const,
      offers: offers.map(({ id, validUntil }) => ({ offerId: id, validUntil })),
      at: this.clock.now(),
    };
    const heldUntil = () => this.undos.until(tx, enquiry.id);
    const messages = await this.outbox.publish(tx, event, heldUntil);
    await this.undos.extend(tx, enquiry.id, { before, messages, action });
  }
}

/** @param what such as `withdraw offers` @throws {NotPermitted} unless the owner or a manager does it */
export function refuseOthers({ ownerId }: Order, mover: StaffMover, what: string): void {
  if (mover.manager || mover.id === ownerId) return;
  throw new NotPermitted(`Only the enquiry's owner and managers ${what}.`);
}

/** `BESPOKE-7F3K9Q, BESPOKE-2M4N6P` */
export function codesOf(offers: readonly BespokeOffer[]): string {
  return offers.map(({ terms }) => terms.productCode).join(', ');
}

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
