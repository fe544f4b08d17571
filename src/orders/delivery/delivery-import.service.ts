import { Injectable } from '@nestjs/common';
import type { FileFaults } from '../../platform/tables/csv-table.js';
import type { Actor } from '../../platform/audit/audit.service.js';
import { addRows, oneOf } from '../../platform/database/engine/rows.js';
import { Transactions } from '../../platform/database/transactions.js';
import { Clock } from '../../platform/kernel/clock.js';
import { groupsOf, inTurns } from '../../platform/kernel/turns.js';
import { londonDay } from '../../platform/kernel/working-hours.js';
import { Refused } from '../../platform/problems/refused.js';
import { MovesService } from '../moves/moves.service.js';
import type { DeliveryRecord } from '../record/delivery.entity.js';
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

interface FileChange {
  readonly reference: string;
  readonly before: DeliveryRecord;
  readonly plan: DeliveryPlan;
}

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
    return this.reportOn(await UpdatesFile.read(text));
  }

  private async reportOn(file: UpdatesFile): Promise<DeliveryImport> {
    const changes = await this.transactions.read((tx) => this.plan(liveOrders(tx), file));
    return reportOf(file, changes);
  }

  /** Two imports at once end as if they had run in sequence. @throws {UpdatesRejected} */
  async run(text: string, actor: Actor): Promise<DeliveryImport> {
    const file = await UpdatesFile.read(text);
    if (file.faults.total > 0) throw new UpdatesRejected(await this.reportOn(file));
    return this.moves.runBatch(async (tx) => {
      const changes = await this.plan(tx, file, true);
      const report = reportOf(file, changes);
      if (report.faults.total > 0) throw new UpdatesRejected(report);
      for await (const group of inTurns(groupsOf(changes, GROUP))) {
        await this.write(tx, group, actor);
      }
      return report;
    });
  }

  /** @param locks the orders: see `lockingOrders` */
  private async plan(tx: OrdersTx, file: UpdatesFile, locks = false): Promise<FileChange[]> {
    const now = this.clock.now();
    const today = londonDay(now);
    const changes: FileChange[] = [];
    const all = (await orderIdsOf(tx, file)).sort();
    for await (const group of inTurns(groupsOf(all, GROUP))) {
      if (file.hasManyFaults) break;
      const query = locks
        ? lockingOrders(tx, group)
        : tx.createQueryBuilder(tx.orders, 'o').where({ id: oneOf(group) });
      query.select(['o.id AS id', 'o.reference AS reference', 'o.state AS state']);
      const orders = await query.getRawMany<{ id: string; reference: string; state: string }>();
      const ids = orders.filter(({ state }) => state === 'won').map(({ id }) => id);
      const rows = ids.length === 0 ? [] : await tx.findBy(tx.deliveries, { orderId: oneOf(ids) });
      const deliveries = new Map(rows.map((delivery) => [delivery.orderId, delivery]));
      for (const { id, reference } of orders) {
        const before = deliveries.get(id);
        if (!before) {
          file.refuseOrder(reference, 'The order is not accepted.');
          continue;
        }
        const change = merged(file.rows.get(reference)!.map((row) => row.change));
        const plan = planDelivery(before, change, now, today);
        if (plan === null) continue;
        if (Array.isArray(plan)) for (const fault of plan) file.refuseChange(reference, fault);
        else changes.push({ reference, before, plan });
      }
    }
    return changes;
  }

  private async write(tx: OrdersTx, changes: readonly FileChange[], actor: Actor): Promise<void> {
    const now = this.clock.now();
    const ids = changes.map(({ before }) => before.orderId);
    await this.deliveries.touch(tx, ids, now);
    await tx.delete(tx.deliveries, { orderId: oneOf(ids) });
    const after = changes.map(({ before, plan }) => {
      return { ...before, ...plan.columns, unreportedSince: now };
    });
    await addRows(tx, tx.deliveries, after);
    const events = changes.map(({ before: { orderId }, plan }) => {
      return { orderId, ...plannedEvent(plan, actor) };
    });
    await this.deliveries.record(tx, events);
    const live = changes.filter(({ plan }) => plan.columns.liveOn !== null);
    const liveIds = live.map(({ before }) => before.orderId);
    await this.deliveries.keepLive(tx, liveIds, actor);
  }
}

/** The ids of the orders of a file. Refuses the rows of unknown references. */
async function orderIdsOf(tx: OrdersTx, file: UpdatesFile): Promise<string[]> {
  const ids: string[] = [];
  for await (const group of inTurns(groupsOf([...file.rows.keys()], GROUP))) {
    if (file.hasManyFaults) break;
    const orders = await tx.find(tx.orders, {
      select: { id: true, reference: true },
      where: { reference: oneOf(group) },
    });
    ids.push(...orders.map(({ id }) => id));
    const known = new Set(orders.map(({ reference }) => reference));
    const unknown = group.filter((reference) => !known.has(reference));
    for (const reference of unknown) file.refuseOrder(reference, 'There is no such order.');
  }
  return ids;
}

function reportOf(file: UpdatesFile, changes: readonly FileChange[]): DeliveryImport {
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
