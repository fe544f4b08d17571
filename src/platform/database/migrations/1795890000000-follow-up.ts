import type { MigrationInterface, QueryRunner } from 'typeorm';
import { addColumn } from './large-tables.js';

/** Amendments of orders, what was scheduled when their clients wrote, and how long deliveries have waited. */
export class FollowUp1795890000000 implements MigrationInterface {
  readonly name = 'FollowUp1795890000000';
  readonly transaction = false;
  down = () => Promise.reject(new Error('Migrations are not undone.'));

  async up(runner: QueryRunner): Promise<void> {
    for (const side of ['', 'test_']) {
      await addColumn(runner, `${side}orders`, 'preferred_days', 'text');
      await addColumn(runner, `${side}orders`, 'amendments', 'text');
      await addColumn(runner, `${side}orders`, 'woken_action', 'text');
      await addColumn(runner, `${side}deliveries`, 'waited', 'text');
      await addColumn(runner, `${side}deliveries`, 'client_days', 'integer');
      await addColumn(runner, `${side}deliveries`, 'reminded_at', 'bigint');
    }
  }
}
