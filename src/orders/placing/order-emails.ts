import type { OfferedProduct } from '../../catalogue/content/offer-fields.js';
import { completed, headingOf, inWords, labelledFields } from '../../catalogue/content/offers.js';
import { ApiClient, contactOfClient, isDirectClient } from '../../clients/api-client.entity.js';
import type { Tx } from '../../platform/database/engine/tx.js';
import { oneLine } from '../../platform/notifications/messages/email.js';
import type {
  EmailKind,
  EmailLetter,
} from '../../platform/notifications/messages/email-kinds.service.js';
import {
  type ContactDetails,
  londonTime,
  placeFacts,
  severalLines,
} from '../../platform/notifications/messages/email-parts.js';
import {
  type EmailFacts,
  type EmailRow,
  readWords,
} from '../../platform/notifications/messages/email-words.js';
import { isProductOrder, Order, wantedInWords } from '../record/order.entity.js';

/** An order or an enquiry, and what its emails say of others. */
export interface ReportedOrder {
  readonly order: Order;
  readonly client: ApiClient | null;
  /** The reference of an earlier order that may be the same. */
  readonly duplicateOf: string | null;
}

type ZoneInWords = (zone: string) => string;

export function orderEmails(zoneInWords: ZoneInWords): EmailKind[] {
  const facts = async (tx: Tx, id: string) => {
    const reported = await read(tx, id);
    return reported && announcementOf(reported, zoneInWords);
  };
  const newsOf =
    (type: string): EmailKind['newsOf'] =>
    (event) =>
      event.type === type ? {} : null;
  return [
    { ...newOrder, newsOf: newsOf('order.received'), facts },
    { ...newEnquiry, newsOf: newsOf('enquiry.received'), facts },
    {
      ...acknowledgement,
      bounded: true,
      isWanted: (config) => config.acknowledgeOrders,
      newsOf: (event) =>
        (event.type === 'order.received' || event.type === 'enquiry.received') &&
        event.order.contactEmail !== null
          ? {}
          : null,
      facts: async (tx, id) => {
        const reported = await read(tx, id);
        return reported && acknowledgementOf(reported);
      },
    },
  ];
}

export const newOrder = {
  code: 'new-order',
  name: 'New order',
  about: 'order',
  to: 'sales',
  words: readWords('new-order', import.meta.url),
} as const;

export const newEnquiry = {
  ...newOrder,
  code: 'new-enquiry',
  name: 'New enquiry',
  words: readWords('new-enquiry', import.meta.url),
} as const;

export const acknowledgement = {
  code: 'acknowledgement',
  name: 'Order acknowledgement',
  about: 'order',
  to: 'client',
  words: readWords('acknowledgement', import.meta.url),
} as const;

/** To the sales inbox. */
export function announcementOf(
  { order, client, duplicateOf }: ReportedOrder,
  zoneInWords: ZoneInWords,
): EmailLetter {
  const contact = contactOf(order);
  const clientContact = contactOfClient(client);
  const company = client?.name ?? '';
  return {
    contact: contact.email === null ? clientContact : contact,
    facts: {
      ...placeFacts(order),
      ...personFacts('contact', contact),
      ...personFacts('client', clientContact),
      ...(isProductOrder(order)
        ? {
            productName: order.terms.name,
            productCode: order.productCode,
            terms: termRows(completed(order.terms)),
          }
        : {
            wanted: wantedInWords(order.wanted),
            description: severalLines(order.wanted?.description ?? null),
          }),
      reference: order.reference,
      receivedAt: londonTime(order.receivedAt),
      callBy: order.firstContactAt === null ? londonTime(order.firstContactDueAt) : null,
      caller: isDirectClient({ id: order.clientId }) ? 'a new caller' : oneLine(company, 120),
      company,
      clientReference: order.clientReference,
      zone: order.zone === null ? null : zoneInWords(order.zone),
      checkId: order.checkId,
      notes: severalLines(order.notes ?? '(none)'),
      duplicateOf,
    },
  };
}

/**
 * The API client chooses the address: no text of the client is in it, or it could write to anyone. It may be
 * that of the client's own customer: no price of the client is in it.
 */
export function acknowledgementOf({ order, client }: ReportedOrder): EmailLetter {
  const isOrder = isProductOrder(order);
  return {
    contact: { ...contactOf(order), name: null },
    facts: {
      ...placeFacts(order),
      reference: order.reference,
      request: isOrder ? 'order request' : 'enquiry',
      did: isOrder ? 'placed this order request' : 'sent this enquiry',
      isDirect: isDirectClient({ id: order.clientId }),
      company: client?.name ?? '',
      wanted: isOrder ? null : wantedInWords(order.wanted),
      product: isOrder ? `${order.terms.name} (${order.productCode})` : null,
    },
  };
}

function contactOf({ contactName, contactEmail, contactPhone }: Order): ContactDetails {
  return { name: contactName, email: contactEmail, phone: contactPhone };
}

/** `contactName`, `contactPhone`, `contactEmail`. */
function personFacts(of: string, { name, email, phone }: ContactDetails): EmailFacts {
  return {
    [`${of}Name`]: name ?? (email === null && phone === null ? '(none given)' : null),
    [`${of}Phone`]: phone === null ? null : { phone },
    [`${of}Email`]: email === null ? null : { mail: email },
  };
}

async function read(tx: Tx, id: string): Promise<ReportedOrder | null> {
  const order = await tx.findOneBy(Order, { id });
  if (!order) return null;
  const client = await tx.findOneBy(ApiClient, { id: order.clientId });
  const twinId = order.possibleDuplicateOf;
  const twin = twinId === null ? null : await tx.findOneBy(Order, { id: twinId });
  return { order, client, duplicateOf: twin?.reference ?? twinId };
}

/** Omits what is not stated. Such as `Monthly price (excl. VAT)`, `£1,200.00`. */
export function termRows(product: OfferedProduct): EmailRow[] {
  const stated = labelledFields().filter(({ name }) => product[name] !== null);
  return stated.map((field) => [headingOf(field), inWords(field, product)]);
}
