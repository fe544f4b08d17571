import type { MigrationInterface, QueryRunner } from 'typeorm';
import { createIndex } from '../schema.js';

/** Keeps the lists of a queue that has grown for years as fast as those of a new one. */
export class QueueUpkeep1763900000000 implements MigrationInterface {
  readonly name = 'QueueUpkeep1763900000000';

  async up(runner: QueryRunner): Promise<void> {
    await createIndex(runner, 'orders', {
      name: 'ix_orders_due',
      columns: ['first_contact_due_at', 'id'],
    });
    await createIndex(runner, 'orders', {
      name: 'ix_orders_state_due',
      columns: ['state', 'first_contact_due_at', 'id'],
    });
    await createIndex(runner, 'orders', {
      name: 'ix_orders_open_due',
      columns: ['first_contact_due_at', 'id'],
      where: '"closed_at" IS NULL',
    });
    // Of two indexes that SQLite takes for equally good it uses the newer one: these are the smaller.
    const uncontacted = '"closed_at" IS NULL AND "first_contact_at" IS NULL';
    for (const [name, columns] of [
      ['ix_orders_uncontacted', ['first_contact_due_at', 'id']],
      ['ix_orders_uncontacted_state', ['state', 'first_contact_due_at', 'id']],
    ] as const) {
      await runner.dropIndex('orders', name);
      await createIndex(runner, 'orders', { name, columns, where: uncontacted });
    }
    if (runner.dataSource.options.type !== 'postgres') return;
    // By itself PostgreSQL looks after a table when a fifth of it has changed. Of a million orders that
    // are all those that wait, which it then counts row by row instead of in the index.
    await runner.query(
      `ALTER TABLE "orders" SET (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_insert_scale_factor = 0.01, autovacuum_analyze_scale_factor = 0.02)`,
    );
  }

  /** There is no way back: on SQLite it would re-create tables, and with them lose rows. */
  down(): Promise<void> {
    return Promise.reject(new Error('Migrations are not undone. Restore a backup instead.'));
  }
}
