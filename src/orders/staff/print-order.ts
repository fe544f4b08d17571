import { decimalsOf, majorUnits } from '../../platform/kernel/money.js';
import { completed } from '../../catalogue/content/offers.js';
import { ApiClient } from '../../clients/api-client.entity.js';
import { oneOf } from '../../platform/database/engine/rows.js';
import type { Tx } from '../../platform/database/engine/tx.js';
import { printUprn } from '../../platform/kernel/uprn.js';
import { type Order, quoteLineOf } from '../record/order.entity.js';
import { liveOrders } from '../record/order-tables.js';
import type { ChargeState } from '../record/charge-states.js';
import type { OrderCharge } from '../record/orders.dto.js';
import { printCharge, printCharges } from '../record/print-charge.js';
import { StaffMember } from '../../staff/member/staff-member.entity.js';
import type { FollowUpClient, FollowUpOrder, StaffCharge, StaffOffer } from './follow-up.dto.js';
import { deliveriesOf, printStaffDelivery } from '../record/deliveries.js';
import { offeredPrices, stateNow } from '../record/print-offers.js';
import type { Charge } from '../record/charge.entity.js';
import { In } from 'typeorm';
import { BespokeOffer } from '../record/bespoke-offer.entity.js';
import { totalOf } from '../record/bespoke-terms.js';

/** Offers as staff see them, with the names of their authors. */
export async function printOffers(
  tx: Tx,
  enquiries: readonly Order[],
  offers: readonly BespokeOffer[],
  now: Date,
): Promise<StaffOffer[]> {
  const ids = new Set(
    offers.flatMap(({ createdBy, approverId }) => [createdBy ?? [], approverId ?? []].flat()),
  );
  const staff = ids.size === 0 ? [] : await tx.findBy(StaffMember, { id: In([...ids]) });
  const names = new Map(staff.map(({ id, name }) => [id, name]));
  const byId = new Map(enquiries.map((enquiry) => [enquiry.id, enquiry]));
  return offers.map((offer) => {
    const { amountMinor, currency } = totalOf(offer.terms);
    return {
      offerId: offer.id,
      answer: offer.answer,
      state: stateNow(offer, byId.get(offer.enquiryId)!, now),
      product: completed(offer.terms),
      total: majorUnits(amountMinor, currency),
      validUntil: offer.validUntil,
      note: offer.note,
      createdAt: offer.createdAt,
      authorId: offer.createdBy,
      authorName: names.get(offer.createdBy ?? '') ?? null,
      approvalReason: offer.approvalReason,
      openedAt: offer.openedAt,
      approverName: names.get(offer.approverId ?? '') ?? null,
      endedAt: offer.endedAt,
      orderId: offer.orderId,
    };
  });
}

export function printStaffCharge(
  charge: Charge,
  order: Pick<Order, 'closedAt' | 'state'>,
  now: Date,
): StaffCharge {
  return { ...printCharge(charge, order, now), proposerId: charge.proposedBy };
}

/** Orders as staff see them, with the names of their clients and owners. */
export async function printOrders(
  tx: Tx,
  orders: readonly Order[],
  now: Date,
  /** Staff whose names the caller knows, which saves a query. */
  known: readonly { readonly id: string; readonly name: string }[] = [],
): Promise<FollowUpOrder[]> {
  const clientIds = new Set(orders.map(({ clientId }) => clientId));
  const ownerIds = new Set(orders.flatMap(({ ownerId }) => ownerId ?? []));
  for (const { id } of known) ownerIds.delete(id);
  const clients = clientIds.size > 0 ? await tx.findBy(ApiClient, { id: oneOf(clientIds) }) : [];
  const owners = ownerIds.size > 0 ? await tx.findBy(StaffMember, { id: oneOf(ownerIds) }) : [];
  const clientsById = new Map(clients.map((client) => [client.id, client]));
  const namesById = new Map([...known, ...owners].map(({ id, name }) => [id, name]));
  const live = liveOrders(tx);
  const charges = await printCharges(live, orders, now, printCharge);
  const deliveries = await deliveriesOf(live, orders);
  const offered = await offeredPrices(tx, orders, now);
  return orders.map((order) => {
    const client = clientsById.get(order.clientId);
    const ownerName = namesById.get(order.ownerId ?? '') ?? null;
    const deals = {
      charges: charges.get(order.id) ?? [],
      offered: offered.get(order.id) ?? null,
      delivery: printStaffDelivery(deliveries.get(order.id), order, now),
    };
    return print(order, client, ownerName, deals, now);
  });
}

/** What other tables have about an order or enquiry. */
interface PrintedDeals extends Pick<FollowUpOrder, 'offered' | 'delivery'> {
  readonly charges: readonly OrderCharge[];
}

function print(
  order: Order,
  client: ApiClient | undefined,
  ownerName: string | null,
  { charges, offered, delivery }: PrintedDeals,
  now: Date,
): FollowUpOrder {
  const { acceptExtraMinor, currency } = order;
  const untouched = order.closedAt === null && order.firstContactAt === null;
  return {
    orderId: order.id,
    kind: order.kind,
    reference: order.reference,
    state: order.state,
    receivedAt: order.receivedAt,
    // The clock of another instance may be ahead.
    ageSeconds: Math.max(0, Math.floor((now.getTime() - order.receivedAt.getTime()) / 1_000)),
    firstContactDueAt: order.firstContactDueAt,
    late: untouched && order.firstContactDueAt <= now,
    nearlyLate: untouched && order.firstContactDueAt > now && order.firstContactWarnAt <= now,
    due: order.nextActionAt !== null && order.nextActionAt <= now,
    nextActionAt: order.nextActionAt,
    nextActionReason: order.nextActionReason,
    claimedAt: order.claimedAt,
    firstContactAt: order.firstContactAt,
    lastContactAt: order.lastContactAt,
    contactAttempts: order.contactAttempts,
    closedAt: order.closedAt,
    closeReason: order.closeReason,
    externalReference: order.externalReference,
    confirmed: order.confirmed,
    duplicateOf: order.duplicateOf,
    postcode: order.postcode,
    uprn: printUprn(order.uprn),
    product: order.terms && completed(order.terms),
    wanted: order.wanted,
    enquiryId: order.enquiryId,
    zone: order.zone,
    client: printClient(order.clientId, client),
    contact: {
      ...(order.contactName !== null && { name: order.contactName }),
      ...(order.contactEmail !== null && { email: order.contactEmail }),
      ...(order.contactPhone !== null && { phone: order.contactPhone }),
    },
    clientReference: order.clientReference,
    notes: order.notes,
    details: order.details,
    preferredDays: order.preferredDays,
    acceptExtraUpTo:
      acceptExtraMinor === null || currency === null
        ? null
        : majorUnits(acceptExtraMinor, currency),
    expedite: order.expedite,
    delivery,
    chargesAwaiting: sumOf(charges, 'awaitingResponse', currency),
    chargesAccepted: sumOf(charges, 'accepted', currency),
    checkId: order.checkId,
    ...quoteLineOf(order),
    nearest: order.nearest,
    constraints: [...(order.constraints ?? [])],
    possibleDuplicateOf: order.possibleDuplicateOf,
    ownerId: order.ownerId,
    ownerName,
    version: order.version,
    offered,
  };
}

/** In major units, without the errors of adding fractions. @param currency null for an enquiry, which has no charges */
function sumOf(
  charges: readonly OrderCharge[],
  wanted: ChargeState,
  currency: string | null,
): number {
  const sum = charges
    .filter(({ state }) => state === wanted)
    .reduce((total, { amount }) => total + amount, 0);
  return currency === null ? 0 : Number(sum.toFixed(decimalsOf(currency)));
}

function printClient(id: string, client: ApiClient | undefined): FollowUpClient {
  return {
    id,
    name: client?.name ?? '',
    contactName: client?.contactName ?? '',
    contactEmail: client?.contactEmail ?? '',
    contactPhone: client?.contactPhone ?? '',
  };
}
