import { In } from 'typeorm';
import { majorUnits } from '../../platform/kernel/money.js';
import { completed } from '../../catalogue/content/offers.js';
import type { Tx } from '../../platform/database/engine/tx.js';
import { BespokeOffer } from '../record/bespoke-offer.entity.js';
import { totalOf } from '../record/bespoke-terms.js';
import type { Order } from '../record/order.entity.js';
import { StaffMember } from '../../staff/member/staff-member.entity.js';
import { stateNow } from '../record/print-offers.js';
import type { StaffOffer } from './follow-up.dto.js';

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
