import { IsNull } from 'typeorm';
import { isAtLeast } from '../../platform/access/scopes.js';
import { majorUnits, priceInWords } from '../../platform/kernel/money.js';
import { completed } from '../../catalogue/content/offers.js';
import { ApiClient } from '../../clients/api-client.entity.js';
import type { Tx } from '../../platform/database/engine/tx.js';
import type {
  EmailKind,
  EmailLetter,
} from '../../platform/notifications/messages/email-kinds.service.js';
import {
  londonTime,
  placeFacts,
  severalLines,
} from '../../platform/notifications/messages/email-parts.js';
import { type EmailFacts, readWords } from '../../platform/notifications/messages/email-words.js';
import { StaffMember } from '../../staff/member/staff-member.entity.js';
import { termRows } from '../placing/order-emails.js';
import { BespokeOffer } from '../record/bespoke-offer.entity.js';
import type { OfferState } from '../record/offer-states.js';
import { Order, wantedInWords } from '../record/order.entity.js';
import { recipientOf } from '../staff/client-notices.service.js';
import { totalOf } from '../record/bespoke-terms.js';

/** To the client, or to a caller who is none. */
export const offerEmail: EmailKind = {
  code: 'offer',
  name: 'Offer',
  about: 'order',
  to: 'client',
  words: readWords('offer', import.meta.url),
  newsOf: ({ type }) => (type === 'enquiry.offered' ? {} : null),
  facts: offerLetter,
};

/** To the managers who may approve an offer, or to the sales inbox if there is none but its author. */
export const approvalWanted: EmailKind = {
  code: 'approval-wanted',
  name: 'Offer awaits approval',
  about: 'order',
  to: 'staff',
  words: readWords('approval-wanted', import.meta.url),
  facts: approvalLetter,
};

/** Null where no offer is open any more, or the caller gave no address. */
async function offerLetter(tx: Tx, id: string): Promise<EmailLetter | null> {
  const enquiry = await tx.findOneBy(Order, { id, state: 'offered' });
  if (!enquiry) return null;
  const offers = await offersIn(tx, id, 'open');
  if (offers.length === 0) return null;
  const { isDirect, contact } = await recipientOf(tx, enquiry);
  if (contact.email === null) return null;
  const { reference, clientReference } = enquiry;
  return {
    contact,
    facts: {
      ...placeFacts(enquiry),
      reference,
      clientReference,
      isDirect,
      offers: offers.map(offerFacts),
    },
  };
}

/** Null where no offer awaits approval any more. */
async function approvalLetter(tx: Tx, id: string): Promise<EmailLetter | null> {
  const enquiry = await tx.findOneBy(Order, { id, closedAt: IsNull() });
  const offers = enquiry ? await offersIn(tx, id, 'awaitingApproval') : [];
  if (!enquiry || offers.length === 0) return null;
  const client = await tx.findOneBy(ApiClient, { id: enquiry.clientId });
  const members = await tx.find(StaffMember, { order: { id: 'ASC' } });
  const author = members.find((member) => member.id === offers[0]!.createdBy);
  return {
    to: members
      .filter((member) => member.enabled && isAtLeast(member.role, 'manager') && member !== author)
      .map(({ name, email }) => ({ name, address: email })),
    facts: {
      ...placeFacts(enquiry),
      reference: enquiry.reference,
      author: author?.name ?? 'Someone',
      company: client?.name ?? '',
      wanted: wantedInWords(enquiry.wanted),
      offers: offers.map((offer) => {
        const { amountMinor, currency } = totalOf(offer.terms);
        const total = priceInWords(majorUnits(amountMinor, currency), currency);
        return { ...offerFacts(offer), total, reason: offer.approvalReason };
      }),
    },
  };
}

function offersIn(tx: Tx, enquiryId: string, state: OfferState): Promise<BespokeOffer[]> {
  return tx.find(BespokeOffer, { where: { enquiryId, state }, order: { id: 'ASC' } });
}

function offerFacts({ terms, validUntil, note }: BespokeOffer): EmailFacts {
  return {
    name: terms.name,
    productCode: terms.productCode,
    terms: termRows(completed(terms)),
    validUntil: londonTime(validUntil),
    note: severalLines(note),
  };
}
