import { SANDBOX, tableOn } from '../../platform/database/sides.js';
import { Injectable } from '@nestjs/common';
import { AuditEntry } from '../../platform/audit/audit-entry.entity.js';
import { AuditService } from '../../platform/audit/audit.service.js';
import { wordsOfOrder } from '../record/search-words.js';
import { addition, addTogether, findForEach } from '../../platform/database/engine/rows.js';
import { Batcher } from '../../platform/database/batch/batcher.js';
import { isRefusedStatement, isUnavailable } from '../../platform/database/engine/errors.js';
import { Transactions } from '../../platform/database/transactions.js';
import type { Tx } from '../../platform/database/engine/tx.js';
import { OutboxMessage } from '../../platform/notifications/messages/outbox-message.entity.js';
import { IdempotencyKey } from './idempotency-key.entity.js';
import type { ContactChannel, ContactResult } from '../moves/move-fields.js';
import { OrderChangesService } from '../moves/order-changes.service.js';
import { OrderWord } from '../record/order-word.entity.js';
import { Order } from '../record/order.entity.js';
import { tablesOn } from '../record/order-tables.js';
import type { Placing } from './ordering-client.js';
import { mustHold, orderRules } from '../record/money-rules.js';
import { DAY } from '../../platform/kernel/time.js';

/** What a retry needs: the key, the fingerprint of the body, and the response to repeat. */
export type Repeatable = Pick<IdempotencyKey, 'key' | 'fingerprint' | 'answer'>;

/** The first contact of an order that staff take on the phone. */
const spoken: { readonly channel: ContactChannel; readonly result: ContactResult } = {
  channel: 'phone',
  result: 'reached',
};

/** `stored`, or the earlier response to the same key. */
export type IntakeOutcome = 'stored' | IdempotencyKey;

/** An order and all that is stored with it in one transaction. */
interface Intake {
  readonly order: Order;
  /** Its table. */
  readonly entity: new () => Order;
  readonly words: readonly OrderWord[];
  readonly entry: AuditEntry;
  readonly messages: readonly OutboxMessage[];
  readonly key: IdempotencyKey | undefined;
}

/** Stores concurrent orders in batches. */
@Injectable()
export class OrderIntakeService {
  private readonly batcher: Batcher<Intake, IntakeOutcome>;

  constructor(
    private readonly transactions: Transactions,
    private readonly audit: AuditService,
    private readonly changes: OrderChangesService,
  ) {
    this.batcher = new Batcher(
      ({ take, until }) => transactions.runStatement((tx) => storeAll(tx, take()), until),
      {
        isRetriedSingly: isRefusedStatement,
        failsWaiting: isUnavailable,
      },
    );
  }

  /**
   * Stores the order. When the promise resolves with `stored`, order, audit entry, notifications and
   * key are on disk. Otherwise none of them is, unless the connection was lost during the commit.
   * @throws {AlreadyRunning} if another order with its key is being stored
   * @throws {QueryFailedError} a unique violation if the reference is taken
   */
  store(
    order: Order,
    placing: Placing,
    repeatable: Repeatable | undefined,
  ): Promise<IntakeOutcome> {
    const intake = this.intakeOf(order, placing, repeatable);
    const name = intake.key && nameOf(intake.key);
    const store = () => this.batcher.add(intake, this.transactions.until);
    return name === undefined ? store() : this.transactions.underName(name, store);
  }

  /**
   * Stores orders inside a transaction, without keys. Their twins are earlier orders only: orders that
   * come together are meant to be several.
   */
  async storeWithin(tx: Tx, orders: readonly Order[], placing: Placing): Promise<void> {
    const intakes = orders.map((order) => this.intakeOf(order, placing, undefined));
    await addAll(tx, intakes, await withTwins(tx, liveOrders(intakes)));
  }

  private intakeOf(
    order: Order,
    { client, actor, source }: Placing,
    repeatable: Repeatable | undefined,
  ): Intake {
    const { clientId, id: orderId, receivedAt } = order;
    const { orders: entity, subject: type } = tablesOn(client);
    const subject = [type, orderId] as const;
    const details = {
      ...(order.kind === 'enquiry' && { kind: order.kind }),
      to: order.state,
      version: order.version,
      ...(source && { source, ...spoken }),
      ...(order.uprn !== null && { uprn: String(order.uprn) }),
      ...(order.enquiryId !== null && { enquiryId: order.enquiryId, offer: order.productCode }),
    };
    return {
      order,
      entity,
      words: entity === Order ? wordsOfOrder(order).map((word) => ({ word, orderId })) : [],
      entry: this.audit.entryOf({ subject, action: 'received', actor, details, at: receivedAt }),
      messages: this.changes.received(order, client),
      key: repeatable && { ...repeatable, clientId, subjectId: orderId, createdAt: receivedAt },
    };
  }
}

async function storeAll(tx: Tx, intakes: readonly Intake[]): Promise<IntakeOutcome[]> {
  const keys = intakes.flatMap(({ key }) => key ?? []);
  const earlier = await earlierAnswers(tx, keys);
  const outcomes = intakes.map(
    ({ key }): IntakeOutcome => (key && earlier.get(nameOf(key))) ?? 'stored',
  );
  const fresh = withTwinsInBatch(intakes.filter((_intake, i) => outcomes[i] === 'stored'));
  await addAll(tx, fresh, await withTwins(tx, liveOrders(fresh)));
  return outcomes;
}

function liveOrders(intakes: readonly Intake[]): Order[] {
  return intakes.flatMap(({ order, entity }) => (entity === Order ? order : []));
}

/** @param orders the live ones */
async function addAll(tx: Tx, intakes: readonly Intake[], orders: readonly Order[]): Promise<void> {
  for (const { order } of intakes) mustHold(orderRules, order, order.reference);
  const all = <T>(of: (intake: Intake) => T | readonly T[]) => intakes.flatMap(of);
  await addTogether(tx, [
    addition(Order, orders),
    addition(
      tableOn(Order, SANDBOX),
      all(({ order, entity }) => (entity === Order ? [] : order)),
    ),
    addition(
      OrderWord,
      all(({ words }) => words),
    ),
    addition(
      AuditEntry,
      all(({ entry }) => entry),
    ),
    addition(
      OutboxMessage,
      all(({ messages }) => messages),
    ),
    addition(
      IdempotencyKey,
      // So that two instances never wait for each other.
      all(({ key }) => key ?? []).toSorted((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1)),
    ),
  ]);
}

/** The lock name of an idempotency key. */
function nameOf({ clientId, key }: IdempotencyKey): string {
  return `order ${clientId} ${key}`;
}

/** The stored responses by lock name. */
async function earlierAnswers(
  tx: Tx,
  keys: readonly IdempotencyKey[],
): Promise<ReadonlyMap<string, IdempotencyKey>> {
  if (keys.length === 0) return new Map();
  const where = keys.map(({ clientId, key }) => ({ clientId, key }));
  const stored = await tx.findBy(IdempotencyKey, where);
  return new Map(stored.map((key) => [nameOf(key), key]));
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
function withTwinsInBatch(intakes: readonly Intake[]): Intake[] {
  const latest = new Map<string, string>();
  return intakes.map((intake) => {
    const { order, entity } = intake;
    if (entity !== Order) return intake;
    const what = `${order.clientId} ${order.postcode} ${order.productCode} ${order.uprn}`;
    const possibleDuplicateOf = latest.get(what) ?? null;
    latest.set(what, order.id);
    return { ...intake, order: { ...order, possibleDuplicateOf } };
  });
}

/** Adds the twin of the last 24 hours that the table has, where the batch has none. */
async function withTwins(tx: Tx, orders: readonly Order[]): Promise<Order[]> {
  if (orders.length === 0) return [];
  const twins = await findForEach(
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
    possibleDuplicateOf: order.possibleDuplicateOf ?? (twins[i] as string | null),
  }));
}
