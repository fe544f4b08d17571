import type { OfferedProduct } from '../catalogue/content/offer-fields.js';
import { decimalsOf, majorUnits } from '../catalogue/content/money.js';
import { completed } from '../catalogue/content/offers.js';
import { ApiClient } from '../clients/api-client.entity.js';
import { oneOf } from '../database/engine/rows.js';
import type { Tx } from '../database/engine/tx.js';
import { printUprn } from '../kernel/uprn.js';
import { isProductOrder, LIVE, type Order } from '../orders/order.entity.js';
import { nothingNamed, wantedInWords } from '../orders/wanted.js';
import type { ChargeState } from '../orders/charges/charge-states.js';
import type { OrderCharge } from '../orders/charges/charges.dto.js';
import { printCharge, printCharges } from '../orders/charges/print-charge.js';
import { StaffMember } from '../staff/staff-member.entity.js';
import type { FollowUpClient, FollowUpOrder } from './follow-up.dto.js';
import { offeredPrices } from './offers/print-offers.js';

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
  const charges = await printCharges(tx, orders, LIVE, now, printCharge);
  const offered = await offeredPrices(tx, orders, now);
  return orders.map((order) => {
    const client = clientsById.get(order.clientId);
    const ownerName = namesById.get(order.ownerId ?? '') ?? null;
    const deals = { charges: charges.get(order.id) ?? [], offered: offered.get(order.id) ?? null };
    return print(order, client, ownerName, deals, now);
  });
}

/** What other tables have about an order or enquiry. */
interface PrintedDeals extends Pick<FollowUpOrder, 'offered'> {
  readonly charges: readonly OrderCharge[];
}

function print(
  order: Order,
  client: ApiClient | undefined,
  ownerName: string | null,
  { charges, offered }: PrintedDeals,
  now: Date,
): FollowUpOrder {
  const currency = order.currency ?? NO_CURRENCY;
  const untouched = order.closedAt === null && order.firstContactAt === null;
  return {
    orderId: order.id,
    kind: order.kind,
    reference: order.reference,
    state: order.state,
    receivedAt: order.receivedAt,
    ageSeconds: Math.floor((now.getTime() - order.receivedAt.getTime()) / 1_000),
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
    duplicateOf: order.duplicateOf,
    postcode: order.postcode,
    uprn: printUprn(order.uprn),
    product: isProductOrder(order) ? completed(order.terms) : standIn(order),
    wanted: order.wanted,
    enquiryId: order.enquiryId,
    zone: order.zone ?? NO_ZONE,
    client: printClient(order.clientId, client),
    contact: {
      ...(order.contactName !== null && { name: order.contactName }),
      ...(order.contactEmail !== null && { email: order.contactEmail }),
      ...(order.contactPhone !== null && { phone: order.contactPhone }),
    },
    clientReference: order.clientReference,
    notes: order.notes,
    acceptExtraUpTo:
      order.acceptExtraMinor === null ? null : majorUnits(order.acceptExtraMinor, currency),
    chargesAwaiting: sumOf(charges, 'awaitingResponse', currency),
    chargesAccepted: sumOf(charges, 'accepted', currency),
    checkId: order.checkId,
    possibleDuplicateOf: order.possibleDuplicateOf,
    ownerId: order.ownerId,
    ownerName,
    version: order.version,
    offered,
  };
}

/** The currency of the price 0 of an enquiry. */
const NO_CURRENCY = 'GBP';
/** The zone of an enquiry at a place without one. */
const NO_ZONE = 'NONE';

/** For an enquiry: see `FollowUpOrder.product`. Without a wanted bandwidth or term, it has the least. */
function standIn({ wanted }: Order): OfferedProduct {
  const { bandwidth, term } = wanted ?? nothingNamed;
  return completed({
    productCode: 'ENQUIRY',
    name: wantedInWords(wanted),
    bandwidthProvisioned: bandwidth ?? 0.001,
    bandwidthCapacity: bandwidth ?? 0.001,
    term: term ?? 1,
    price: 0,
    currency: NO_CURRENCY,
    leadTimeDays: 0,
    basis: 'indicative',
    extraChargesPossible: true,
  });
}

/** The ordered product; null for an enquiry. */
export function productOf({ kind, product }: FollowUpOrder): FollowUpOrder['product'] | null {
  return kind === 'order' ? product : null;
}

/** Null for an enquiry at a place without one. */
export function zoneOf({ kind, zone }: FollowUpOrder): string | null {
  return kind === 'enquiry' && zone === NO_ZONE ? null : zone;
}

/** In major units, without the errors of adding fractions. */
function sumOf(charges: readonly OrderCharge[], wanted: ChargeState, currency: string): number {
  const sum = charges
    .filter(({ state }) => state === wanted)
    .reduce((total, { amount }) => total + amount, 0);
  return Number(sum.toFixed(decimalsOf(currency)));
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
