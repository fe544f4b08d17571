import { Injectable } from '@nestjs/common';
import { In } from 'typeorm';
import { ApiClient } from '../clients/api-client.entity.js';
import { Clock } from '../common/clock.js';
import { page, readCursor } from '../common/paging.js';
import { Transactions } from '../database/transactions.js';
import { Order } from '../orders/order.entity.js';
import { productOf } from '../orders/ordered-product.js';
import type {
  FollowUpClient,
  FollowUpOrder,
  FollowUpPage,
  FollowUpQuery,
} from './follow-up.dto.js';

@Injectable()
export class FollowUpService {
  constructor(
    private readonly transactions: Transactions,
    private readonly clock: Clock,
  ) {}

  /** The orders in the states asked for, longest waiting first. */
  async list({ state, client, limit, cursor }: FollowUpQuery): Promise<FollowUpPage> {
    const [orders, clients] = await this.transactions.read(async (tx) => {
      const query = tx
        .createQueryBuilder(Order, 'o')
        .where('o.state IN (:...state)', { state })
        .orderBy('o.receivedAt', 'ASC')
        .addOrderBy('o.id', 'ASC')
        .take(limit + 1);
      if (client !== undefined) query.andWhere('o.clientId = :client', { client });
      if (cursor !== undefined) {
        const { at, id } = readCursor(cursor);
        query.andWhere('(o.receivedAt, o.id) > (:at, :id)', { at: at.getTime(), id });
      }
      const rows = await query.getMany();
      const ids = [...new Set(rows.map(({ clientId }) => clientId))];
      return [rows, await tx.findBy(ApiClient, { id: In(ids) })];
    });
    const byId = new Map(clients.map((row) => [row.id, row]));
    const now = this.clock.now();
    return page(
      orders,
      limit,
      ({ receivedAt, id }) => ({ at: receivedAt, id }),
      (order) => print(order, byId.get(order.clientId), now),
    );
  }
}

function print(order: Order, client: ApiClient | undefined, now: Date): FollowUpOrder {
  return {
    orderId: order.id,
    reference: order.reference,
    state: order.state,
    receivedAt: order.receivedAt,
    ageSeconds: Math.floor((now.getTime() - order.receivedAt.getTime()) / 1_000),
    postcode: order.postcode,
    product: productOf(order),
    zone: order.zone,
    client: printClient(order.clientId, client),
    contact: {
      ...(order.contactName !== null && { name: order.contactName }),
      ...(order.contactEmail !== null && { email: order.contactEmail }),
      ...(order.contactPhone !== null && { phone: order.contactPhone }),
    },
    clientReference: order.clientReference,
    notes: order.notes,
    checkId: order.checkId,
    possibleDuplicateOf: order.possibleDuplicateOf,
    ownerId: order.ownerId,
    version: order.version,
  };
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
