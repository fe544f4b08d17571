import { findForEach } from '../../platform/database/engine/rows.js';
import type { Tx } from '../../platform/database/engine/tx.js';
import { DAY } from '../../platform/kernel/time.js';
import { Order } from '../record/order.entity.js';
import type { AuditEntry } from '../../platform/audit/audit-entry.entity.js';
import type { OutboxMessage } from '../../platform/notifications/messages/outbox-message.entity.js';
import type { OrderWord } from '../record/order-word.entity.js';
import type { IdempotencyKey } from './idempotency-key.entity.js';

/** An order and all that is stored with it in one transaction. */
export interface Intake {
  readonly order: Order;
  readonly isTest: boolean;
  readonly words: readonly OrderWord[];
  readonly entry: AuditEntry;
  readonly messages: readonly OutboxMessage[];
  readonly key: IdempotencyKey | undefined;
}

/** What a batch has: orders alone, or enquiries too. */
type TwinKinds = 'orders' | 'both';

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
 * The latest order of the same client, product and place. It is the first row that `ix_orders_twin` yields:
 * the search stays short where a client repeats one order. The conversion and `+ 0` leave the databases no
 * other index: without fresh statistics they read all orders of the client, or of the day, which are many.
 */
function latestOrderSql({ client, postcode, since, uprn }: TwinValues, isSame: string): string {
  return `SELECT id FROM orders WHERE CAST(client_id AS text) = ${client} AND postcode = ${postcode}
    AND ${isSame} AND received_at + 0 > ${since}
    AND (uprn = ${uprn} OR uprn IS NULL OR ${uprn} IS NULL) ORDER BY received_at DESC LIMIT 1`;
}

/** The twin of a row. @param kinds what the rows are: orders alone need one query less */
export function latestTwinSql(values: TwinValues, kinds: TwinKinds): string {
  const { product } = values;
  const order = latestOrderSql(values, `product_code = ${product}`);
  if (kinds === 'orders') return order;
  // An enquiry has no product: its twin is an enquiry of the same client and place.
  const enquiry = latestOrderSql(values, `product_code IS NULL AND kind = 'enquiry'`);
  return `CASE WHEN ${product} IS NULL THEN (${enquiry}) ELSE (${order}) END`;
}

/** What a batch has: see `latestTwinSql`. */
function kindsOf(orders: readonly Pick<Order, 'kind'>[]): TwinKinds {
  return orders.some(({ kind }) => kind === 'enquiry') ? 'both' : 'orders';
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
    (id, postcode, product, since, uprn) => {
      // PostgreSQL does not compare a text with a UUID.
      const client = `CAST(${id} AS text)`;
      return latestTwinSql({ client, postcode, product, since, uprn }, kindsOf(orders));
    },
  );
  return orders.map((order, i) => ({
    ...order,
    possibleDuplicateOf: order.possibleDuplicateOf ?? (found[i] as string | null),
  }));
}
