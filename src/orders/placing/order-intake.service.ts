import { Injectable } from '@nestjs/common';
import { AuditEntry } from '../../audit/audit-entry.entity.js';
import { AuditService } from '../../audit/audit.service.js';
import { wordsOfOrder } from '../search-words.js';
import { addition, addTogether, findForEach } from '../../database/engine/rows.js';
import { type Batch, WriteBatcher } from '../../database/batch/write-batcher.js';
import { isRefusedStatement } from '../../database/errors.js';
import { DAY } from '../../kernel/time.js';
import { AlreadyRunning, Transactions } from '../../database/transactions.js';
import type { Tx } from '../../database/engine/tx.js';
import { OutboxMessage } from '../../notifications/outbox-message.entity.js';
import { IdempotencyKey } from './idempotency-key.entity.js';
import type { ContactChannel, ContactResult } from '../moves/move-fields.js';
import { OrderChangesService } from '../moves/order-changes.service.js';
import { OrderWord } from '../order-word.entity.js';
import { Order, orderSubject, TestOrder } from '../order.entity.js';
import type { Placing } from './ordering-client.js';

/** Concurrent batches. On PostgreSQL, one is prepared while another waits for the server. */
const LANES = { sqlite: 1, postgres: 2 } as const;

/** What a retry needs: the key, the fingerprint of the body, and the message to repeat. */
export type Repeatable = Pick<IdempotencyKey, 'key' | 'fingerprint' | 'message'>;

/** An order and all that is stored with it in one transaction. */
interface Intake {
  readonly order: Order;
  readonly isTest: boolean;
  readonly words: readonly OrderWord[];
  readonly entry: AuditEntry;
  readonly messages: readonly OutboxMessage[];
  readonly key: IdempotencyKey | undefined;
}

/** The first contact of an order that staff take on the phone. */
const spoken: { readonly channel: ContactChannel; readonly result: ContactResult } = {
  channel: 'phone',
  result: 'reached',
};

/** `stored`, or the earlier response to the same key. */
export type IntakeOutcome = 'stored' | IdempotencyKey;

/** Stores concurrent orders in batches. */
@Injectable()
export class OrderIntakeService {
  private readonly batcher: WriteBatcher<Intake, IntakeOutcome>;

  constructor(
    private readonly transactions: Transactions,
    private readonly audit: AuditService,
    private readonly changes: OrderChangesService,
  ) {
    this.batcher = new WriteBatcher((batch) => this.storeBatch(batch), {
      lanes: LANES[transactions.engine],
      isRetriedSingly: isRefusedStatement,
    });
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

  private intakeOf(
    order: Order,
    { client, actor, source }: Placing,
    repeatable: Repeatable | undefined,
  ): Intake {
    const { clientId, id: orderId, receivedAt } = order;
    const subject = [orderSubject(client), orderId] as const;
    const details = {
      to: order.state,
      version: order.version,
      ...(source && { source, ...spoken }),
      ...(order.uprn !== null && { uprn: String(order.uprn) }),
    };
    return {
      order,
      isTest: client.isTest,
      words: client.isTest ? [] : wordsOfOrder(order).map((word) => ({ word, orderId })),
      entry: this.audit.entryOf({ subject, action: 'received', actor, details, at: receivedAt }),
      messages: this.changes.received(order, client),
      key: repeatable && { ...repeatable, clientId, orderId, createdAt: receivedAt },
    };
  }

  private storeBatch({ take, until }: Batch<Intake>) {
    return this.transactions.runBatch((tx) => this.storeAll(tx, take()), until);
  }

  private async storeAll(
    tx: Tx,
    intakes: readonly Intake[],
  ): Promise<(IntakeOutcome | AlreadyRunning)[]> {
    const keys = intakes.flatMap(({ key }) => key ?? []);
    const elsewhere = await this.transactions.lockedElsewhere(tx, keys.map(nameOf));
    const earlier = await earlierAnswers(tx, keys);
    const outcomes = intakes.map(({ key }): IntakeOutcome | AlreadyRunning => {
      if (!key) return 'stored';
      const name = nameOf(key);
      return elsewhere.has(name) ? new AlreadyRunning(name) : (earlier.get(name) ?? 'stored');
    });
    const fresh = intakes.filter((_intake, i) => outcomes[i] === 'stored');
    const all = <T>(of: (intake: Intake) => T | readonly T[]) => fresh.flatMap(of);
    const orders = all(({ order, isTest }) => (isTest ? [] : order));
    await addTogether(tx, [
      addition(Order, await withTwins(tx, orders)),
      addition(
        TestOrder,
        all(({ order, isTest }) => (isTest ? order : [])),
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
        all(({ key }) => key ?? []),
      ),
    ]);
    return outcomes;
  }
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
  const found = await tx.findBy(IdempotencyKey, where);
  return new Map(found.map((key) => [nameOf(key), key]));
}

/** Adds the latest order of the same client, product and postcode within 24 hours to each. */
async function withTwins(tx: Tx, orders: readonly Order[]): Promise<Order[]> {
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
      `SELECT id FROM orders WHERE client_id = ${client} AND postcode = ${postcode}
       AND product_code = ${product} AND received_at > ${since}
       AND (uprn = ${uprn} OR uprn IS NULL OR ${uprn} IS NULL) ORDER BY received_at DESC LIMIT 1`,
  );
  const here = new Map<string, string>();
  return orders.map((order, i) => {
    const what = `${order.clientId} ${order.postcode} ${order.productCode} ${order.uprn}`;
    const twin = here.get(what) ?? (found[i] as string | null);
    here.set(what, order.id);
    return { ...order, possibleDuplicateOf: twin };
  });
}
