import { Injectable } from '@nestjs/common';
import { AuditEntry } from '../../platform/audit/audit-entry.entity.js';
import { AuditService } from '../../platform/audit/audit.service.js';
import { wordsOfOrder } from '../record/search-words.js';
import { addition, addTogether } from '../../platform/database/engine/rows.js';
import { Batcher } from '../../platform/database/batch/batcher.js';
import { isRefusedStatement, isUnavailable } from '../../platform/database/engine/errors.js';
import { Transactions } from '../../platform/database/transactions.js';
import type { Tx } from '../../platform/database/engine/tx.js';
import { OutboxMessage } from '../../platform/notifications/messages/outbox-message.entity.js';
import { IdempotencyKey } from './idempotency-key.entity.js';
import type { ContactChannel, ContactResult } from '../moves/move-fields.js';
import { OrderChangesService } from '../moves/order-changes.service.js';
import { OrderWord } from '../record/order-word.entity.js';
import { Order, TestOrder } from '../record/order.entity.js';
import { ordersOn } from '../record/order-tables.js';
import { type Intake, withTwins, withTwinsInBatch } from './twins.js';
import type { Placing } from './ordering-client.js';

/** What a retry needs: the key, the fingerprint of the body, and the message to repeat. */
export type Repeatable = Pick<IdempotencyKey, 'key' | 'fingerprint' | 'message'>;

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
    await addAll(tx, intakes, placing.client.isTest ? [] : await withTwins(tx, orders));
  }

  private intakeOf(
    order: Order,
    { client, actor, source }: Placing,
    repeatable: Repeatable | undefined,
  ): Intake {
    const { clientId, id: orderId, receivedAt } = order;
    const subject = [ordersOn(client).subject, orderId] as const;
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
      isTest: client.isTest,
      words: client.isTest ? [] : wordsOfOrder(order).map((word) => ({ word, orderId })),
      entry: this.audit.entryOf({ subject, action: 'received', actor, details, at: receivedAt }),
      messages: this.changes.received(order, client),
      key: repeatable && { ...repeatable, clientId, orderId, createdAt: receivedAt },
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
  const orders = fresh.flatMap(({ order, isTest }) => (isTest ? [] : order));
  await addAll(tx, fresh, await withTwins(tx, orders));
  return outcomes;
}

/** @param orders the live ones */
async function addAll(tx: Tx, intakes: readonly Intake[], orders: readonly Order[]): Promise<void> {
  const all = <T>(of: (intake: Intake) => T | readonly T[]) => intakes.flatMap(of);
  await addTogether(tx, [
    addition(Order, orders),
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
  const found = await tx.findBy(IdempotencyKey, where);
  return new Map(found.map((key) => [nameOf(key), key]));
}
