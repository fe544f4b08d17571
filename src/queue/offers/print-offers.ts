import { In } from 'typeorm';
import { majorUnits } from '../../platform/kernel/money.js';
import { completed } from '../../catalogue/content/offers.js';
import { oneOf } from '../../platform/database/engine/rows.js';
import type { Tx } from '../../platform/database/engine/tx.js';
import { BespokeOffer } from '../../orders/offers/bespoke-offer.entity.js';
import { totalOf } from '../../orders/offers/bespoke-terms.js';
import { isOpenAt } from '../../orders/offers/offer-rules.js';
import type { OfferState } from '../../orders/offers/offer-states.js';
import type { Order } from '../../orders/record/order.entity.js';
import { StaffMember } from '../../staff/staff-member.entity.js';
import type { OfferedPrice } from '../../orders/staff/follow-up.dto.js';
import type { StaffOffer } from './offers.dto.js';

/** Offers as staff see them, with the names of their authors. */
export async function printOffers(
  tx: Tx,
  enquiries: readonly Order[],
  offers: readonly BespokeOffer[],
  now: Date,
): Promise<StaffOffer[]> {
  const ids = new Set(
    offers.flatMap(({ createdBy, approverId }) => [createdBy ?? [], approverId ?? []].flat()),
  );
  const staff = ids.size === 0 ? [] : await tx.findBy(StaffMember, { id: In([...ids]) });
  const names = new Map(staff.map(({ id, name }) => [id, name]));
  const byId = new Map(enquiries.map((enquiry) => [enquiry.id, enquiry]));
  return offers.map((offer) => {
    const { amountMinor, currency } = totalOf(offer.terms);
    return {
      offerId: offer.id,
      answer: offer.answer,
      state: stateNow(offer, byId.get(offer.enquiryId)!, now),
      product: completed(offer.terms),
      total: majorUnits(amountMinor, currency),
      validUntil: offer.validUntil,
      note: offer.note,
      createdAt: offer.createdAt,
      authorId: offer.createdBy,
      authorName: names.get(offer.createdBy ?? '') ?? null,
      approvalReason: offer.approvalReason,
      openedAt: offer.openedAt,
      approverName: names.get(offer.approverId ?? '') ?? null,
      endedAt: offer.endedAt,
      orderId: offer.orderId,
    };
  });
}

/** `FollowUpOrder.offered` of those of these orders that are enquiries with offers. */
export async function offeredPrices(
  tx: Tx,
  orders: readonly Order[],
  now: Date,
): Promise<ReadonlyMap<string, OfferedPrice>> {
  const enquiries = orders.filter(
    ({ kind, state }) => kind === 'enquiry' && (state === 'offered' || state === 'won'),
  );
  if (enquiries.length === 0) return new Map();
  const byId = new Map(enquiries.map((enquiry) => [enquiry.id, enquiry]));
  const offers = await tx.findBy(BespokeOffer, {
    enquiryId: oneOf(byId.keys()),
    state: In(['open', 'accepted']),
  });
  const highest = new Map<string, OfferedPrice>();
  for (const offer of offers) {
    const state = stateNow(offer, byId.get(offer.enquiryId)!, now);
    const price = majorUnits(offer.monthlyMinor, offer.currency);
    const isHigher = price > (highest.get(offer.enquiryId)?.price ?? -1);
    if ((state === 'open' || state === 'accepted') && isHigher) {
      highest.set(offer.enquiryId, { price, currency: offer.currency });
    }
  }
  return highest;
}

/** Offers end with their enquiry and with their time at once, although the service stores that later. */
function stateNow(offer: BespokeOffer, enquiry: Order, now: Date): OfferState {
  if (offer.state === 'awaitingApproval')
    return enquiry.closedAt === null ? offer.state : 'withdrawn';
  if (offer.state !== 'open') return offer.state;
  if (enquiry.state !== 'offered') return 'withdrawn';
  return isOpenAt(offer, now) ? 'open' : 'expired';
}
