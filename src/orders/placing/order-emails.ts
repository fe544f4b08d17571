import type { OfferedProduct } from '../../catalogue/content/offer-fields.js';
import { completed, headingOf, inWords, labelledFields } from '../../catalogue/content/offers.js';
import { ApiClient, contactOfClient, isDirectClient } from '../../clients/api-client.entity.js';
import type { Tx } from '../../platform/database/engine/tx.js';
import {
  type EmailDraft,
  type EmailValue,
  oneLine,
} from '../../platform/notifications/messages/email.js';
import type { EmailKind } from '../../platform/notifications/messages/email-kinds.service.js';
import {
  type ContactDetails,
  londonTime,
  mailboxes,
  mailboxOf,
  pageRow,
  placeRows,
  type Sender,
} from '../../platform/notifications/messages/email-parts.js';
import { isProductOrder, Order, wantedInWords } from '../record/order.entity.js';

/** Of an order or an enquiry. */
export interface OrderEmailFacts {
  readonly isEnquiry: boolean;
  /** Of a caller who is no client. */
  readonly isDirect: boolean;
  readonly reference: string;
  readonly receivedAt: Date;
  readonly client: ContactDetails & { readonly company: string };
  readonly clientReference: string | null;
  /** As given with the order. */
  readonly contact: ContactDetails;
  readonly postcode: string;
  /** Of the premises that the client named. */
  readonly uprn: number | null;
  /** Null for an enquiry. */
  readonly productCode: string | null;
  /** Of an enquiry, the wanted bandwidth and term. */
  readonly productName: string;
  /** Of an enquiry, in the client's own words. */
  readonly wanted: string | null;
  /** Bandwidth, price and so on. */
  readonly terms: readonly (readonly [label: string, text: string])[];
  readonly zone: string | null;
  readonly checkId: string | null;
  readonly notes: string | null;
  /** The reference of an earlier order that may be the same. */
  readonly possibleDuplicateOf: string | null;
  /** The deadline for the first contact. */
  readonly callBy: Date | null;
}

export const newOrder: EmailKind<OrderEmailFacts> = {
  code: 'new-order',
  name: 'New order',
  about: 'order',
  to: 'sales',
  newsOf: ({ type }) => (type === 'order.received' ? {} : null),
  facts: factsOf,
  write: announcement,
};

export const newEnquiry: EmailKind<OrderEmailFacts> = {
  ...newOrder,
  code: 'new-enquiry',
  name: 'New enquiry',
  newsOf: ({ type }) => (type === 'enquiry.received' ? {} : null),
};

export const acknowledgement: EmailKind<OrderEmailFacts> = {
  code: 'acknowledgement',
  name: 'Order acknowledgement',
  about: 'order',
  to: 'client',
  bounded: true,
  isWanted: (config) => config.acknowledgeOrders,
  newsOf: (event) =>
    (event.type === 'order.received' || event.type === 'enquiry.received') &&
    event.order.contactEmail !== null
      ? {}
      : null,
  facts: factsOf,
  write: acknowledge,
};

export function orderEmails(zoneInWords: (zone: string) => string): EmailKind<OrderEmailFacts>[] {
  return [newOrder, newEnquiry, acknowledgement].map((kind) => ({
    ...kind,
    facts: async (tx, id) => {
      const facts = await kind.facts(tx, id);
      return facts?.zone ? { ...facts, zone: zoneInWords(facts.zone) } : facts;
    },
  }));
}

/** To the sales inbox. */
function announcement(order: OrderEmailFacts, sender: Sender): EmailDraft {
  const kind = order.isEnquiry ? 'enquiry' : 'order';
  const twin = order.possibleDuplicateOf;
  const person = order.contact.email === null ? order.client : order.contact;
  return {
    to: sender.salesInbox,
    replyTo: mailboxOf(person),
    subject: `New ${kind} ${order.reference}: ${order.productName} at ${order.postcode}, ${order.client.company}`,
    parts: [
      ...(twin === null
        ? []
        : [
            {
              paragraph: `Possible duplicate of ${twin}: the same client asked for ${order.isEnquiry ? 'something' : 'the same product'} at the same postcode within 24 hours.`,
            },
          ]),
      {
        paragraph: `New ${kind} from ${order.isDirect ? 'a new caller' : oneLine(order.client.company, 120)}. ${callWords(order)}`,
      },
      {
        facts: [
          ['Reference', order.reference],
          ['Received', londonTime(order.receivedAt)],
          ['Client', order.client.company],
          ["Client's reference", order.clientReference],
          ...personRows('Contact', order.contact),
          ...personRows('Client contact', order.client),
        ],
      },
      {
        facts: [
          ...placeRows(order),
          productRow(order),
          ...order.terms,
          ['Zone', order.zone],
          ['Check', order.checkId],
        ],
      },
      ...(order.wanted === null ? [] : [{ facts: [descriptionRow(order.wanted)] }]),
      { facts: [['Notes', { lines: order.notes ?? '(none)' }]] },
      { facts: [pageRow(order.reference, sender)] },
    ],
  };
}

function callWords({ callBy }: OrderEmailFacts): string {
  return callBy === null ? 'Please call them.' : `Please call them by ${londonTime(callBy)}.`;
}

/**
 * The API client chooses the address: no text of the client is in it, or it could write to anyone. It may be
 * that of the client's own customer: no price of the client is in it.
 */
function acknowledge(order: OrderEmailFacts, { salesInbox, salesContact }: Sender): EmailDraft {
  return {
    to: mailboxes({ ...order.contact, name: null }),
    replyTo: salesInbox[0],
    subject: `Your ${requestOf(order)} ${order.reference} was received`,
    parts: [
      { paragraph: 'Hello,' },
      {
        paragraph: `${order.isDirect ? 'We have logged your enquiry.' : `${order.client.company} ${order.isEnquiry ? 'sent this enquiry' : 'placed this order request'} for you.`} A member of our team will contact you.`,
      },
      {
        facts: [['Reference', order.reference], ...placeRows(order), productRow(order)],
      },
      {
        paragraph: `This is not a contract. Questions? ${salesContact}. Please quote the reference.`,
      },
    ],
  };
}

function descriptionRow(wanted: string): [string, EmailValue] {
  return ['Description', { lines: wanted }];
}

function requestOf({ isEnquiry }: OrderEmailFacts): string {
  return isEnquiry ? 'enquiry' : 'order request';
}

function productRow({ productCode, productName }: OrderEmailFacts): [string, EmailValue] {
  return productCode === null
    ? ['Wanted', productName]
    : ['Product', `${productName} (${productCode})`];
}

function personRows(
  label: string,
  { name, email, phone }: ContactDetails,
): [string, EmailValue | null][] {
  return [
    [label, name ?? (email === null && phone === null ? '(none given)' : null)],
    [`${label} phone`, phone === null ? null : { phone }],
    [`${label} email`, email === null ? null : { mail: email }],
  ];
}

async function factsOf(tx: Tx, id: string): Promise<OrderEmailFacts | null> {
  const order = await tx.findOneBy(Order, { id });
  if (!order) return null;
  const client = await tx.findOneBy(ApiClient, { id: order.clientId });
  const twinId = order.possibleDuplicateOf;
  const twin = twinId === null ? null : await tx.findOneBy(Order, { id: twinId });
  return {
    isEnquiry: order.kind === 'enquiry',
    isDirect: isDirectClient({ id: order.clientId }),
    reference: order.reference,
    receivedAt: order.receivedAt,
    client: { company: client?.name ?? '', ...contactOfClient(client) },
    clientReference: order.clientReference,
    contact: { name: order.contactName, email: order.contactEmail, phone: order.contactPhone },
    postcode: order.postcode,
    uprn: order.uprn,
    ...(isProductOrder(order)
      ? {
          productName: order.terms.name,
          productCode: order.productCode,
          terms: termRows(completed(order.terms)),
        }
      : { productName: wantedInWords(order.wanted), productCode: null, terms: [] }),
    wanted: order.wanted?.description ?? null,
    zone: order.zone,
    checkId: order.checkId,
    notes: order.notes,
    possibleDuplicateOf: twinId === null ? null : (twin?.reference ?? twinId),
    callBy: order.firstContactAt === null ? order.firstContactDueAt : null,
  };
}

/** Omits what is not stated. Such as `Monthly price (excl. VAT)`, `£1,200.00`. */
export function termRows(product: OfferedProduct): [label: string, text: string][] {
  const stated = labelledFields().filter(({ name }) => product[name] !== null);
  return stated.map((field) => [headingOf(field), inWords(field, product)]);
}
