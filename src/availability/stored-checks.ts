import { LessThan, LessThanOrEqual } from 'typeorm';
import { clusterOf } from '../kernel/crockford.js';
import type { SqlValue } from '../database/engine/engine.js';
import type { Transactions } from '../database/transactions.js';
import type { Tx } from '../database/engine/tx.js';
import { Check, TestCheck } from './check.entity.js';
import { groupColumns, groupsOf, HOUR, hourOf } from './check-groups.js';

/** Live, or made with test tokens. */
export type CheckTable = 'checks' | 'test_checks';

/** How the database holds the records of checks. To a query they are rows of the table either way. */
export interface StoredChecks {
  /** All of them or none; a failure of the power may take the last. */
  write(checks: readonly Check[]): Promise<unknown>;
  find(id: string): Promise<Check | null>;
  /**
   * Deletes the oldest of those that were made before an instant, about so many.
   * @returns how many; 0 when none is left
   */
  prune(tx: Tx, before: Date, most: number): Promise<number>;
  /**
   * SQL: that a record `r` was made from `:start` on and before `:end`, in milliseconds. A query that
   * says it in other words reads all that there are.
   */
  readonly madeWithin: string;
}

export function storedChecks(transactions: Transactions, table: CheckTable): StoredChecks {
  return transactions.engine === 'sqlite'
    ? new ChecksInGroups(transactions, table)
    : new ChecksInRows(transactions, table);
}

const entities = { checks: Check, test_checks: TestCheck };
const madeWithin = 'r.checkedAt >= :start AND r.checkedAt < :end';

/** On PostgreSQL, which has processes of its own for what a row costs: a row each. */
class ChecksInRows implements StoredChecks {
  readonly madeWithin = madeWithin;
  private readonly entity;

  constructor(
    private readonly transactions: Transactions,
    private readonly table: CheckTable,
  ) {
    this.entity = entities[table];
  }

  write(checks: readonly Check[]): Promise<unknown> {
    return this.transactions.insertRows(this.table, rowColumns, checks.flatMap(valuesOf));
  }

  find(id: string): Promise<Check | null> {
    return this.transactions.read((tx) => tx.findOneBy<Check>(this.entity, { id }));
  }

  /** Those of the same millisecond as the last one go with it. */
  async prune(tx: Tx, before: Date, most: number): Promise<number> {
    const oldest = await tx.find<Check>(this.entity, {
      select: { id: true, checkedAt: true },
      where: { checkedAt: LessThan(before) },
      order: { checkedAt: 'ASC' },
      take: most,
    });
    const last = oldest.at(-1);
    if (!last) return 0;
    const { affected } = await tx.delete<Check>(this.entity, {
      checkedAt: LessThanOrEqual(last.checkedAt),
    });
    return affected ?? oldest.length;
  }
}

const rowColumns = [
  'id',
  'client_id',
  'postcode',
  'area',
  'price_list',
  'catalogue_version',
  'product_count',
  'checked_at',
  'staff_id',
];

/** In the order of the columns. */
function valuesOf(check: Check): SqlValue[] {
  return [
    check.id,
    check.clientId,
    check.postcode,
    check.area,
    check.priceList,
    check.catalogueVersion,
    check.productCount,
    check.checkedAt.getTime(),
    check.staffId,
  ];
}

/**
 * On SQLite, which is in the thread that answers: in groups, and `table` is a view of them. A row each
 * cost a sixth of the check.
 */
class ChecksInGroups implements StoredChecks {
  readonly madeWithin = `${madeWithin} AND r.hour BETWEEN CAST(:start / ${HOUR} AS INTEGER) AND CAST(:end / ${HOUR} AS INTEGER)`;
  private readonly groups;

  constructor(
    private readonly transactions: Transactions,
    private readonly table: CheckTable,
  ) {
    this.groups = ({ checks: 'check_groups', test_checks: 'test_check_groups' } as const)[table];
  }

  write(checks: readonly Check[]): Promise<unknown> {
    return this.transactions.insertRows(this.groups, groupColumns, groupsOf(checks).flat());
  }

  /** It is in one of the few groups of its cluster. */
  find(id: string): Promise<Check | null> {
    const first = clusterOf(id);
    const last = `${first}~`; // which comes after all letters
    return this.transactions.read((tx) =>
      tx
        .createQueryBuilder<Check>(entities[this.table], 'r')
        .where('r.group_id BETWEEN :first AND :last AND r.id = :id', { first, last, id })
        .getOne(),
    );
  }

  /** A group goes when its last record does: they were written together. */
  async prune(tx: Tx, before: Date, most: number): Promise<number> {
    const oldest = await tx.query<{ id: string; size: number }[]>(
      `SELECT id, size FROM ${this.groups} WHERE hour <= ? AND last_checked_at < ?
       ORDER BY hour LIMIT ?`,
      [hourOf(before), before.getTime(), most],
    );
    const ids: string[] = [];
    let records = 0;
    for (const { id, size } of oldest) {
      if (records >= most) break;
      ids.push(id);
      records += size;
    }
    await tx.query(`DELETE FROM ${this.groups} WHERE id IN (SELECT value FROM json_each(?))`, [
      JSON.stringify(ids),
    ]);
    return records;
  }
}
