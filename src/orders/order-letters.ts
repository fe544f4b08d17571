import { Injectable } from '@nestjs/common';
import { printAmount } from '../catalogue/content/money.js';
import { ApiClient } from '../clients/api-client.entity.js';
import type { Tx } from '../database/engine/tx.js';
import { LetterSources } from '../notifications/letter-sources.js';
import type { OrderFacts } from '../notifications/letters.js';
import { Order } from './order.entity.js';

/** Knows what the letters about an order say. */
@Injectable()
export class OrderLetters {
  constructor(sources: LetterSources) {
    sources.register('new-order', factsOf);
    sources.register('acknowledgement', factsOf);
  }
}

async function factsOf(tx: Tx, id: string): Promise<OrderFacts | null> {
  const order = await tx.findOneBy(Order, { id });
  if (!order) return null;
  const client = await tx.findOneBy(ApiClient, { id: order.clientId });
  const twinId = order.possibleDuplicateOf;
  const twin = twinId === null ? null : await tx.findOneBy(Order, { id: twinId });
  return {
    orderId: order.id,
    reference: order.reference,
    receivedAt: order.receivedAt,
    client: {
      company: client?.name ?? '',
      name: client?.contactName ?? null,
      email: client?.contactEmail ?? null,
      phone: client?.contactPhone ?? null,
    },
    clientReference: order.clientReference,
    contact: { name: order.contactName, email: order.contactEmail, phone: order.contactPhone },
    postcode: order.postcode,
    productCode: order.productCode,
    productName: order.productName,
    bandwidthProvisionedMbps: order.bandwidthProvisionedMbps,
    bandwidthCapacityMbps: order.bandwidthCapacityMbps,
    termMonths: order.termMonths,
    price: `${printAmount(order.amountMinor, order.currency)} ${order.currency}`,
    leadTimeDays: order.leadTimeDays,
    zone: order.zone,
    checkId: order.checkId,
    notes: order.notes,
    possibleDuplicateOf: twinId === null ? null : (twin?.reference ?? twinId),
    callBy: order.firstContactAt === null ? order.firstContactDueAt : null,
  };
}
