import { Injectable } from '@nestjs/common';
import { In } from 'typeorm';
import { AuditEntry } from '../../platform/audit/audit-entry.entity.js';
import type { ClientCaller } from '../../platform/access/caller.js';
import type { ConstraintCode } from '../../catalogue/content/zone-fields.js';
import { newestFirst, page } from '../../platform/http/paging.js';
import type { PageQuery } from '../../platform/http/paging.dto.js';
import { Unavailable } from '../../platform/problems/problem.js';
import { Clock } from '../../platform/kernel/clock.js';
import { Transactions } from '../../platform/database/transactions.js';
import { printCharge, printCharges } from '../record/print-charge.js';
import { MovesService } from '../moves/moves.service.js';
import { hasConstraint, type Order } from '../record/order.entity.js';
import { lockedOrder, ordersOn, type OrdersTx } from '../record/order-tables.js';
import { EnquiryNotFound, OrderClosed, OrderNotFound } from '../record/orders.errors.js';
import { publicStateOf, type StateEntry, storedStatesOf } from '../record/public-state.js';
import type { PublicStates, WorkKind } from '../record/order-states.js';
import { deliveriesOf, printDelivery, waitingFor } from '../record/deliveries.js';
import type { WaitingParty } from '../record/milestones.js';
import { acceptedOffers, shownOffers } from '../record/print-offers.js';
import type { ClientView } from './client-views.js';

/** Staff may move an order while its client cancels it; then the service tries again. */
const MOST_ATTEMPTS = 5;

/** Which of the own requests of one kind. */
interface ClientQuery extends PageQuery {
  readonly updatedSince?: Date;
  readonly waitingFor?: WaitingParty;
  readonly state?: PublicStates[WorkKind];
  readonly reference?: string;
  readonly constraint?: ConstraintCode;
}

/** An API client's own orders and enquiries. A request of the other kind is not found. */
@Injectable()
export class ClientOrdersService {
  constructor(
    private readonly transactions: Transactions,
    private readonly moves: MovesService,
    private readonly clock: Clock,
  ) {}

  /** @throws {OrderNotFound | EnquiryNotFound} also for another client's */
  async find<T>(view: ClientView<T>, id: string, client: ClientCaller): Promise<T> {
    const [printed] = await this.read(client, async (tx) =>
      printAll(tx, [await ownOrder(tx, view.kind, id, client)], view, client, this.clock.now()),
    );
    return printed!;
  }

  /** Newest first. */
  async list<T>(
    view: ClientView<T>,
    { updatedSince, waitingFor: party, state, reference, constraint, ...asked }: ClientQuery,
    client: ClientCaller,
  ): Promise<{ items: T[]; nextCursor: string | null }> {
    return this.read(client, async (tx) => {
      const query = tx
        .createQueryBuilder(tx.orders, 'o')
        .where('o.clientId = :client', { client: client.clientId })
        // A literal, for the partial index of enquiries.
        .andWhere(`o.kind = '${view.kind}'`);
      if (updatedSince) {
        query.andWhere('o.publicStateAt >= :since', { since: updatedSince.getTime() });
      }
      if (party) query.andWhere(waitingFor(tx, party));
      if (constraint) query.andWhere(hasConstraint(constraint));
      if (reference !== undefined) query.andWhere('o.clientReference = :reference', { reference });
      if (state) {
        const { states, reasons, others } = storedStatesOf(view.kind, state);
        query
          .andWhere(
            `(o.state IN (:...states) AND (o.state <> 'lost' OR COALESCE(o.closeReason, '') NOT IN (:...others)) OR o.state = 'lost' AND o.closeReason IN (:...reasons))`,
          )
          .setParameters({
            states: orNone(states),
            reasons: orNone(reasons),
            others: orNone(others),
          });
      }
      const orders = await newestFirst(query, 'o.receivedAt', asked);
      const printed = await printAll(tx, orders, view, client, this.clock.now());
      return page(
        orders.map((order, i) => ({ order, shown: printed[i]! })),
        asked.limit,
        ({ order }) => ({ at: order.receivedAt, id: order.id }),
        ({ shown }) => shown,
      );
    });
  }

  /** @throws {OrderNotFound | EnquiryNotFound | OrderClosed} */
  async cancel<T>(
    view: ClientView<T>,
    id: string,
    reason: string | undefined,
    client: ClientCaller,
  ): Promise<T> {
    const mover = { kind: 'client', id: client.clientId, name: client.name } as const;
    for (let attempt = 1; attempt <= MOST_ATTEMPTS; attempt += 1) {
      const order = await this.read(client, (tx) => ownOrder(tx, view.kind, id, client));
      if (order.state === 'cancelled') return this.find(view, id, client);
      if (order.closedAt !== null) throw new OrderClosed(view.kind, publicStateOf(order));
      const move = { name: 'cancel', reason: 'client_request', note: reason } as const;
      const moved = await this.moves.runOn(client, (tx) =>
        this.moves.attempt(tx, order, move, mover),
      );
      if (moved) return this.find(view, id, client);
    }
    throw new Unavailable(`Staff are changing this ${view.kind} at the moment.`, undefined, 1);
  }

  private read<T>(client: ClientCaller, work: (tx: OrdersTx) => Promise<T>): Promise<T> {
    return this.transactions.read((tx) => work(ordersOn(tx, client)));
  }
}

/** SQL has no empty list. */
function orNone(values: readonly string[]): readonly string[] {
  return values.length === 0 ? ['-'] : values;
}

/**
 * @param lock whether other changes of it wait until the transaction ends
 * @throws {OrderNotFound | EnquiryNotFound} also for another client's
 */
export async function ownOrder(
  tx: OrdersTx,
  kind: WorkKind,
  id: string,
  { clientId }: ClientCaller,
  lock?: 'lock',
): Promise<Order> {
  const where = { id, kind, clientId };
  const order = await (lock ? lockedOrder(tx, where) : tx.findOneBy(tx.orders, where));
  if (order) return order;
  throw requestNotFound(kind);
}

export function requestNotFound(kind: WorkKind): OrderNotFound | EnquiryNotFound {
  return kind === 'order' ? new OrderNotFound() : new EnquiryNotFound();
}

async function printAll<T>(
  tx: OrdersTx,
  orders: readonly Order[],
  view: ClientView<T>,
  { compatibility }: Pick<ClientCaller, 'compatibility'>,
  now: Date,
): Promise<T[]> {
  const charges = await printCharges(tx, orders, now, printCharge);
  const entries = await tx.find(AuditEntry, {
    where: { subjectType: tx.subject, subjectId: In(orders.map(({ id }) => id)) },
    order: { id: 'ASC' },
  });
  const changes = new Map(orders.map(({ id }) => [id, [] as StateEntry[]]));
  for (const { subjectId, at, actorType, details } of entries) {
    if (!details || !('to' in details)) continue;
    changes.get(subjectId)?.push({ ...(details as Pick<StateEntry, 'to'>), at, actorType });
  }
  const deliveries = await deliveriesOf(tx, orders);
  const enquiries = view.kind === 'enquiry' ? orders : [];
  const offers = await shownOffers(tx, enquiries, now);
  const accepted = await acceptedOffers(tx, orders);
  return orders.map((order) => {
    const { id } = order;
    return view.print(order, {
      entries: changes.get(id) ?? [],
      charges: charges.get(id) ?? [],
      offers: offers.get(id) ?? [],
      offerId: accepted.get(id) ?? null,
      delivery: printDelivery(deliveries.get(id), order, now, compatibility),
      compatibility,
    });
  });
}
