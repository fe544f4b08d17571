import type { Mailbox } from '../../kernel/mail-address.js';
import type { EmailDraft, EmailPart, EmailValue } from './email.js';
import {
  type ContactDetails,
  greeting,
  londonTime,
  mailboxes,
  pageRow,
  placeRows,
  type Sender,
} from './email-parts.js';

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
export interface OfferEmailFacts extends AnswerFacts {
  readonly contact: ContactDetails;
  /** Of a caller who is no client. */
  readonly isDirect: boolean;
  readonly clientReference: string | null;
}

/** Offers that the client does not see before a manager approves them. */
export interface ApprovalEmailFacts extends AnswerFacts {
  /** The managers who may approve them; empty if there is none but their author. */
  readonly approvers: readonly Mailbox[];
  readonly author: string;
  readonly company: string;
  /** The wanted bandwidth and term. */
  readonly wanted: string;
}

/** To the client, or to a caller who is none. */
export function offerEmail(
  enquiry: OfferEmailFacts,
  { salesInbox, salesContact }: Sender,
): EmailDraft {
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
export function approvalEmail(answer: ApprovalEmailFacts, sender: Sender): EmailDraft {
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
