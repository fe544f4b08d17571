import { LIVE, type Side } from '../../platform/database/sides.js';
import { mergedDetails, requireInterconnect } from '../record/site-details.dto.js';
import { Injectable } from '@nestjs/common';
import type { ClientCaller } from '../../platform/access/caller.js';
import { ApiClient } from '../../clients/api-client.entity.js';
import { Config } from '../../platform/config/config.js';
import { Clock } from '../../platform/kernel/clock.js';
import { ACCEPTED_BY_ANOTHER, mayBindAlone } from '../moves/move-faults.js';
import { majorUnits } from '../../platform/kernel/money.js';
import { totalOf } from '../record/bespoke-terms.js';
import { postcodeFor } from '../../platform/problems/postcode.errors.js';
import type { Move, Mover, StaffMover } from '../moves/move-contents.js';
import { MovesService } from '../moves/moves.service.js';
import { workingOwner, type OrdersTx } from '../record/order-tables.js';
import { stateNow } from '../record/print-offers.js';
import { publicStateOf } from '../record/public-state.js';
import type { AcceptanceDetails } from '../record/enquiries.dto.js';
import type { Order } from '../record/order.entity.js';
import type { OrderAcknowledgement } from '../record/orders.dto.js';
import type { Replayed } from '../placing/idempotency.js';
import { NotPermitted } from '../record/orders.errors.js';
import { OrderIntakeService } from '../placing/order-intake.service.js';
import { onTelephone, type Placing, placingOf } from '../placing/ordering-client.js';
import { messageOf, PlacingService } from '../placing/placing.service.js';
import type { BespokeOffer } from '../record/bespoke-offer.entity.js';
import { orderedColumns } from '../placing/request-columns.js';
import { withFreshReferences } from '../record/references.js';
import { OfferChangesService, type OfferedEnquiry } from './offer-changes.service.js';
import { changesBy, isRefused, type OfferRefusal } from './offer-rules.js';
import { EnquiryMoved, OfferExpired, OfferNotFound, OfferWithdrawn } from './offers.errors.js';
import { acceptanceRules, mustHold } from '../record/money-rules.js';

/** Replayed where the offer has been accepted before. */
export type AcceptedOffer = OrderAcknowledgement & Replayed;

interface OrderOfOffer extends Replayed {
  readonly order: Order;
}

/** Who accepts, and for whom. */
interface Accepting {
  readonly placing: Placing;
  readonly mover: Mover;
  readonly details: AcceptanceDetails;
  /** The person of the client who told a staff member. */
  readonly answeredBy?: string;
}

/** What a client does with the offers of its enquiry. */
@Injectable()
export class AcceptanceService {
  constructor(
    private readonly moves: MovesService,
    private readonly changes: OfferChangesService,
    private readonly placing: PlacingService,
    private readonly intake: OrderIntakeService,
    private readonly config: Config,
    private readonly clock: Clock,
  ) {}

  /**
   * Accepts an offer: the order exists when the promise resolves, at exactly the terms of the offer. Whatever
   * happens at the same time, an enquiry leads to one order at most.
   * @throws {EnquiryNotFound | OfferNotFound | OfferExpired | OfferWithdrawn | EnquiryMoved}
   */
  async accept(
    enquiryId: string,
    offerId: string,
    details: AcceptanceDetails,
    client: ClientCaller,
  ): Promise<AcceptedOffer> {
    const accepted = await withFreshReferences(() =>
      this.moves.runOn(client, (tx) => this.acceptIn(tx, enquiryId, offerId, details, client)),
    );
    return acknowledged(accepted, client);
  }

  /** As `accept`, within a transaction of the caller. */
  async acceptIn(
    tx: OrdersTx,
    enquiryId: string,
    offerId: string,
    details: AcceptanceDetails,
    client: ClientCaller,
  ): Promise<OrderOfOffer> {
    const locked = await this.changes.lock(tx, enquiryId, client.clientId);
    const accepting = { placing: placingOf(client), mover: moverOf(client), details };
    return this.acceptWithin(tx, locked, offerId, accepting);
  }

  /**
   * Accepts an offer as a staff member heard it from the client: anyone, but its author only within the limit for one person.
   * @param answeredBy the person of the client
   * @throws {EnquiryNotFound | OfferNotFound | OfferExpired | OfferWithdrawn | EnquiryMoved | NotPermitted}
   */
  async recordAcceptance(
    enquiryId: string,
    offerId: string,
    answeredBy: string,
    mover: StaffMover,
  ): Promise<AcceptedOffer> {
    const accepted = await withFreshReferences(() =>
      this.moves.run(async (tx) => {
        const locked = await this.changes.lock(tx, enquiryId);
        const { enquiry } = locked;
        const offer = locked.offers.find(({ id }) => id === offerId);
        if (offer?.state === 'open') {
          const { createdBy: authorId, terms } = offer;
          const { amountMinor, currency } = totalOf(terms);
          const bound = { authorId, amount: majorUnits(amountMinor, currency), currency };
          if (!mayBindAlone(bound, mover.id, this.config.acceptanceAloneUpTo)) {
            throw new NotPermitted(ACCEPTED_BY_ANOTHER);
          }
        }
        const client = await tx.findOneByOrFail(ApiClient, { id: enquiry.clientId });
        if (!client.enabled) throw new NotPermitted('This client is disabled, so it cannot order.');
        const staff = { staffId: mover.id, name: mover.name };
        const placing = placingOf(onTelephone(client), staff);
        return this.acceptWithin(tx, locked, offerId, { placing, mover, details: {}, answeredBy });
      }),
    );
    return acknowledged(accepted, LIVE);
  }

  private async acceptWithin(
    tx: OrdersTx,
    locked: OfferedEnquiry,
    offerId: string,
    { placing, mover, details, answeredBy }: Accepting,
  ): Promise<OrderOfOffer> {
    const { enquiry, offers } = locked;
    const offer = offers.find(({ id }) => id === offerId);
    if (offer?.state === 'accepted' && offer.orderId !== null) {
      const order = await tx.findOneByOrFail(tx.orders, { id: offer.orderId });
      return { order, replayed: true };
    }
    const now = this.clock.now();
    // As the client reads it: the service stores the end of the offers of a closed enquiry later.
    const hasEnded = enquiry.state !== 'offered' && offer?.state === 'open';
    const state = hasEnded ? stateNow(offer, enquiry, now) : null;
    if (state === 'withdrawn') throw new OfferWithdrawn(state);
    const changes = changesBy(offers, { name: 'accept', offerId }, now);
    if (isRefused(changes)) throw refused(changes.refused, locked, offer);
    if (enquiry.state !== 'offered') throw new EnquiryMoved(publicStateOf(enquiry));
    const ownerId = await workingOwner(tx, enquiry.ownerId);
    const order = this.orderOf({ enquiry: { ...enquiry, ownerId } }, offer!, details, placing);
    mustHold(acceptanceRules, { order, offer: offer!, enquiry }, enquiry.reference);
    await this.intake.storeWithin(tx, [order], placing);
    await this.changes.store(tx, locked, changes, (state) =>
      state === 'accepted' ? { orderId: order.id } : {},
    );
    const move: Move = {
      name: 'accept',
      offer: offer!.terms.productCode,
      ...(answeredBy !== undefined && { answeredBy }),
    };
    await this.changes.move(tx, locked, move, mover);
    return { order, replayed: false };
  }

  /**
   * Declines all offers. Does nothing if the client has declined them before.
   * @throws {EnquiryNotFound | OfferExpired | EnquiryMoved}
   */
  decline(enquiryId: string, reason: string | undefined, client: ClientCaller): Promise<void> {
    return this.moves.runOn(client, async (tx) => {
      const locked = await this.changes.lock(tx, enquiryId, client.clientId);
      const { enquiry, offers } = locked;
      const state = publicStateOf(enquiry);
      if (state === 'declined') return;
      if (enquiry.state !== 'offered') throw new EnquiryMoved(state);
      const changes = changesBy(offers, { name: 'decline' }, this.clock.now());
      // All offers of an enquiry that is offered are open, or expired a moment ago.
      if (isRefused(changes)) throw new OfferExpired();
      await this.changes.store(tx, locked, changes);
      const move = { name: 'decline', ...(reason !== undefined && { note: reason }) } as const;
      await this.changes.move(tx, locked, move, moverOf(client));
    });
  }

  /** Belongs to the owner of the enquiry; without one who can work, it waits. */
  private orderOf(
    { enquiry }: Pick<OfferedEnquiry, 'enquiry'>,
    { terms, monthlyMinor }: BespokeOffer,
    details: AcceptanceDetails,
    placing: Placing,
  ): Order {
    const { contactName: name, contactEmail: email, contactPhone: phone } = enquiry;
    const reference = details.reference ?? enquiry.clientReference;
    requireInterconnect(details.details, placing.client, false);
    const body = {
      ...(reference !== null && { reference }),
      contact: details.contact ?? {
        ...(name !== null && { name }),
        ...(email !== null && { email }),
        ...(phone !== null && { phone }),
      },
      ...(enquiry.notes !== null && { notes: enquiry.notes }),
      details: mergedDetails(enquiry.details, details.details),
    };
    const postcode = postcodeFor(enquiry.postcode, placing.client);
    const request = { kind: 'order', body, postcode } as const;
    const { ownerId } = enquiry;
    const columns = this.placing.columnsOf(request, placing);
    return {
      ...columns,
      ...orderedColumns(
        terms,
        // What cancelling it costs, a person says: the catalogue has no price of it.
        { ...enquiry, catalogueVersion: null, cancellation: null, amountMinor: monthlyMinor },
        details,
      ),
      preferredDays: enquiry.preferredDays,
      uprn: enquiry.uprn,
      enquiryId: enquiry.id,
      quoteId: enquiry.quoteId,
      quoteLine: enquiry.quoteLine,
      checkId: enquiry.checkId,
      ...(ownerId !== null && {
        state: 'in_progress' as const,
        ownerId,
        claimedAt: columns.receivedAt,
      }),
    };
  }
}

function acknowledged({ order, replayed }: OrderOfOffer, side: Side): AcceptedOffer {
  return { message: messageOf(order, side), orderId: order.id, replayed };
}

function moverOf({ clientId, name }: ClientCaller) {
  return { kind: 'client', id: clientId, name } as const;
}

function refused(
  refusal: OfferRefusal,
  { enquiry }: OfferedEnquiry,
  offer: BespokeOffer | undefined,
) {
  if (refusal === 'unknown') return new OfferNotFound();
  if (refusal === 'expired') return new OfferExpired();
  const state = offer?.state;
  if (state === 'withdrawn' || state === 'replaced') return new OfferWithdrawn(state);
  return new EnquiryMoved(publicStateOf(enquiry));
}
