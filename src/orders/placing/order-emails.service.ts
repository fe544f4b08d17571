import { Injectable } from '@nestjs/common';
import type { OfferedProduct } from '../../catalogue/content/offer-fields.js';
import { inWords, labelledFields, completed } from '../../catalogue/content/offers.js';
import { ApiClient, contactOfClient } from '../../clients/api-client.entity.js';
import { isDirectClient } from '../../clients/direct-client.js';
import type { Tx } from '../../platform/database/engine/tx.js';
import { EmailFactsService } from '../../platform/notifications/messages/email-facts.service.js';
import type { OrderEmailFacts } from '../../platform/notifications/messages/order-email.js';
import { isProductOrder, Order } from '../record/order.entity.js';
import { wantedInWords } from '../record/wanted.js';

/** Registers the facts of the emails about an order. */
@Injectable()
export class OrderEmailsService {
  constructor(sources: EmailFactsService) {
    sources.register('new-order', factsOf);
    sources.register('new-enquiry', factsOf);
    sources.register('acknowledgement', factsOf);
  }
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

/** Omits what is not stated. Such as `£1,200.00 a month, excluding VAT`. */
export function termRows(product: OfferedProduct): [label: string, text: string][] {
  const stated = labelledFields().filter(({ name }) => product[name] !== null);
  return stated.map((field) => {
    const text = inWords(field, product);
    return [field.label, field.note === undefined ? text : `${text} ${field.note}`];
  });
}
