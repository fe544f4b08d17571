import type { EmailDraft, EmailValue } from './email.js';
import {
  type ContactDetails,
  greeting,
  londonTime,
  mailboxes,
  mailboxOf,
  pageRow,
  type Sender,
} from './email-parts.js';

/** An extra charge on an order, for its client or for the sales inbox. */
export interface ChargeEmailFacts {
  readonly reference: string;
  readonly company: string;
  readonly contact: ContactDetails;
  /** Of a caller who is no client. */
  readonly isDirect: boolean;
  readonly clientReference: string | null;
  readonly postcode: string;
  readonly productName: string;
  /** Such as `Survey`. */
  readonly category: string;
  /** Such as `£250.00`. */
  readonly amount: string;
  readonly note: string | null;
  readonly dueAt: Date;
  /** Such as `accepted`. */
  readonly state: string;
  readonly answeredBy: string | null;
}

type ChargeEmail = (charge: ChargeEmailFacts, sender: Sender) => EmailDraft;

export const chargeEmails = {
  'charge-proposed': (charge, sender) =>
    chargeEmail(charge, sender, {
      subject: 'Extra charge proposed',
      what:
        charge.state === 'accepted'
          ? 'We propose an extra charge on this order. It is within the amount that the order accepts in advance, so it is accepted.'
          : `We propose an extra charge on this order. Please accept or reject it by ${londonTime(charge.dueAt)}, ${charge.isDirect ? 'by contacting us' : 'with the API or by contacting us'}. Without an answer it lapses.`,
    }),

  'charge-lapsed': (charge, sender) =>
    chargeEmail(charge, sender, {
      subject: 'Extra charge lapsed',
      what: 'We received no answer to this extra charge in time. You can no longer accept it. The order stays open, and we will contact you.',
    }),

  'charge-withdrawn': (charge, sender) =>
    chargeEmail(charge, sender, {
      subject: 'Extra charge withdrawn',
      what: 'We have withdrawn this extra charge. You need not answer it.',
    }),

  'charge-answered': (charge, sender) => ({
    to: sender.salesInbox,
    replyTo: mailboxOf(charge.contact),
    subject: `Extra charge ${charge.state}: ${charge.reference}, ${charge.company}`,
    parts: [
      { paragraph: `The client ${charge.state} an extra charge.` },
      {
        facts: [
          ...chargeRows(charge, "Client's reference"),
          ['Answered by', charge.answeredBy ?? '(not stated)'],
        ],
      },
      { facts: [pageRow(charge.reference, sender)] },
    ],
  }),
} satisfies Record<string, ChargeEmail>;

interface ChargeNews {
  readonly subject: string;
  readonly what: string;
}

function chargeEmail(
  charge: ChargeEmailFacts,
  { salesInbox, salesContact }: Sender,
  { subject, what }: ChargeNews,
): EmailDraft {
  return {
    to: mailboxes(charge.contact),
    replyTo: salesInbox[0],
    subject: `${subject}: ${charge.reference}`,
    parts: [
      greeting(charge.contact),
      { paragraph: what },
      { facts: chargeRows(charge, 'Your reference') },
      { paragraph: `Questions? ${salesContact}. Please quote the reference.` },
    ],
  };
}

function chargeRows(
  charge: ChargeEmailFacts,
  referenceLabel: string,
): [string, EmailValue | null][] {
  return [
    ['Reference', charge.reference],
    [referenceLabel, charge.clientReference],
    ['Postcode', charge.postcode],
    ['Product', charge.productName],
    ['Charge', `${charge.category}, ${charge.amount} once, excluding VAT`],
    ['Note', charge.note === null ? null : { lines: charge.note }],
  ];
}
