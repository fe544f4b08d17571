import { majorUnits, priceInWords } from '../../platform/kernel/money.js';
import type { Tx } from '../../platform/database/engine/tx.js';
import type { EmailDraft, EmailValue } from '../../platform/notifications/messages/email.js';
import type { EmailKind } from '../../platform/notifications/messages/email-kinds.service.js';
import {
  type ContactDetails,
  greeting,
  londonTime,
  mailboxes,
  mailboxOf,
  pageRow,
  type Sender,
} from '../../platform/notifications/messages/email-parts.js';
import type { ChargeStep } from '../../platform/notifications/messages/order-event.js';
import { Charge } from '../record/charge.entity.js';
import { chargeCategoryNames } from '../record/charge-states.js';
import { Order } from '../record/order.entity.js';
import { recipientOf } from '../record/recipient.js';

/** An extra charge on an order, for its client or for the sales inbox. */
interface ChargeEmailFacts {
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
  /** The order is in delivery, or live. */
  readonly isAccepted: boolean;
}

export const chargeEmails: readonly EmailKind<ChargeEmailFacts>[] = [
  {
    code: 'charge-proposed',
    name: 'Extra charge proposed',
    about: 'charge',
    to: 'client',
    newsOf: newsOf('proposed'),
    facts: proposalFacts,
    write: (charge, sender) =>
      chargeEmail(charge, sender, {
        subject: 'Extra charge proposed',
        what:
          charge.state === 'accepted'
            ? 'We propose an extra charge on this order. It is within the amount that the order accepts in advance, so it is accepted.'
            : `We propose an extra charge on this order. Please accept or reject it by ${londonTime(charge.dueAt)}, ${charge.isDirect ? 'by contacting us' : 'with the API or by contacting us'}. Without an answer it lapses.`,
      }),
  },
  {
    code: 'charge-lapsed',
    name: 'Extra charge lapsed',
    about: 'charge',
    to: 'client',
    newsOf: newsOf('lapsed'),
    facts: factsForClient,
    write: (charge, sender) =>
      chargeEmail(charge, sender, {
        subject: 'Extra charge lapsed',
        what: `We received no answer to this extra charge in time. You can no longer accept it. ${charge.isAccepted ? 'Your order remains accepted' : 'The order stays open'}, and we will contact you.`,
      }),
  },
  {
    code: 'charge-withdrawn',
    name: 'Extra charge withdrawn',
    about: 'charge',
    to: 'client',
    newsOf: newsOf('withdrawn'),
    facts: factsForClient,
    write: (charge, sender) =>
      chargeEmail(charge, sender, {
        subject: 'Extra charge withdrawn',
        what: 'We have withdrawn this extra charge. You need not answer it.',
      }),
  },
  {
    code: 'charge-answered',
    name: 'Extra charge answered',
    about: 'charge',
    to: 'sales',
    newsOf: newsOf('answered'),
    facts: factsOf,
    write: (charge, sender) =>
      salesEmail(charge, sender, {
        what: `The client ${charge.state} an extra charge.`,
        rows: [['Answered by', charge.answeredBy ?? '(not stated)']],
      }),
  },
  {
    // An open order becomes due for its owner instead.
    code: 'delivery-charge-lapsed',
    name: 'Extra charge of a delivery lapsed',
    about: 'charge',
    to: 'sales',
    newsOf: (event) =>
      'state' in event && event.state === 'accepted' ? newsOf('lapsed')(event) : null,
    facts: factsOf,
    write: (charge, sender) =>
      salesEmail(charge, sender, {
        what: 'The client has not answered an extra charge of an accepted order in time. Contact the client.',
        rows: [],
      }),
  },
];

function salesEmail(
  charge: ChargeEmailFacts,
  sender: Sender,
  { what, rows }: { readonly what: string; readonly rows: [string, EmailValue | null][] },
): EmailDraft {
  return {
    to: sender.salesInbox,
    replyTo: mailboxOf(charge.contact),
    subject: `Extra charge ${charge.state}: ${charge.reference}, ${charge.company}`,
    parts: [
      { paragraph: what },
      { facts: [...chargeRows(charge, "Client's reference"), ...rows] },
      { facts: [pageRow(charge.reference, sender)] },
    ],
  };
}

/** An answer that staff record is no news to staff. */
function newsOf(step: ChargeStep): NonNullable<EmailKind['newsOf']> {
  return (event) => {
    if (event.type !== `order.charge-${step}` || !('charge' in event)) return null;
    if (step === 'answered' && event.charge.by !== 'client') return null;
    return { subjectId: event.charge.id };
  };
}

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

/** Null if another email follows, or the client knows already. */
async function proposalFacts(tx: Tx, id: string): Promise<ChargeEmailFacts | null> {
  const facts = await factsForClient(tx, id);
  return facts?.state === 'awaitingResponse' || facts?.state === 'accepted' ? facts : null;
}

/** Null where the caller gave no address. */
async function factsForClient(tx: Tx, id: string): Promise<ChargeEmailFacts | null> {
  const facts = await factsOf(tx, id);
  return facts?.contact.email == null ? null : facts;
}

async function factsOf(tx: Tx, id: string): Promise<ChargeEmailFacts | null> {
  const charge = await tx.findOneBy(Charge, { id });
  const order = charge && (await tx.findOneBy(Order, { id: charge.orderId }));
  if (!order) return null;
  const { isDirect, company, contact } = await recipientOf(tx, order);
  return {
    reference: order.reference,
    company,
    contact,
    isDirect,
    clientReference: order.clientReference,
    postcode: order.postcode,
    productName: order.terms?.name ?? '',
    category: chargeCategoryNames[charge.category],
    amount: priceInWords(majorUnits(charge.amountMinor, charge.currency), charge.currency),
    note: charge.note,
    dueAt: charge.dueAt,
    state: charge.state,
    answeredBy: charge.answeredBy,
    isAccepted: order.state === 'won',
  };
}
