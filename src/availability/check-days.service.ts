import { Injectable } from '@nestjs/common';
import { setTimeout as sleep } from 'node:timers/promises';
import { In } from 'typeorm';
import { jsonOf, jsonRows, jsonValue } from '../database/engine/insert-sql.js';
import type { Tx } from '../database/engine/tx.js';
import { AlreadyRunning, Transactions } from '../database/transactions.js';
import { BackgroundWork } from '../kernel/background-work.js';
import { shareNextRun } from '../kernel/share-next-run.js';
import { londonDay } from '../kernel/working-hours.js';
import { CheckDay, OUTCOME_SQL, UncountedChecks } from './check-day.entity.js';
import { hourOfNumber } from './check-numbers.js';

/** Checks that one transaction counts, about: a few milliseconds on SQLite. */
const CHECKS = 250;
/** Ranges that one transaction reads at most. */
const RANGES = 500;
/** Milliseconds between two transactions while no report waits: checks go first under load. */
const REST = 50;
/** Milliseconds between two looks whether another instance has finished counting. */
const PAUSE = 20;

/** Adds new checks to the daily counts in `check_days`. */
@Injectable()
export class CheckDaysService {
  private readonly count = shareNextRun(() => this.countAll());
  private reportsWaiting = 0;

  constructor(
    private readonly transactions: Transactions,
    private readonly background: BackgroundWork,
  ) {}

  /** Counts with pauses, to leave room for checks. Reports count the rest without pauses. */
  async countInBackground(): Promise<void> {
    await this.count().catch((error: unknown) => {
      if (!this.background.stopping.aborted) throw error;
    });
  }

  /** Counts every check that was stored before the call. */
  async countNew(): Promise<void> {
    this.reportsWaiting += 1;
    try {
      await this.count();
    } finally {
      this.reportsWaiting -= 1;
    }
  }

  /**
   * Deletes at most `most` counts of days before this one.
   * @returns the number of deleted rows
   */
  async prune(tx: Tx, before: string, most: number): Promise<number> {
    const oldest = await tx
      .createQueryBuilder(CheckDay, 'd')
      .where('d.day < :before', { before })
      .orderBy({ 'd.day': 'ASC', 'd.sector': 'ASC', 'd.clientId': 'ASC', 'd.outcome': 'ASC' })
      .limit(most)
      .getMany();
    for (const { day, sector, clientId, outcome } of oldest) {
      await tx.delete(CheckDay, { day, sector, clientId, outcome });
    }
    return oldest.length;
  }

  private async countAll(): Promise<void> {
    for (;;) {
      // The next start counts the rest. Callers must not continue with incomplete counts.
      if (this.background.stopping.aborted) throw new Error('The service is stopping.');
      try {
        const counted = await this.transactions.runExclusively('check-days', (tx) =>
          this.countSome(tx),
        );
        if (!counted) return;
        if (this.reportsWaiting === 0) await sleep(REST);
      } catch (error) {
        if (!(error instanceof AlreadyRunning)) throw error;
        await sleep(PAUSE);
      }
    }
  }

  private async countSome(tx: Tx): Promise<boolean> {
    const ranges = await tx.find(UncountedChecks, { order: { firstNumber: 'ASC' }, take: RANGES });
    let checks = 0;
    const taken = ranges.filter(({ firstNumber, lastNumber }) => {
      if (checks >= CHECKS) return false;
      checks += lastNumber - firstNumber + 1;
      return true;
    });
    if (taken.length === 0) return false;
    const rows = taken.map(({ firstNumber, lastNumber }) => [
      firstNumber,
      lastNumber,
      // London's days start at full hours of UTC.
      londonDay(hourOfNumber(firstNumber)),
    ]);
    await tx.query(this.sql, [jsonOf(rows)]);
    await tx.delete(UncountedChecks, { firstNumber: In(taken.map((one) => one.firstNumber)) });
    return true;
  }

  private get sql(): string {
    const { engine } = this.transactions;
    const value = (i: number, type: string) => jsonValue(engine, i, type);
    return `INSERT INTO check_days (day, sector, client_id, outcome, checks)
      SELECT ${value(2, 'varchar')}, SUBSTR(c.postcode, 1, LENGTH(c.postcode) - 2), c.client_id,
        ${OUTCOME_SQL}, COUNT(*)
      FROM ${jsonRows(engine, engine === 'postgres' ? '$1' : '?')} CROSS JOIN checks c
      WHERE c.number BETWEEN ${value(0, 'bigint')} AND ${value(1, 'bigint')}
      GROUP BY 1, 2, 3, 4
      ON CONFLICT (day, sector, client_id, outcome)
      DO UPDATE SET checks = check_days.checks + excluded.checks`;
  }
}
