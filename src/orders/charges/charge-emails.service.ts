import { Injectable } from '@nestjs/common';
import { majorUnits, priceInWords } from '../../platform/kernel/money.js';
import type { Tx } from '../../platform/database/engine/tx.js';
import { EmailFactsService } from '../../platform/notifications/messages/email-facts.service.js';
import type { ChargeEmailFacts } from '../../platform/notifications/messages/charge-email.js';
import { Order } from '../record/order.entity.js';
import { recipientOf } from '../record/recipient.js';
import { Charge } from '../record/charge.entity.js';
import { chargeCategoryNames } from '../record/charge-states.js';

/** Registers the facts of the emails about extra charges. */
@Injectable()
export class ChargeEmailsService {
  constructor(sources: EmailFactsService) {
    sources.register('charge-answered', factsOf);
    for (const kind of ['charge-lapsed', 'charge-withdrawn'] as const) {
      sources.register(kind, factsForClient);
    }
    sources.register('charge-proposed', async (tx, id) => {
      const facts = await factsForClient(tx, id);
      // Another email follows, or the client knows already.
      const isNews = facts?.state === 'awaitingResponse' || facts?.state === 'accepted';
      return isNews ? facts : null;
    });
  }
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
  };
}
