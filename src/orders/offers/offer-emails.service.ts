import { Injectable } from '@nestjs/common';
import { completed } from '../../catalogue/content/offers.js';
import { ApiClient, contactOfClient } from '../../clients/api-client.entity.js';
import type { Tx } from '../../database/engine/tx.js';
import { EmailFactsService } from '../../notifications/email-facts.service.js';
import type { OfferEmailFacts } from '../../notifications/offer-email.js';
import { termRows } from '../order-emails.service.js';
import { Order } from '../order.entity.js';
import { BespokeOffer } from './bespoke-offer.entity.js';

/** Registers the facts of the email with the offers of an enquiry. */
@Injectable()
export class OfferEmailsService {
  constructor(sources: EmailFactsService) {
    sources.register('offer', factsOf);
  }
}

/** Null where no offer is open any more. */
async function factsOf(tx: Tx, id: string): Promise<OfferEmailFacts | null> {
  const enquiry = await tx.findOneBy(Order, { id, state: 'offered' });
  if (!enquiry) return null;
  const offers = await tx.find(BespokeOffer, {
    where: { enquiryId: id, state: 'open' },
    order: { id: 'ASC' },
  });
  if (offers.length === 0) return null;
  const client = await tx.findOneBy(ApiClient, { id: enquiry.clientId });
  const { contactName: name, contactEmail: email, contactPhone: phone } = enquiry;
  return {
    reference: enquiry.reference,
    postcode: enquiry.postcode,
    uprn: enquiry.uprn,
    client: { company: client?.name ?? '', ...contactOfClient(client) },
    contact: { name, email, phone },
    offers: offers.map(({ terms, validUntil, note }) => ({
      name: terms.name,
      productCode: terms.productCode,
      terms: termRows(completed(terms)),
      validUntil,
      note,
    })),
  };
}
