import { Injectable } from '@nestjs/common';
import { MoreThanOrEqual } from 'typeorm';
import type { ClientCaller } from '../platform/access/caller.js';
import { jsonOf, jsonRows, jsonValue } from '../platform/database/engine/rows.js';
import type { Tx } from '../platform/database/engine/tx.js';
import { Transactions } from '../platform/database/transactions.js';
import { BackgroundWork } from '../platform/kernel/background-work.js';
import { Clock } from '../platform/kernel/clock.js';
import { shareNextRun } from '../platform/kernel/turns.js';
import { MINUTE } from '../platform/kernel/time.js';
import { londonDay } from '../platform/kernel/working-hours.js';
import { ClientErrorDay } from './client-error-day.entity.js';

/**
 * Counts the errors that API clients receive, by day and code. A count costs no statement: the counts of
 * a minute are written together. A crash can lose the last minute.
 */
@Injectable()
export class ClientErrorsService {
  /** Not written yet. At most one for each client, code and kind of token. */
  private counts = new Map<string, ClientErrorDay>();
  private readonly write = shareNextRun(() => this.writeCounts());

  constructor(
    private readonly transactions: Transactions,
    private readonly clock: Clock,
    background: BackgroundWork,
  ) {
    background.every('client errors', MINUTE, () => this.flush());
    background.atStop(() => this.flush());
  }

  count({ clientId, isTest }: ClientCaller, code: string): void {
    const lastAt = this.clock.now();
    const day = londonDay(lastAt);
    const key = `${day} ${clientId} ${code} ${isTest}`;
    const count = this.counts.get(key);
    if (count) {
      count.errors += 1;
      count.lastAt = lastAt;
    } else this.counts.set(key, { day, clientId, code, isTest, errors: 1, lastAt });
  }

  /** Writes the counts that wait. */
  flush(): Promise<void> {
    return this.write();
  }

  /** The errors of one client since a day in London. */
  async since(day: string, clientId: string): Promise<ClientErrorDay[]> {
    await this.flush();
    return this.transactions.read((tx) =>
      tx.findBy(ClientErrorDay, { day: MoreThanOrEqual(day), clientId }),
    );
  }

  /** Deletes at most `most` counts of days before this one. @returns the number of deleted rows */
  async prune(tx: Tx, before: string, most: number): Promise<number> {
    const key = 'day, client_id, code, is_test';
    const oldest = `SELECT ${key} FROM client_error_days WHERE day < :before ORDER BY day LIMIT :most`;
    const { affected } = await tx
      .createQueryBuilder()
      .delete()
      .from(ClientErrorDay)
      .where(`(${key}) IN (${oldest})`, { before, most })
      .execute();
    return affected!;
  }

  private async writeCounts(): Promise<void> {
    const written = this.counts;
    if (written.size === 0) return;
    this.counts = new Map();
    const rows = [...written.values()].map(({ day, clientId, code, isTest, errors, lastAt }) => [
      day,
      clientId,
      code,
      this.transactions.engine === 'postgres' ? isTest : Number(isTest),
      errors,
      lastAt.getTime(),
    ]);
    try {
      await this.transactions.run((tx) => tx.query(this.sql, [jsonOf(rows)]));
    } catch (error) {
      this.putBack(written);
      throw error;
    }
  }

  private putBack(failed: ReadonlyMap<string, ClientErrorDay>): void {
    for (const [key, count] of failed) {
      const newer = this.counts.get(key);
      if (newer) newer.errors += count.errors;
      else this.counts.set(key, count);
    }
  }

  private get sql(): string {
    const { engine } = this.transactions;
    const types = ['varchar', 'uuid', 'varchar', 'boolean', 'integer', 'bigint'];
    const values = types.map((type, i) => jsonValue(engine, i, type));
    // `WHERE true`: after a SELECT, SQLite would read ON CONFLICT as the condition of a join.
    return `INSERT INTO client_error_days (day, client_id, code, is_test, errors, last_at)
      SELECT ${values.join(', ')} FROM ${jsonRows(engine, engine === 'postgres' ? '$1' : '?')} WHERE true
      ON CONFLICT (day, client_id, code, is_test)
      DO UPDATE SET errors = client_error_days.errors + excluded.errors, last_at = excluded.last_at`;
  }
}
