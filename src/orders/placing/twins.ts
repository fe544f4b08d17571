import { findForEach } from '../../database/engine/rows.js';
import type { Tx } from '../../database/engine/tx.js';
import { DAY } from '../../kernel/time.js';
import { Order } from '../order.entity.js';
import type { Intake } from './intake.js';

/** SQL expressions of an order. */
interface TwinValues {
  readonly client: string;
  readonly postcode: string;
  readonly product: string;
  /** Milliseconds since 1970. */
  readonly since: string;
  readonly uprn: string;
}

/**
 * The latest order of the same client, product and place. The conversion and `+ 0` leave PostgreSQL only
 * the index by place: without fresh statistics it reads all orders of the client, which are many.
 */
export function latestTwinSql({ client, postcode, product, since, uprn }: TwinValues): string {
  return `SELECT id FROM orders WHERE CAST(client_id AS text) = ${client} AND postcode = ${postcode}
    AND product_code = ${product} AND received_at + 0 > ${since}
    AND (uprn = ${uprn} OR uprn IS NULL OR ${uprn} IS NULL) ORDER BY received_at + 0 DESC LIMIT 1`;
}

/** Adds the twin of the last 24 hours to each live order, where its batch has one. */
export function withTwinsInBatch(intakes: readonly Intake[]): Intake[] {
  const latest = new Map<string, string>();
  return intakes.map((intake) => {
    const { order, isTest } = intake;
    if (isTest) return intake;
    const what = `${order.clientId} ${order.postcode} ${order.productCode} ${order.uprn}`;
    const possibleDuplicateOf = latest.get(what) ?? null;
    latest.set(what, order.id);
    return { ...intake, order: { ...order, possibleDuplicateOf } };
  });
}

/** Adds the twin of the last 24 hours that the table has, where the batch has none. */
export async function withTwins(tx: Tx, orders: readonly Order[]): Promise<Order[]> {
  if (orders.length === 0) return [];
  const found = await findForEach(
    tx,
    Order,
    ['clientId', 'postcode', 'productCode', 'receivedAt', 'uprn'],
    orders.map(({ clientId, postcode, productCode, receivedAt, uprn }) => [
      clientId,
      postcode,
      productCode,
      receivedAt.getTime() - DAY,
      uprn,
    ]),
    (client, postcode, product, since, uprn) =>
      latestTwinSql({ client, postcode, product, since, uprn }),
  );
  return orders.map((order, i) => ({
    ...order,
    possibleDuplicateOf: order.possibleDuplicateOf ?? (found[i] as string | null),
  }));
}
