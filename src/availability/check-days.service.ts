import { Injectable } from '@nestjs/common';
import { setTimeout as sleep } from 'node:timers/promises';
import { Between, In, MoreThan } from 'typeorm';
import { jsonOf, jsonRows, jsonValue } from '../platform/database/engine/rows.js';
import type { Tx } from '../platform/database/engine/tx.js';
import { AlreadyRunning, Transactions } from '../platform/database/transactions.js';
import { BackgroundWork } from '../platform/kernel/background-work.js';
import { shareNextRun, nextTurn } from '../platform/kernel/turns.js';
import type { Check } from './check.entity.js';
import { CheckDay, OUTCOME_SQL, UncountedChecks, outcomeOf } from './check-day.entity.js';
import { type NumberRange, hourOfNumber } from './check-numbers.js';
import { londonDay } from '../platform/kernel/working-hours.js';

/** Numbers without a gap, in a number of ranges. */
interface StoredSpan {
  readonly first: number;
  last: number;
  ranges: number;
}

/** Counts of stored checks by day in London, sector, client and outcome. */
class CheckCounts {
  /** The numbers of the checks. */
  readonly spans: StoredSpan[] = [];
  /** By the values of the primary key of `check_days`. */
  private readonly counts = new Map<string, number>();

  get size(): number {
    return this.counts.size;
  }

  /** @param ranges of the numbers of the checks, each in one hour */
  add(checks: readonly Check[], ranges: readonly NumberRange[]): void {
    let at = 0;
    for (const range of ranges) {
      const [first, last] = range;
      const day = dayOf(first);
      for (const end = at + last - first + 1; at < end; at += 1) {
        const { clientId, postcode, productCount, staffId } = checks[at]!;
        const key = `${day},${postcode.slice(0, -2)},${clientId},${outcomeOf(productCount, staffId)}`;
        this.counts.set(key, (this.counts.get(key) ?? 0) + 1);
      }
      this.addRange(range);
    }
  }

  includes(number: number): boolean {
    return this.spans.some(({ first, last }) => number >= first && number <= last);
  }

  /** In the order of the primary key, which halves the time to write them. */
  rows(): (readonly [...key: string[], checks: number])[] {
    const sorted = [...this.counts].sort(([a], [b]) => (a < b ? -1 : 1));
    return sorted.map(([key, checks]) => [...key.split(','), checks]);
  }

  private addRange([first, last]: NumberRange): void {
    const span = this.spans.at(-1);
    if (span?.last === first - 1) {
      span.last = last;
      span.ranges += 1;
    } else this.spans.push({ first, last, ranges: 1 });
  }
}

/** The day in London of a check's number. */
function dayOf(number: number): string {
  // London's days start at full hours of UTC.
  return londonDay(hourOfNumber(number));
}

/** Ranges that one transaction reads at most, and about how many checks it counts. */
const RANGES = 500;
const CHECKS = { sqlite: 250, postgres: 5_000 };
/** Rows of a statement: a millisecond on SQLite, which blocks this thread. */
const ROWS = 500;
/** Counts in memory. More of them are written early. */
const MOST_COUNTS = 20_000;
/** Milliseconds between two looks whether another instance has finished counting. */
const PAUSE = 20;

/**
 * Adds new checks to the daily counts in `check_days`. This process counts the checks that it stores in
 * memory, and adds the counts every minute. The checks of other instances, and of a process that
 * crashed, are counted by SQL, before a report and when old checks are deleted.
 */
@Injectable()
export class CheckDaysService {
  private readonly count = shareNextRun(() => this.countAll());
  /** Of checks that this process has stored and not added to `check_days`. */
  private counts = new CheckCounts();
  private reportsWaiting = 0;

  constructor(
    private readonly transactions: Transactions,
    private readonly background: BackgroundWork,
  ) {}

  /** Counts checks that this process has just stored. @param ranges of their numbers */
  addStored(checks: readonly Check[], ranges: readonly NumberRange[]): void {
    this.counts.add(checks, ranges);
    // After a failure the checks are counted by SQL.
    if (this.counts.size >= MOST_COUNTS) this.count().catch(() => undefined);
  }

  /** Adds the counts of this process. */
  async countInBackground(): Promise<void> {
    await this.count().catch((error: unknown) => {
      if (!this.background.stopping.aborted) throw error;
    });
  }

  /** Counts every check that was stored before the call, by any instance. */
  async countNew(): Promise<void> {
    this.reportsWaiting += 1;
    try {
      await this.count();
    } finally {
      this.reportsWaiting -= 1;
    }
  }

  /** Deletes at most `most` counts of days before this one. @returns the number of deleted rows */
  async prune(tx: Tx, before: string, most: number): Promise<number> {
    const key = 'day, sector, client_id, outcome';
    const oldest = `SELECT ${key} FROM check_days WHERE day < :before ORDER BY ${key} LIMIT :most`;
    const { affected } = await tx
      .createQueryBuilder()
      .delete()
      .from(CheckDay)
      .where(`(${key}) IN (${oldest})`, { before, most })
      .execute();
    return affected!;
  }

  private async countAll(): Promise<void> {
    const { counts } = this;
    if (counts.size > 0) {
      this.counts = new CheckCounts();
      await this.exclusively((tx) => this.addCounts(tx, counts));
    }
    for (let after: number | null = 0; after !== null && this.reportsWaiting > 0;) {
      const from: number = after;
      after = await this.exclusively((tx) => this.countSome(tx, from));
    }
  }

  /** Waits while another instance counts. */
  private async exclusively<T>(count: (tx: Tx) => Promise<T>): Promise<T> {
    for (;;) {
      // The next start counts the rest. Callers must not continue with incomplete counts.
      if (this.background.stopping.aborted) throw new Error('The service is stopping.');
      try {
        return await this.transactions.runExclusively('check-days', count);
      } catch (error) {
        if (!(error instanceof AlreadyRunning)) throw error;
        await sleep(PAUSE);
      }
    }
  }

  /** Adds all of the counts, or none if another instance has counted some of the checks. */
  private async addCounts(tx: Tx, counts: CheckCounts): Promise<void> {
    for (const { first, last, ranges } of counts.spans) {
      const uncounted = { firstNumber: Between(first, last) };
      if ((await tx.countBy(UncountedChecks, uncounted)) !== ranges) return;
    }
    for (const { first, last } of counts.spans) {
      await tx.delete(UncountedChecks, { firstNumber: Between(first, last) });
    }
    const rows = counts.rows();
    const values = ['varchar', 'varchar', 'uuid', 'varchar', 'integer'].map((type, i) =>
      this.value(i, type),
    );
    for (let at = 0; at < rows.length; at += ROWS) {
      await this.add(tx, rows.slice(at, at + ROWS), values, 'WHERE 1 = 1');
      await nextTurn();
    }
  }

  /**
   * Counts some checks whose numbers are greater, by SQL.
   * @returns the number after which to continue; null if that were all
   */
  private async countSome(tx: Tx, after: number): Promise<number | null> {
    const ranges = await tx.find(UncountedChecks, {
      where: { firstNumber: MoreThan(after) },
      order: { firstNumber: 'ASC' },
      take: RANGES,
    });
    let checks = 0;
    let next: number | null = null;
    const taken: UncountedChecks[] = [];
    for (const range of ranges) {
      if (checks >= CHECKS[this.transactions.engine]) break;
      next = range.firstNumber;
      if (this.counts.includes(next)) continue;
      taken.push(range);
      checks += range.lastNumber - next + 1;
    }
    if (taken.length === 0) return next;
    const rows = taken.map(({ firstNumber: first, lastNumber: last }) => [
      first,
      last,
      dayOf(first),
    ]);
    const [first, last, day] = [this.value(0, 'bigint'), this.value(1, 'bigint'), this.value(2)];
    const sector = 'SUBSTR(c.postcode, 1, LENGTH(c.postcode) - 2)';
    await this.add(
      tx,
      rows,
      [day, sector, 'c.client_id', OUTCOME_SQL, 'COUNT(*)'],
      `CROSS JOIN checks c WHERE c.number BETWEEN ${first} AND ${last} GROUP BY 1, 2, 3, 4`,
    );
    await tx.delete(UncountedChecks, { firstNumber: In(taken.map((row) => row.firstNumber)) });
    return next;
  }

  /** @param values of the columns of `check_days`, for the rows @param from what follows the rows in `FROM` */
  private async add(
    tx: Tx,
    rows: readonly (readonly unknown[])[],
    values: readonly string[],
    from: string,
  ): Promise<void> {
    const { engine } = this.transactions;
    await tx.query(
      `INSERT INTO check_days (day, sector, client_id, outcome, checks)
       SELECT ${values.join(', ')} FROM ${jsonRows(engine, engine === 'postgres' ? '$1' : '?')} ${from}
       ON CONFLICT (day, sector, client_id, outcome)
       DO UPDATE SET checks = check_days.checks + excluded.checks`,
      [jsonOf(rows)],
    );
  }

  private value(i: number, type = 'varchar'): string {
    return jsonValue(this.transactions.engine, i, type);
  }
}
