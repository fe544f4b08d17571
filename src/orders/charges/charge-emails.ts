import { majorUnits, priceInWords } from '../../platform/kernel/money.js';
import type { Tx } from '../../platform/database/engine/tx.js';
import type { EmailKind } from '../../platform/notifications/messages/email-kinds.service.js';
import { londonTime, severalLines } from '../../platform/notifications/messages/email-parts.js';
import { type EmailFacts, readWords } from '../../platform/notifications/messages/email-words.js';
import type { ChargeStep } from '../../platform/notifications/messages/order-event.js';
import { Charge } from '../record/charge.entity.js';
import { chargeCategoryNames } from '../record/charge-states.js';
import { Order } from '../record/order.entity.js';
import { type Recipient, recipientOf } from '../staff/client-notices.service.js';

/** A charge, its order, and who receives emails about it. */
interface ReportedCharge {
  readonly charge: Charge;
  readonly order: Order;
  readonly recipient: Recipient;
}

/** What differs between the kinds. */
interface ChargeEmail {
  readonly code: string;
  readonly name: string;
  readonly to: 'client' | 'sales';
  readonly newsOf: EmailKind['newsOf'];
  /** Facts that the others lack; null if the email is not needed any more. */
  readonly more?: (reported: ReportedCharge) => EmailFacts | null;
}

export const chargeEmails: readonly EmailKind[] = [
  chargeEmail({
    code: 'charge-proposed',
    name: 'Extra charge proposed',
    to: 'client',
    newsOf: newsOf('proposed'),
    more: ({ charge: { state, dueAt }, recipient: { isDirect } }) => {
      // Another email follows, or the client knows already.
      if (state !== 'awaitingResponse' && state !== 'accepted') return null;
      return { isAccepted: state === 'accepted', isDirect, answerBy: londonTime(dueAt) };
    },
  }),
  chargeEmail({
    code: 'charge-lapsed',
    name: 'Extra charge lapsed',
    to: 'client',
    newsOf: newsOf('lapsed'),
    more: ({ order }) => ({ isInDelivery: order.state === 'won' }),
  }),
  chargeEmail({
    code: 'charge-withdrawn',
    name: 'Extra charge withdrawn',
    to: 'client',
    newsOf: newsOf('withdrawn'),
  }),
  chargeEmail({
    code: 'charge-answered',
    name: 'Extra charge answered',
    to: 'sales',
    newsOf: newsOf('answered'),
    more: ({ charge, recipient: { company } }) => {
      const { state, answeredBy } = charge;
      return { state, company, answeredBy: answeredBy ?? '(not stated)' };
    },
  }),
  chargeEmail({
    // An open order becomes due for its owner instead.
    code: 'delivery-charge-lapsed',
    name: 'Extra charge of a delivery lapsed',
    to: 'sales',
    newsOf: (event) =>
      'state' in event && event.state === 'accepted' ? newsOf('lapsed')!(event) : null,
    more: ({ charge: { state }, recipient: { company } }) => ({ state, company }),
  }),
];

function chargeEmail({ more = () => ({}), ...kind }: ChargeEmail): EmailKind {
  return {
    ...kind,
    about: 'charge',
    words: readWords(kind.code, import.meta.url),
    facts: async (tx, id) => {
      const reported = await read(tx, id);
      // Such a caller gave no address.
      const isUnreachable = kind.to === 'client' && reported?.recipient.contact.email === null;
      const facts = reported && !isUnreachable && more(reported);
      if (!facts) return null;
      const { contact } = reported.recipient;
      return { contact, facts: { ...chargeFacts(reported), ...facts } };
    },
  };
}

/** An answer that staff record is no news to staff. */
function newsOf(step: ChargeStep): EmailKind['newsOf'] {
  return (event) => {
    if (event.type !== `order.charge-${step}` || !('charge' in event)) return null;
    if (step === 'answered' && event.charge.by !== 'client') return null;
    return { subjectId: event.charge.id };
  };
}

function chargeFacts({ charge, order }: ReportedCharge): EmailFacts {
  return {
    reference: order.reference,
    clientReference: order.clientReference,
    postcode: order.postcode,
    productName: order.terms?.name ?? '',
    category: chargeCategoryNames[charge.category],
    amount: priceInWords(majorUnits(charge.amountMinor, charge.currency), charge.currency),
    note: severalLines(charge.note),
  };
}

async function read(tx: Tx, id: string): Promise<ReportedCharge | null> {
  const charge = await tx.findOneBy(Charge, { id });
  const order = charge && (await tx.findOneBy(Order, { id: charge.orderId }));
  return order && { charge, order, recipient: await recipientOf(tx, order) };
}
