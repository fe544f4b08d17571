import { Injectable } from '@nestjs/common';
import type { ClientCaller, StaffCaller } from '../../platform/access/caller.js';
import type { Tx } from '../../platform/database/engine/tx.js';
import { Clock } from '../../platform/kernel/clock.js';
import { upperFirst } from '../../platform/kernel/text.js';
import type {
  EmailKind,
  EmailLetter,
} from '../../platform/notifications/messages/email-kinds.service.js';
import { readWords } from '../../platform/notifications/messages/email-words.js';
import { OutboxService } from '../../platform/notifications/outbox.service.js';
import { completed } from '../../catalogue/content/offers.js';
import { ApiClient } from '../../clients/api-client.entity.js';
import { StaffMember } from '../../staff/member/staff-member.entity.js';
import { AMENDED } from '../moves/move-fields.js';
import type { Mover } from '../moves/move-contents.js';
import { MovesService } from '../moves/moves.service.js';
import { orderMoved } from '../moves/plan-move.js';
import { UndoService } from '../moves/undo.service.js';
import { amendedBetween, amendedRows, keptWith, openFacts } from '../record/amendments.js';
import type { Amendment } from '../record/enquiries.dto.js';
import { Order } from '../record/order.entity.js';
import { addWords } from '../record/order-word.entity.js';
import { lockedOrder, type OrdersTx } from '../record/order-tables.js';
import { OrderClosed, OrderNotFound } from '../record/orders.errors.js';
import { publicStateOf } from '../record/public-state.js';
import { wordsOfOrder } from '../record/search-words.js';
import { mergedDetails, requireInterconnect, sortedDays } from '../record/site-details.dto.js';
import type { FollowUpOrder } from '../staff/follow-up.dto.js';
import type { SeenOrder } from '../staff/moves.dto.js';
import { moverOf } from '../staff/order-actions.service.js';
import { printOrders } from '../staff/print-order.js';
import { ClientOrdersService, requestNotFound } from '../views/client-orders.service.js';
import type { ClientView } from '../views/client-views.js';

/** What clients and staff change in orders and enquiries after they were placed. */
@Injectable()
export class AmendmentsService {
  constructor(
    private readonly moves: MovesService,
    private readonly clientOrders: ClientOrdersService,
    private readonly outbox: OutboxService,
    private readonly undos: UndoService,
    private readonly clock: Clock,
  ) {}

  /**
   * By the client. Amendments of one order wait for each other: each replaces its own members of what the one before has
   * left. @throws {OrderNotFound | EnquiryNotFound | OrderClosed | InterconnectRequired | UnknownInterconnect}
   */
  async amend<T>(
    view: ClientView<T>,
    id: string,
    amendment: Amendment,
    client: ClientCaller,
  ): Promise<T> {
    const { clientId, name } = client;
    await this.moves.runOn(client, async (tx) => {
      const order = await lockedOrder(tx, { id, kind: view.kind, clientId });
      if (!order) throw requestNotFound(view.kind);
      const fault = await faultOf(tx, order);
      if (fault !== null) throw new OrderClosed(view.kind, publicStateOf(order), fault);
      await this.apply(tx, order, amendment, { kind: 'client', id: clientId, name });
    });
    return this.clientOrders.find(view, id, client);
  }

  /** By staff, as they saw the order. @throws as `amend`, and OrderMoved instead of OrderClosed */
  amendSeen(
    { orderId, version }: SeenOrder,
    amendment: Amendment,
    caller: StaffCaller,
  ): Promise<FollowUpOrder> {
    return this.moves.run(async (tx) => {
      const order = await lockedOrder(tx, { id: orderId });
      if (!order) throw new OrderNotFound();
      if (order.version !== version) throw await orderMoved(tx, order);
      const fault = await faultOf(tx, order);
      if (fault !== null) throw await orderMoved(tx, order, fault);
      const amended = await this.apply(tx, order, amendment, moverOf(caller));
      return (await printOrders(tx, [amended], this.clock.now()))[0]!;
    });
  }

  /** Amends an order whose row is locked. Says nothing where nothing changes. */
  private async apply(
    tx: OrdersTx,
    order: Order,
    amendment: Amendment,
    mover: Mover,
  ): Promise<Order> {
    const columns = columnsOf(amendment);
    const next = { ...order, ...columns };
    const facts = amendedBetween(order, next);
    if (facts === null) return order;
    if (facts.changed.includes('details.interconnect')) await refuseInterconnect(tx, next);
    const now = this.clock.now();
    const isOwner = mover.kind === 'staff' && mover.id === order.ownerId;
    const record = { version: order.version + 1, ...facts };
    const amendments = keptWith(order.amendments, record);
    const move = { name: isOwner ? 'correct' : 'amend', ...openFacts(facts) } as const;
    const changes = { ...columns, amendments, publicStateAt: now };
    // The row is locked: no one moves the order meanwhile.
    const amended = (await this.moves.attempt(tx, order, move, mover, changes))!;
    // What it was found by before stays: a caller may still use an old reference or number.
    await addWords(tx, { orderId: order.id, words: wordsOfOrder(amended) });
    const type = `${order.kind}.amended` as const;
    const event = { type, order: amended, state: publicStateOf(order), at: now };
    await this.outbox.publish(tx, event, () => this.undos.until(tx, order.id));
    // An email has announced an earlier one that its owner has not yet read.
    if (!isOwner && order.nextActionReason !== AMENDED) {
      await this.outbox.addEmail(tx, amendedEmail.code, order.id);
    }
    return amended;
  }
}

function columnsOf({ reference, contact, details, preferredDays }: Amendment): Partial<Order> {
  const { name, email, phone } = contact ?? {};
  return {
    ...(reference !== undefined && { clientReference: reference || null }),
    ...(contact !== undefined && {
      contactName: name || null,
      contactEmail: email || null,
      contactPhone: phone || null,
    }),
    ...(details !== undefined && { details: mergedDetails(details) }),
    ...(preferredDays !== undefined && {
      preferredDays: preferredDays && sortedDays(preferredDays),
    }),
  };
}

/** Why a request can no longer be amended; null if it can. */
async function faultOf(tx: OrdersTx, order: Order): Promise<string | null> {
  const { id, kind, state, closedAt } = order;
  if (closedAt === null) return null;
  if (kind === 'enquiry' || state !== 'won') {
    return `The ${kind} is already ${publicStateOf(order)} and cannot be amended.`;
  }
  const { milestones, liveOn } = await tx.findOneByOrFail(tx.deliveries, { orderId: id });
  return liveOn === null && milestones.installed?.doneOn == null
    ? null
    : 'The equipment is installed: the order cannot be amended any more.';
}

/** @throws {InterconnectRequired | UnknownInterconnect} */
async function refuseInterconnect(tx: Tx, { clientId, details, terms }: Order): Promise<void> {
  const client = await tx.findOneByOrFail(ApiClient, { id: clientId });
  requireInterconnect(details, client, terms !== null && completed(terms).needsInterconnect);
}

/** To the owner, or to the sales inbox where there is none. */
export const amendedEmail: EmailKind = {
  code: 'amended',
  name: 'Order amended',
  about: 'order',
  to: 'staff',
  words: readWords('amended', import.meta.url),
  facts: amendedLetter,
};

/** Null once the order is erased. */
async function amendedLetter(tx: Tx, id: string): Promise<EmailLetter | null> {
  const order = await tx.findOneBy(Order, { id });
  const last = order?.amendments?.at(-1);
  if (!order || !last) return null;
  const { ownerId, kind, reference, postcode } = order;
  const owner = ownerId && (await tx.findOneBy(StaffMember, { id: ownerId, enabled: true }));
  const client = await tx.findOneBy(ApiClient, { id: order.clientId });
  const changes = amendedRows(last).map(([label, values]) => [upperFirst(label), values] as const);
  return {
    to: owner ? [{ name: owner.name, address: owner.email }] : [],
    facts: { kind, reference, postcode, company: client?.name ?? '', changes },
  };
}
