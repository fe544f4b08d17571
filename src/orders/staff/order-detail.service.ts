import { Injectable } from '@nestjs/common';
import { type FindOptionsWhere, In, Not } from 'typeorm';
import { isUuid } from '../../platform/kernel/uuid.js';
import { AuditEntry } from '../../platform/audit/audit-entry.entity.js';
import { ChecksService } from '../../availability/checks.service.js';
import { sameTerms, termsOf, completed } from '../../catalogue/content/offers.js';
import { CatalogueService } from '../../catalogue/versions/catalogue.service.js';
import { ApiClient } from '../../clients/api-client.entity.js';
import { Clock } from '../../platform/kernel/clock.js';
import { placeOfOrder, ShownService } from '../../catalogue/shown/shown.service.js';
import { Transactions } from '../../platform/database/transactions.js';
import { oneOf } from '../../platform/database/engine/rows.js';
import type { Tx } from '../../platform/database/engine/tx.js';
import { printCharges } from '../record/print-charge.js';
import { type AmendedFacts, changesInWords } from '../record/amendments.js';
import { isProductOrder, Order } from '../record/order.entity.js';
import { ConversationMessage } from '../record/message.entity.js';
import { liveOrders } from '../record/order-tables.js';
import { readReferences } from '../record/references.js';
import { OrderNotFound } from '../record/orders.errors.js';
import type { CitedCheck, CurrentOffer, OrderDetail, TimelineEntry } from './detail.dto.js';
import type { FollowUpOrder } from './follow-up.dto.js';
import { BespokeOffer } from '../record/bespoke-offer.entity.js';
import { printOrders, printStaffCharge, printOffers } from './print-order.js';

/** Related orders to show, of each kind. */
const MOST_OTHERS = 10;
const MOST_COUNTED = 10_000;
/** The latest entries of a timeline are shown. */
export const MOST_ENTRIES = 200;

const newest = { order: { receivedAt: 'DESC', id: 'DESC' }, take: MOST_OTHERS } as const;

/** Orders of other clients at the postcode of an order. */
export interface Neighbours {
  /** The newest. */
  readonly orders: readonly FollowUpOrder[];
  /** Of all of them, up to 10,000. */
  readonly count: number;
}

@Injectable()
export class OrderDetailService {
  constructor(
    private readonly transactions: Transactions,
    private readonly catalogue: CatalogueService,
    private readonly shown: ShownService,
    private readonly checks: ChecksService,
    private readonly clock: Clock,
  ) {}

  /** By id, or by reference in any spelling. @throws {OrderNotFound} */
  async findByReference(reference: string): Promise<OrderDetail> {
    return this.find(isUuid(reference) ? reference.toLowerCase() : await this.idOf(reference));
  }

  /** @throws {OrderNotFound} */
  async idOf(reference: string): Promise<string> {
    const ids = await this.idsOf([reference]);
    for (const id of readReferences(reference)) if (ids.has(id)) return ids.get(id)!;
    throw new OrderNotFound();
  }

  /** The ids of the orders that exist, by reference; the references may be in any spelling. */
  async idsOf(references: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const wanted = references.flatMap(readReferences);
    if (wanted.length === 0) return new Map();
    const rows = await this.transactions.read((tx) =>
      tx.find(Order, { select: { id: true, reference: true }, where: { reference: In(wanted) } }),
    );
    return new Map(rows.map(({ id, reference }) => [reference, id]));
  }

  /** The latest entries of an order, newest first, with the notes that the client sent. @throws {OrderNotFound} */
  async latest(reference: string): Promise<{ entries: TimelineEntry[]; notes: string | null }> {
    const id = await this.idOf(reference);
    return this.transactions.read(async (tx) => {
      const order = await tx.findOneBy(Order, { id });
      if (!order) throw new OrderNotFound();
      return {
        entries: await printedOf(tx, order, await entriesOf(tx, order.id)),
        notes: order.notes,
      };
    });
  }

  /** @throws {OrderNotFound} */
  async find(id: string): Promise<OrderDetail> {
    const now = this.clock.now();
    const { row, priceList, ...shown } = await this.transactions.read(async (tx) => {
      const order = await tx.findOneBy(Order, { id });
      if (!order) throw new OrderNotFound();
      const client = await tx.findOneBy(ApiClient, { id: order.clientId });
      return { row: order, priceList: client?.priceList ?? '', ...(await around(tx, order, now)) };
    });
    return {
      ...shown,
      offerNow: this.offerNow(row, priceList, now.getTime()),
      check: await this.citedCheck(row),
    };
  }

  /** The newest orders of other clients at the postcode of an order, and how many they are. */
  neighbours({ client, postcode }: FollowUpOrder): Promise<Neighbours> {
    const now = this.clock.now();
    const where = { postcode, clientId: Not(client.id) };
    return this.transactions.read(async (tx) => {
      const orders = await tx.find(Order, { where, ...newest });
      return {
        orders: await printOrders(tx, orders, now),
        count: orders.length < MOST_OTHERS ? orders.length : await countOf(tx, where),
      };
    });
  }

  private offerNow(order: Order, priceList: string, now: number): CurrentOffer | null {
    if (!isProductOrder(order)) return null;
    const { current } = this.catalogue;
    const offer = placeOfOrder({ ...order, priceList }, current, now).offer(order.productCode);
    return offer ? { ...termsOf(offer), differs: !sameTerms(completed(order.terms), offer) } : null;
  }

  private async citedCheck({ checkId, productCode }: Order): Promise<CitedCheck | null> {
    const check = checkId === null ? null : await this.checks.find(checkId);
    if (!check) return null;
    const place = await this.shown.shownAsOf(check);
    const offer = productCode === null ? null : place.offer(productCode);
    return {
      id: check.id,
      checkedAt: check.checkedAt,
      productCount: check.productCount,
      catalogueVersion: check.catalogueVersion,
      offer: offer ? termsOf(offer) : null,
    };
  }
}

/** Newest first. */
function entriesOf(tx: Tx, orderId: string): Promise<AuditEntry[]> {
  return tx.find(AuditEntry, {
    where: { subjectType: 'order', subjectId: orderId },
    order: { id: 'DESC' },
    take: MOST_ENTRIES + 1,
  });
}

async function around(tx: Tx, order: Order, now: Date) {
  const live = liveOrders(tx);
  const entries = await entriesOf(tx, order.id);
  const { id, clientId, postcode, possibleDuplicateOf } = order;
  const twins = await tx.find(Order, {
    where: [
      { possibleDuplicateOf: id },
      ...(possibleDuplicateOf === null ? [] : [{ id: possibleDuplicateOf }]),
    ],
    ...newest,
  });
  const here = await tx.find(Order, { where: { postcode, id: Not(id) }, ...newest });
  const theirs = await tx.find(Order, { where: { clientId, id: Not(id) }, ...newest });
  const [printed] = await printOrders(tx, [order], now);
  const offers =
    order.kind === 'enquiry'
      ? await tx.find(BespokeOffer, { where: { enquiryId: id }, order: { id: 'ASC' } })
      : [];
  return {
    order: printed!,
    charges: (await printCharges(live, [order], now, printStaffCharge)).get(id) ?? [],
    offers: await printOffers(tx, [order], offers, now),
    timeline: await printedOf(tx, order, entries.slice(0, MOST_ENTRIES).reverse()),
    timelineTruncated: entries.length > MOST_ENTRIES,
    possibleDuplicates: await printOrders(tx, twins, now),
    othersAtPostcode: await printOrders(tx, here, now),
    othersOfClient: await printOrders(tx, theirs, now),
    ordersOfClient:
      theirs.length < MOST_OTHERS ? theirs.length + 1 : await countOf(tx, { clientId }),
  };
}

async function countOf(tx: Tx, where: FindOptionsWhere<Order>): Promise<number> {
  const ids = tx
    .createQueryBuilder(Order, 'o')
    .select('o.id', 'id')
    .where(where)
    .limit(MOST_COUNTED);
  const counted = await tx
    .createQueryBuilder()
    .select('COUNT(*)', 'number')
    .from(`(${ids.getQuery()})`, 'counted')
    .setParameters(ids.getParameters())
    .getRawOne<{ number: number | string }>();
  return Number(counted?.number ?? 0);
}

/** Prints entries. The values of an amendment are in the order, and the texts of messages in their table. */
async function printedOf(
  tx: Tx,
  { amendments }: Order,
  entries: readonly AuditEntry[],
): Promise<TimelineEntry[]> {
  const named = entries.flatMap(({ details }) => (details as NamedMessage | null)?.messageId ?? []);
  const id = oneOf(named);
  const messages = named.length === 0 ? [] : await tx.findBy(ConversationMessage, { id });
  const texts = new Map(messages.map((message) => [message.id, message.text]));
  return entries.map(({ id, at, action, actorType, actorId, actorName, details: recorded }) => {
    const details: Record<string, unknown> = recorded ?? {};
    const entry = { id, at, action, actorType, actorId, actorName, details };
    const text = texts.get((details as NamedMessage).messageId ?? '');
    if (text !== undefined) return { ...entry, details: { ...details, text } };
    if (action !== 'amended') return entry;
    const kept = amendments?.find(({ version }) => version === details.version);
    const amended = { ...details, ...kept } as AmendedFacts;
    return { ...entry, details: { ...amended, changes: changesInWords(amended) } };
  });
}

/** The details of an entry about a message. */
interface NamedMessage {
  readonly messageId?: string;
}
