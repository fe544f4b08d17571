import { Injectable } from '@nestjs/common';
import { isDeepStrictEqual } from 'node:util';
import type { SelectQueryBuilder } from 'typeorm';
import type { FileFaults } from '../../platform/tables/csv-table.js';
import type { Actor } from '../../platform/audit/audit.service.js';
import { addRows, entitiesOf, oneOf } from '../../platform/database/engine/rows.js';
import { Transactions } from '../../platform/database/transactions.js';
import { Clock } from '../../platform/kernel/clock.js';
import { groupsOf, inTurns } from '../../platform/kernel/turns.js';
import { londonDay } from '../../platform/kernel/working-hours.js';
import { Refused } from '../../platform/problems/refused.js';
import { MovesService } from '../moves/moves.service.js';
import type { DeliveryRecord } from '../record/delivery.entity.js';
import type { Order } from '../record/order.entity.js';
import { unusualOrder } from '../record/milestones.js';
import { lockingOrders, liveOrders, type OrdersTx } from '../record/order-tables.js';
import { type DeliveryPlan, merged, planDelivery } from './delivery-rules.js';
import { OrderDeliveriesService, plannedEvent } from './order-deliveries.service.js';
import { UpdatesFile } from './updates-file.js';

/** Orders of one statement, and of one turn of the event loop. */
const GROUP = 48;
/** Changes that a preview shows. */
const MOST_SHOWN = 100;

export interface DeliveryImport {
  readonly rows: number;
  readonly orders: number;
  readonly changed: number;
  readonly faults: FileFaults;
  /** The changes after which the days of an order are unusual. */
  readonly warned: number;
  /** The first changes, in words; those with a `warning` come first. */
  readonly changes: readonly (Readonly<Record<string, string>> & { readonly order: string })[];
}

/** A file of updates has faults, so none of it was imported. */
export class UpdatesRejected extends Refused {
  constructor(readonly report: DeliveryImport) {
    super(`Nothing was imported: ${report.faults.total} faults.`);
  }
}

/** An order of a file, as it was read. */
interface PlannedOrder {
  readonly id: string;
  readonly reference: string;
  readonly before: DeliveryRecord;
  /** Null if everything is so already. */
  readonly plan: DeliveryPlan | null;
}

type FileChange = PlannedOrder & { readonly plan: DeliveryPlan };

/** Imports updates of deliveries from the operator's systems: all rows of a file, or none. */
@Injectable()
export class DeliveryImportService {
  constructor(
    private readonly moves: MovesService,
    private readonly deliveries: OrderDeliveriesService,
    private readonly transactions: Transactions,
    private readonly clock: Clock,
  ) {}

  /** What a file would change, and its faults. */
  async preview(text: string): Promise<DeliveryImport> {
    const file = await UpdatesFile.read(text);
    return reportOf(file, await this.plan(file));
  }

  /** Two imports at once end as if they had run in sequence. @throws {UpdatesRejected} */
  async run(text: string, actor: Actor): Promise<DeliveryImport> {
    const file = await UpdatesFile.read(text);
    // Before the transaction, during which all other writes of SQLite wait.
    const planned = await this.plan(file);
    refuseFaults(file, planned);
    return this.moves.runBatch(async (tx) => {
      const ids = [...planned.keys()].sort();
      for await (const group of inTurns(groupsOf(ids, GROUP))) {
        const references = group.map((id) => planned.get(id)!.reference);
        const current = await this.planOrders(
          tx,
          lockingOrders(tx, group),
          references,
          file,
          planned,
        );
        for (const order of current) planned.set(order.id, order);
        refuseFaults(file, planned);
        await this.write(tx, changesIn(current), actor);
      }
      return reportOf(file, planned);
    });
  }

  /** The orders of a file, by their ids. Each group is a use of the database: others have theirs between them. */
  private async plan(file: UpdatesFile): Promise<Map<string, PlannedOrder>> {
    const planned = new Map<string, PlannedOrder>();
    for await (const references of inTurns(groupsOf(file.rows.keys(), GROUP))) {
      if (file.hasManyFaults) break;
      const orders = await this.transactions.read((reading) => {
        const tx = liveOrders(reading);
        const query = tx.createQueryBuilder(tx.orders, 'o');
        query.where({ reference: oneOf(references) });
        return this.planOrders(tx, query, references, file);
      });
      for (const order of orders) planned.set(order.id, order);
    }
    return planned;
  }

  /**
   * @param query finds the orders
   * @param references of these orders; those that are not found are refused
   * @param planned before; a plan holds as long as its delivery is the same
   */
  private async planOrders(
    tx: OrdersTx,
    query: SelectQueryBuilder<Order>,
    references: readonly string[],
    file: UpdatesFile,
    planned?: ReadonlyMap<string, PlannedOrder>,
  ): Promise<PlannedOrder[]> {
    const now = this.clock.now();
    const today = londonDay(now);
    query.select(['o.id AS id', 'o.reference AS reference', 'o.state AS state']);
    const orders = await query.getRawMany<{ id: string; reference: string; state: string }>();
    const found = new Set(orders.map(({ reference }) => reference));
    const unknown = references.filter((reference) => !found.has(reference));
    for (const reference of unknown) file.refuseOrder(reference, 'There is no such order.');
    const won = orders.filter(({ state }) => state === 'won').map(({ id }) => id);
    const rows =
      won.length === 0
        ? []
        : await entitiesOf(
            tx.createQueryBuilder(tx.deliveries, 'd').where({ orderId: oneOf(won) }),
          );
    const deliveries = new Map(rows.map((delivery) => [delivery.orderId, delivery]));
    return orders.flatMap(({ id, reference }): PlannedOrder[] => {
      const before = deliveries.get(id);
      if (!before) {
        file.refuseOrder(reference, 'The order is not accepted.');
        return [];
      }
      const known = planned?.get(id);
      if (known && isDeepStrictEqual(known.before, before)) return [known];
      const change = merged(file.rows.get(reference)!.map((row) => row.change));
      const plan = planDelivery(before, change, now, today);
      if (!Array.isArray(plan)) return [{ id, reference, before, plan }];
      for (const fault of plan) file.refuseChange(reference, fault);
      return [];
    });
  }

  private async write(tx: OrdersTx, changes: readonly FileChange[], actor: Actor): Promise<void> {
    if (changes.length === 0) return;
    const now = this.clock.now();
    const ids = changes.map(({ id }) => id);
    await this.deliveries.touch(tx, ids, now);
    const after = changes.map(({ before, plan }) => {
      return { ...before, ...plan.columns, unreportedSince: now };
    });
    await addRows(tx, tx.deliveries, after, 'is replaced');
    const events = changes.map(({ id, plan }) => ({ orderId: id, ...plannedEvent(plan, actor) }));
    await this.deliveries.record(tx, events);
    const live = changes.filter(({ plan }) => plan.columns.liveOn !== null);
    const liveIds = live.map(({ id }) => id);
    await this.deliveries.keepLive(tx, liveIds, actor);
  }
}

const changesIn = (orders: Iterable<PlannedOrder>): FileChange[] =>
  [...orders].filter((order): order is FileChange => order.plan !== null);

/** @throws {UpdatesRejected} */
function refuseFaults(file: UpdatesFile, planned: ReadonlyMap<string, PlannedOrder>): void {
  if (file.faults.total > 0) throw new UpdatesRejected(reportOf(file, planned));
}

function reportOf(file: UpdatesFile, planned: ReadonlyMap<string, PlannedOrder>): DeliveryImport {
  const changes = changesIn(planned.values());
  const isUnusual = ({ plan }: FileChange) => unusualOrder(plan.columns.milestones).length > 0;
  const unusual = changes.filter(isUnusual);
  const usual = changes.filter((change) => !isUnusual(change));
  return {
    rows: file.count,
    orders: file.rows.size,
    changed: changes.length,
    faults: file.faults,
    warned: unusual.length,
    changes: [...unusual, ...usual].slice(0, MOST_SHOWN).map(({ reference, plan }) => {
      const warning = unusualOrder(plan.columns.milestones).join(' ');
      return { order: reference, ...plan.details, ...(warning !== '' && { warning }) };
    }),
  };
}
