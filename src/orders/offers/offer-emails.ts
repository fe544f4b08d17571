import { IsNull } from 'typeorm';
import { isAtLeast } from '../../platform/access/scopes.js';
import type { Mailbox } from '../../platform/kernel/mail-address.js';
import { majorUnits, priceInWords } from '../../platform/kernel/money.js';
import { completed } from '../../catalogue/content/offers.js';
import { ApiClient } from '../../clients/api-client.entity.js';
import type { Tx } from '../../platform/database/engine/tx.js';
import type {
  EmailDraft,
  EmailPart,
  EmailValue,
} from '../../platform/notifications/messages/email.js';
import type { EmailKind } from '../../platform/notifications/messages/email-kinds.service.js';
import {
  type ContactDetails,
  greeting,
  londonTime,
  mailboxes,
  pageRow,
  placeRows,
  type Sender,
} from '../../platform/notifications/messages/email-parts.js';
import { StaffMember } from '../../staff/member/staff-member.entity.js';
import { termRows } from '../placing/order-emails.js';
import { BespokeOffer } from '../record/bespoke-offer.entity.js';
import type { OfferState } from '../record/offer-states.js';
import { Order, wantedInWords } from '../record/order.entity.js';
import { recipientOf } from '../record/recipient.js';
import { totalOf } from '../record/bespoke-terms.js';

interface AnswerFacts {
  /** Of the enquiry. */
  readonly reference: string;
  readonly postcode: string;
  readonly uprn: number | null;
  readonly offers: readonly {
    readonly name: string;
    readonly productCode: string;
    readonly terms: readonly (readonly [label: string, text: string])[];
    readonly validUntil: Date;
    readonly note: string | null;
  }[];
}

/** Offers in answer to an enquiry. */
interface OfferEmailFacts extends AnswerFacts {
  readonly contact: ContactDetails;
  /** Of a caller who is no client. */
  readonly isDirect: boolean;
  readonly clientReference: string | null;
}

/** Offers that the client does not see before a manager approves them. */
interface ApprovalEmailFacts extends AnswerFacts {
  /** The managers who may approve them; empty if there is none but their author. */
  readonly approvers: readonly Mailbox[];
  readonly author: string;
  readonly company: string;
  /** The wanted bandwidth and term. */
  readonly wanted: string;
}

export const offerEmail: EmailKind<OfferEmailFacts> = {
  code: 'offer',
  name: 'Offer',
  about: 'order',
  to: 'client',
  newsOf: ({ type }) => (type === 'enquiry.offered' ? {} : null),
  facts: factsOf,
  write: writeOffer,
};

export const approvalWanted: EmailKind<ApprovalEmailFacts> = {
  code: 'approval-wanted',
  name: 'Offer awaits approval',
  about: 'order',
  to: 'staff',
  facts: approvalFactsOf,
  write: askApproval,
};

/** To the client, or to a caller who is none. */
function writeOffer(enquiry: OfferEmailFacts, { salesInbox, salesContact }: Sender): EmailDraft {
  const { reference, contact, isDirect, clientReference } = enquiry;
  return {
    to: mailboxes(contact),
    replyTo: salesInbox[0],
    subject: `Our offer for your enquiry ${reference}`,
    parts: [
      greeting(contact),
      {
        paragraph: isDirect
          ? 'Thank you for your enquiry. This is our offer.'
          : `This is our offer in answer to your enquiry ${reference}.`,
      },
      {
        facts: [
          ['Reference', reference],
          ['Your reference', clientReference],
          ...placeRows(enquiry),
        ],
      },
      ...offerParts(enquiry),
      {
        paragraph: isDirect
          ? `To accept an offer, or to ask a question, contact us: ${salesContact}. Please quote the reference ${reference}.`
          : `To accept an offer, use the API, or tell us: ${salesContact}. Please quote the reference.`,
      },
    ],
  };
}

/** To the managers, or to the sales inbox if no one else may approve. */
function askApproval(answer: ApprovalEmailFacts, sender: Sender): EmailDraft {
  const { approvers, author, reference, company, wanted } = answer;
  return {
    to: approvers.length > 0 ? approvers : sender.salesInbox,
    subject: `Approval needed: offer for ${reference}, ${company}`,
    parts: [
      {
        paragraph: `${author} has answered an enquiry with an offer that needs approval. The client sees it when a manager other than its author has approved it.`,
      },
      {
        facts: [
          ['Enquiry', reference],
          ['Client', company],
          ...placeRows(answer),
          ['Wanted', wanted],
        ],
      },
      ...offerParts(answer),
      {
        facts: [
          pageRow(reference, sender),
          ['Approve or refuse', { link: `${sender.publicUrl}/staff/approvals` }],
        ],
      },
    ],
  };
}

function offerParts({ offers }: AnswerFacts): EmailPart[] {
  return offers.map((offer) => ({
    facts: [
      ['Offer', `${offer.name} (${offer.productCode})`],
      ...offer.terms.map(([label, text]): [string, EmailValue] => [label, text]),
      ['Valid until', londonTime(offer.validUntil)],
      ...(offer.note === null ? [] : [['Note', { lines: offer.note }] as [string, EmailValue]]),
    ],
  }));
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
    ['Total over the term', `${total}, excluding VAT`],
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
