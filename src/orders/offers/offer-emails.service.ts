import { Injectable } from '@nestjs/common';
import { IsNull } from 'typeorm';
import { isAtLeast } from '../../platform/access/scopes.js';
import { majorUnits, priceInWords } from '../../platform/kernel/money.js';
import { completed } from '../../catalogue/content/offers.js';
import { ApiClient } from '../../clients/api-client.entity.js';
import type { Tx } from '../../platform/database/engine/tx.js';
import { EmailFactsService } from '../../platform/notifications/messages/email-facts.service.js';
import type {
  ApprovalEmailFacts,
  OfferEmailFacts,
} from '../../platform/notifications/messages/offer-email.js';
import { StaffMember } from '../../staff/member/staff-member.entity.js';
import { termRows } from '../placing/order-emails.service.js';
import { Order } from '../record/order.entity.js';
import { recipientOf } from '../record/recipient.js';
import { wantedInWords } from '../record/wanted.js';
import { totalOf } from './bespoke-terms.js';
import { BespokeOffer } from '../record/bespoke-offer.entity.js';
import type { OfferState } from '../record/offer-states.js';

/** Registers the facts of the emails about the offers of an enquiry. */
@Injectable()
export class OfferEmailsService {
  constructor(sources: EmailFactsService) {
    sources.register('offer', factsOf);
    sources.register('approval-wanted', approvalFactsOf);
  }
}

/** Null where no offer is open any more, or the caller gave no address. */
async function factsOf(tx: Tx, id: string): Promise<OfferEmailFacts | null> {
  const enquiry = await tx.findOneBy(Order, { id, state: 'offered' });
  if (!enquiry) return null;
  const offers = await offersIn(tx, id, 'open');
  if (offers.length === 0) return null;
  const { isDirect, contact } = await recipientOf(tx, enquiry);
  if (contact.email === null) return null;
  const { clientReference } = enquiry;
  return { ...answerFacts(enquiry, offers), isDirect, contact, clientReference };
}

/** Null where no offer awaits approval any more. */
async function approvalFactsOf(tx: Tx, id: string): Promise<ApprovalEmailFacts | null> {
  const enquiry = await tx.findOneBy(Order, { id, closedAt: IsNull() });
  const offers = enquiry ? await offersIn(tx, id, 'awaitingApproval') : [];
  if (!enquiry || offers.length === 0) return null;
  const client = await tx.findOneBy(ApiClient, { id: enquiry.clientId });
  const members = await tx.find(StaffMember, { order: { id: 'ASC' } });
  const author = members.find((one) => one.id === offers[0]!.createdBy);
  const facts = answerFacts(enquiry, offers);
  return {
    ...facts,
    offers: facts.offers.map((offer, i) => ({
      ...offer,
      terms: [...offer.terms, ...approvalRows(offers[i]!)],
    })),
    approvers: members
      .filter((one) => one.enabled && isAtLeast(one.role, 'manager') && one !== author)
      .map(({ name, email }) => ({ name, address: email })),
    author: author?.name ?? 'Someone',
    company: client?.name ?? '',
    wanted: wantedInWords(enquiry.wanted),
  };
}

function approvalRows({ terms, approvalReason }: BespokeOffer): [label: string, text: string][] {
  const { amountMinor, currency } = totalOf(terms);
  const total = priceInWords(majorUnits(amountMinor, currency), currency);
  return [
    ['Over the term', `${total}, excluding VAT`],
    ...(approvalReason === null ? [] : [['Why', approvalReason] as [string, string]]),
  ];
}

function offersIn(tx: Tx, enquiryId: string, state: OfferState): Promise<BespokeOffer[]> {
  return tx.find(BespokeOffer, { where: { enquiryId, state }, order: { id: 'ASC' } });
}

function answerFacts(
  { reference, postcode, uprn }: Order,
  offers: readonly BespokeOffer[],
): Pick<OfferEmailFacts, 'reference' | 'postcode' | 'uprn' | 'offers'> {
  return {
    reference,
    postcode,
    uprn,
    offers: offers.map(({ terms, validUntil, note }) => ({
      name: terms.name,
      productCode: terms.productCode,
      terms: termRows(completed(terms)),
      validUntil,
      note,
    })),
  };
}
