import { Between, In, LessThan, LessThanOrEqual } from 'typeorm';
import { type Batch, Batcher } from '../platform/database/batch/batcher.js';
import type { RowInsert, SqlValue } from '../platform/database/engine/engine.js';
import type { Tx } from '../platform/database/engine/tx.js';
import { isUnavailable, isUniqueViolation } from '../platform/database/engine/errors.js';
import { findOn, type Side, tableNameOn, tableOn } from '../platform/database/sides.js';
import type { Span } from '../platform/database/slices.js';
import type { Transactions } from '../platform/database/transactions.js';
import { type Check, type CheckColumns, CheckRow } from './check.entity.js';
import { type NumberRange, numbersBetween, rangesOf } from './check-numbers.js';

const columns = [
  'number',
  'client_id',
  'postcode',
  'uprn',
  'price_list',
  'catalogue_version',
  'product_count',
  'near',
  'checked_at',
  'staff_id',
];

/** In the order of the columns. */
function addValues(values: SqlValue[], check: Check): void {
  values.push(
    check.number,
    check.clientId,
    check.postcode,
    check.uprn,
    check.priceList,
    check.catalogueVersion,
    check.productCount,
    check.near,
    check.checkedAt.getTime(),
    check.staffId,
  );
}

/** The rows of checks on one side. */
export class StoredChecks {
  private readonly entity;
  /** Orders that arrive together share a query: on PostgreSQL, one each costs as much as the order. */
  private readonly finder = new Batcher<number, CheckColumns | null>(
    (batch) => this.findAll(batch),
    { failsWaiting: isUnavailable },
  );

  /** @param stored called after a transaction of live checks, with the ranges of the numbers */
  constructor(
    private readonly transactions: Transactions,
    private readonly side: Side,
    private readonly stored?: (checks: readonly Check[], ranges: readonly NumberRange[]) => void,
  ) {
    this.entity = tableOn(CheckRow, side);
  }

  /** Stores the checks, except those whose number is taken. @returns how many numbers were taken */
  async write(checks: readonly Check[]): Promise<number> {
    try {
      await this.insert(checks);
      return 0;
    } catch (error) {
      if (!isUniqueViolation(error)) throw error;
    }
    const taken = await this.numbersTaken(checks);
    const others = checks.filter(({ number }) => !taken.has(number));
    if (others.length > 0) await this.insert(others);
    return taken.size;
  }

  /** @throws {Unavailable} after the caller's deadline */
  find(number: number): Promise<CheckColumns | null> {
    return this.finder.add(number, this.transactions.until);
  }

  /**
   * Deletes up to `most` of the oldest checks before an instant, once the daily counts include them.
   * @returns the number of deleted rows
   */
  async prune(tx: Tx, before: Date, most: number): Promise<number> {
    const old = {
      number: LessThan(numbersBetween(0, before.getTime()).beyond),
      checkedAt: LessThan(before),
    };
    const oldest = await tx.find<CheckColumns>(this.entity, {
      select: { number: true },
      where: old,
      order: { number: 'ASC' },
      take: most,
    });
    const last = oldest.at(-1);
    if (!last) return 0;
    await tx.delete<CheckColumns>(this.entity, { ...old, number: LessThanOrEqual(last.number) });
    return oldest.length;
  }

  private async findAll({ take, until }: Batch<number>): Promise<(CheckColumns | null)[]> {
    let numbers: readonly number[] = [];
    const rows = await this.transactions.read((tx) => {
      numbers = take();
      return tx.findBy<CheckColumns>(this.entity, { number: In(numbers) });
    }, until);
    const rowsByNumber = new Map(rows.map((row) => [row.number, row]));
    return numbers.map((number) => rowsByNumber.get(number) ?? null);
  }

  private async insert(checks: readonly Check[]): Promise<void> {
    const values: SqlValue[] = [];
    for (const check of checks) addValues(values, check);
    const rows: RowInsert = { table: tableNameOn('checks', this.side), columns, values };
    if (this.side.isTest) {
      await this.transactions.insertRows([rows]);
      return;
    }
    const ranges = rangesOf(checks.map(({ number }) => number));
    const uncounted: RowInsert = {
      table: 'uncounted_checks',
      columns: ['first_number', 'last_number'],
      values: ranges.flat(),
    };
    await this.transactions.insertRows([rows, uncounted]);
    this.stored?.(checks, ranges);
  }

  private async numbersTaken(checks: readonly Check[]): Promise<ReadonlySet<number>> {
    const rows = await this.transactions.read((tx) =>
      tx.find<CheckColumns>(this.entity, {
        select: { number: true },
        where: { number: In(checks.map(({ number }) => number)) },
      }),
    );
    return new Set(rows.map(({ number }) => number));
  }
}

/** SQL: whether a row `r` was made in the span of `checksMade`, by the primary key. */
export const CHECKS_MADE =
  'r.number >= :first AND r.number < :beyond AND r.checkedAt >= :start AND r.checkedAt < :end';

export function checksMade({ start, end }: Span) {
  return { start, end, ...numbersBetween(start, end) };
}

/** Whether a check, live or test, in the span used the catalogue version. */
export async function checksUse(tx: Tx, catalogueVersion: number, live: Span): Promise<boolean> {
  const { first, beyond } = numbersBetween(live.start, live.end);
  const number = Between(first, beyond - 1);
  return (await findOn(tx, CheckRow, { number, catalogueVersion })) !== null;
}
