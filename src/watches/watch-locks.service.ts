import { Injectable } from '@nestjs/common';
import { ApiClient } from '../clients/api-client.entity.js';
import { Transactions } from '../platform/database/transactions.js';
import type { Tx } from '../platform/database/engine/tx.js';
import { WatchProgress } from './watch-progress.entity.js';

/** Rows that transactions of watches lock on PostgreSQL. SQLite has one writer. */
@Injectable()
export class WatchLocksService {
  constructor(private readonly transactions: Transactions) {}

  /** Keeps other changes of the client's watches out until the transaction ends. */
  async lockClient(tx: Tx, id: string): Promise<ApiClient> {
    const query = tx.createQueryBuilder(ApiClient, 'c').where('c.id = :id', { id });
    if (this.transactions.engine === 'postgres') query.setLock('for_no_key_update');
    return query.getOneOrFail();
  }

  /** The progress, which cannot move on until the transaction ends. */
  async holdProgress(tx: Tx): Promise<WatchProgress> {
    const query = tx.createQueryBuilder(WatchProgress, 'p').where('p.id = 1');
    if (this.transactions.engine === 'postgres') query.setLock('pessimistic_read');
    return query.getOneOrFail();
  }
}
