import { majorUnits } from '../../catalogue/content/money.js';
import { completed } from '../../catalogue/content/offers.js';
import { Injectable } from '@nestjs/common';
import { In } from 'typeorm';
import { AuditEntry } from '../../audit/audit-entry.entity.js';
import type { ClientCaller } from '../../access/caller.js';
import { page, readCursor } from '../../http/paging.js';
import { Unavailable } from '../../problems/problem.js';
import { Clock } from '../../kernel/clock.js';
import { printUprn } from '../../kernel/uprn.js';
import { Transactions } from '../../database/transactions.js';
import type { Tx } from '../../database/engine/tx.js';
import { printCharges } from '../charges/print-charge.js';
import { MovesService } from '../moves/moves.service.js';
import { type Order, ordersOf, orderSubject } from '../order.entity.js';
import type { ClientOrder, ClientOrderPage, ClientOrderQuery } from '../orders.dto.js';
import { OrderClosed, OrderNotFound } from '../orders.errors.js';
import { stateChanges, type StateEntry, toPublicState } from '../moves/public-state.js';

/** Staff may move an order while its client cancels it; then the service tries again. */
const MOST_ATTEMPTS = 5;

/** An API client's own orders. */
@Injectable()
export class ClientOrdersService {
  constructor(
    private readonly transactions: Transactions,
    private readonly moves: MovesService,
    private readonly clock: Clock,
  ) {}

  /** @throws {OrderNotFound} also for another client's order */
  async find(id: string, client: ClientCaller): Promise<ClientOrder> {
    const [printed] = await this.transactions.read(async (tx) =>
      printAll(tx, [await ownOrder(tx, id, client)], client, this.clock.now()),
    );
    return printed!;
  }

  /** Newest first. */
  async list(
    { updatedSince, limit, cursor }: ClientOrderQuery,
    client: ClientCaller,
  ): Promise<ClientOrderPage> {
    return this.transactions.read(async (tx) => {
      const query = tx
        .createQueryBuilder(ordersOf(client), 'o')
        .where('o.clientId = :client', { client: client.clientId })
        .orderBy('o.receivedAt', 'DESC')
        .addOrderBy('o.id', 'DESC')
        .limit(limit + 1);
      if (updatedSince) {
        query.andWhere('o.publicStateAt >= :since', { since: updatedSince.getTime() });
      }
      if (cursor !== undefined) {
        const { at, id } = readCursor(cursor);
        query.andWhere('(o.receivedAt, o.id) < (:at, :id)', { at: at.getTime(), id });
      }
      const orders = await query.getMany();
      const printed = await printAll(tx, orders, client, this.clock.now());
      return page(
        orders.map((order, i) => ({ order, shown: printed[i]! })),
        limit,
        ({ order }) => ({ at: order.receivedAt, id: order.id }),
        ({ shown }) => shown,
      );
    });
  }

  /** @throws {OrderNotFound | OrderClosed} */
  async cancel(id: string, reason: string, client: ClientCaller): Promise<ClientOrder> {
    const mover = { kind: 'client', id: client.clientId, name: client.name } as const;
    for (let attempt = 1; attempt <= MOST_ATTEMPTS; attempt += 1) {
      const order = await this.transactions.read((tx) => ownOrder(tx, id, client));
      if (order.state === 'cancelled') return this.find(id, client);
      if (order.closedAt !== null) throw new OrderClosed(publicStateOf(order));
      const move = { name: 'cancel', reason: 'client_request', note: reason } as const;
      const moved = await this.moves.run(
        (tx) => this.moves.attempt(tx, order, move, mover, client),
        client,
      );
      if (moved) return this.find(id, client);
    }
    throw new Unavailable('Staff are changing this order at the moment.', undefined, 1);
  }
}

async function ownOrder(tx: Tx, id: string, client: ClientCaller): Promise<Order> {
  const order = await tx.findOneBy(ordersOf(client), { id, clientId: client.clientId });
  if (order) return order;
  throw new OrderNotFound();
}

function publicStateOf({ state, closeReason }: Order) {
  return toPublicState({ to: state, reason: closeReason });
}

async function printAll(
  tx: Tx,
  orders: readonly Order[],
  client: ClientCaller,
  now: Date,
): Promise<ClientOrder[]> {
  const charges = await printCharges(tx, orders, client, now);
  const entries = await tx.find(AuditEntry, {
    where: { subjectType: orderSubject(client), subjectId: In(orders.map(({ id }) => id)) },
    order: { id: 'ASC' },
  });
  const changes = new Map(orders.map(({ id }) => [id, [] as StateEntry[]]));
  for (const { subjectId, at, actorType, details } of entries) {
    if (!details || !('to' in details)) continue;
    changes.get(subjectId)?.push({ ...(details as Pick<StateEntry, 'to'>), at, actorType });
  }
  return orders.map((order) => ({
    orderId: order.id,
    orderReference: order.reference,
    reference: order.clientReference,
    state: publicStateOf(order),
    stateChanges: stateChanges(changes.get(order.id) ?? []),
    postcode: order.postcode,
    uprn: printUprn(order.uprn),
    product: completed(order.terms),
    checkId: order.checkId,
    receivedAt: order.receivedAt,
    acceptExtraUpTo:
      order.acceptExtraMinor === null ? null : majorUnits(order.acceptExtraMinor, order.currency),
    charges: charges.get(order.id) ?? [],
    updatedAt: order.publicStateAt,
  }));
}
