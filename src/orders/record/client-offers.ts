import { In } from 'typeorm';
import { completed } from '../../catalogue/content/offers.js';
import type { Tx } from '../../platform/database/engine/tx.js';
import type { Order, OrderSide } from './order.entity.js';
import { type BespokeOffer, offersOf } from './bespoke-offer.entity.js';
import type { EnquiryOffer } from './enquiries.dto.js';
import { isOpenAt } from './offer-states.js';
import { type PublicOfferState, publicOfferStates } from './offer-states.js';

/** The offers of enquiries that their client may see, oldest first, by the id of the enquiry. */
export async function shownOffers(
  tx: Tx,
  enquiries: readonly Order[],
  side: OrderSide,
  now: Date,
): Promise<ReadonlyMap<string, EnquiryOffer[]>> {
  const shown = new Map(enquiries.map(({ id }) => [id, [] as EnquiryOffer[]]));
  if (enquiries.length === 0) return shown;
  const offers = await tx.find(offersOf(side), {
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

/**
 * Null if the client has never seen it. Offers end with their enquiry and with their time at once, although
 * the service stores that a little later.
 */
function publicOfferState(offer: BespokeOffer, enquiry: Order, now: Date): PublicOfferState | null {
  if (offer.openedAt === null) return null;
  if (offer.state !== 'open') return publicOfferStates.find((one) => one === offer.state) ?? null;
  if (enquiry.state !== 'offered') return 'withdrawn';
  return isOpenAt(offer, now) ? 'open' : 'expired';
}
