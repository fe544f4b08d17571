import type { MigrationInterface, QueryRunner } from 'typeorm';
import { createIndex } from '../schema.js';

/**
 * The look for an earlier twin of an order went through all orders of its client in 24 hours. It
 * still begins with the postcode, by which staff look for orders.
 */
export class OrderTwins1763850000000 implements MigrationInterface {
  readonly name = 'OrderTwins1763850000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX "ix_orders_postcode"');
    await createIndex(runner, 'orders', {
      name: 'ix_orders_twin',
      columns: ['postcode', 'client_id', 'product_code', 'received_at'],
    });
  }

  down(): Promise<void> {
    return Promise.reject(new Error('Migrations are not undone. Restore a backup instead.'));
  }
}
