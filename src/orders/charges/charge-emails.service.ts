import { Injectable } from '@nestjs/common';
import { ApiClient, contactOfClient } from '../../clients/api-client.entity.js';
import type { Tx } from '../../database/engine/tx.js';
import { EmailFactsService } from '../../notifications/email-facts.service.js';
import type { ChargeEmailFacts } from '../../notifications/charge-email.js';
import { Order } from '../order.entity.js';
import { Charge } from './charge.entity.js';
import { chargeCategoryNames } from './charge-states.js';
import { amountOf } from './print-charge.js';

/** Registers the facts of the emails about extra charges. */
@Injectable()
export class ChargeEmailsService {
  constructor(sources: EmailFactsService) {
    for (const kind of ['charge-answered', 'charge-lapsed', 'charge-withdrawn'] as const) {
      sources.register(kind, factsOf);
    }
    sources.register('charge-proposed', async (tx, id) => {
      const facts = await factsOf(tx, id);
      // Another email follows, or the client knows already.
      const isNews = facts?.state === 'awaitingResponse' || facts?.state === 'accepted';
      return isNews ? facts : null;
    });
  }
}

async function factsOf(tx: Tx, id: string): Promise<ChargeEmailFacts | null> {
  const charge = await tx.findOneBy(Charge, { id });
  const order = charge && (await tx.findOneBy(Order, { id: charge.orderId }));
  if (!order) return null;
  const client = await tx.findOneBy(ApiClient, { id: order.clientId });
  return {
    orderId: order.id,
    reference: order.reference,
    company: client?.name ?? '',
    contact: contactOfClient(client),
    clientReference: order.clientReference,
    postcode: order.postcode,
    productName: order.terms?.name ?? '',
    category: chargeCategoryNames[charge.category],
    amount: amountOf(charge),
    note: charge.note,
    dueAt: charge.dueAt,
    state: charge.state,
    answeredBy: charge.answeredBy,
  };
}
