import { In, IsNull } from 'typeorm';
import { majorUnits } from '../../platform/kernel/money.js';
import { oneOf } from '../../platform/database/engine/rows.js';
import type { Tx } from '../../platform/database/engine/tx.js';
import { BespokeOffer } from './bespoke-offer.entity.js';
import {
  isOpenAt,
  type OfferState,
  type PublicOfferState,
  publicOfferStates,
} from './offer-states.js';
import type { Order } from './order.entity.js';
import type { OrdersTx } from './order-tables.js';
import { completed } from '../../catalogue/content/offers.js';
import type { EnquiryOffer } from './enquiries.dto.js';

/** The offers of enquiries that their client may see, oldest first, by the id of the enquiry. */
export async function shownOffers(
  tx: OrdersTx,
  enquiries: readonly Order[],
  now: Date,
): Promise<ReadonlyMap<string, EnquiryOffer[]>> {
  const shown = new Map(enquiries.map(({ id }) => [id, [] as EnquiryOffer[]]));
  if (enquiries.length === 0) return shown;
  const offers = await tx.find(tx.offers, {
    where: { enquiryId: In([...shown.keys()]) },
    order: { id: 'ASC' },
  });
  const byId = new Map(enquiries.map((enquiry) => [enquiry.id, enquiry]));
  for (const offer of offers) {
    const enquiry = byId.get(offer.enquiryId)!;
    const state = publicOfferState(offer, enquiry, now);
    if (state === null) continue;
    shown.get(enquiry.id)!.push({
      offerId: offer.id,
      state,
      product: completed(offer.terms),
      validUntil: offer.validUntil,
      note: offer.note,
      orderId: offer.orderId,
    });
  }
  return shown;
}

/** The id of the offer that each order accepts. */
export async function acceptedOffers(
  tx: OrdersTx,
  orders: readonly Order[],
): Promise<ReadonlyMap<string, string>> {
  const enquiries = orders.flatMap(({ enquiryId }) => enquiryId ?? []);
  if (enquiries.length === 0) return new Map();
  const accepted = { enquiryId: In(enquiries), state: 'accepted' as const };
  const offers = await tx.findBy(tx.offers, accepted);
  return new Map(offers.flatMap(({ id, orderId }) => (orderId === null ? [] : [[orderId, id]])));
}

/** Null if the client has never seen it. */
function publicOfferState(offer: BespokeOffer, enquiry: Order, now: Date): PublicOfferState | null {
  if (offer.openedAt === null) return null;
  const state = stateNow(offer, enquiry, now);
  return publicOfferStates.find((publicState) => publicState === state) ?? null;
}

/** A month, excluding VAT, in major units. */
interface MonthlyPrice {
  readonly price: number;
  readonly currency: string;
}

/** The price of the accepted offer or, before that, the highest one of the open offers, of those of these orders that are enquiries with offers. */
export async function offeredPrices(
  tx: Tx,
  orders: readonly Order[],
  now: Date,
): Promise<ReadonlyMap<string, MonthlyPrice>> {
  const enquiries = orders.filter(
    ({ kind, state }) => kind === 'enquiry' && (state === 'offered' || state === 'won'),
  );
  if (enquiries.length === 0) return new Map();
  const byId = new Map(enquiries.map((enquiry) => [enquiry.id, enquiry]));
  const offers = await tx.findBy(BespokeOffer, {
    enquiryId: oneOf(byId.keys()),
    state: In(['open', 'accepted']),
  });
  const highest = new Map<string, MonthlyPrice>();
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

/**
 * Stores the end of the offers of an enquiry that is closed and about to be reopened: what its client has read of
 * them stays true.
 * @param enquiry as it was closed; its row is locked
 */
export async function storeEndOfOffers(tx: OrdersTx, enquiry: Order, now: Date): Promise<void> {
  const offers = await tx.findBy(tx.offers, { enquiryId: enquiry.id, endedAt: IsNull() });
  for (const offer of offers) {
    const state = stateNow(offer, enquiry, now);
    await tx.update(tx.offers, { id: offer.id }, { state, endedAt: enquiry.closedAt });
  }
}

/** Offers end with their enquiry and with their time at once, although the service stores that later. */
export function stateNow(offer: BespokeOffer, enquiry: Order, now: Date): OfferState {
  if (offer.state === 'awaitingApproval')
    return enquiry.closedAt === null ? offer.state : 'withdrawn';
  if (offer.state !== 'open') return offer.state;
  if (enquiry.state !== 'offered') {
    const { closedAt } = enquiry;
    return closedAt === null || isOpenAt(offer, closedAt) ? 'withdrawn' : 'expired';
  }
  return isOpenAt(offer, now) ? 'open' : 'expired';
}
