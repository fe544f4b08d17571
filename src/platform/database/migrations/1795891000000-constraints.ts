import type { MigrationInterface, QueryRunner } from 'typeorm';
import { addColumn } from './large-tables.js';

/** What made the place of a request less than plain, and what cancelling its order costs. */
export class Constraints1795891000000 implements MigrationInterface {
  readonly name = 'Constraints1795891000000';
  readonly transaction = false;
  down = () => Promise.reject(new Error('Migrations are not undone.'));

  async up(runner: QueryRunner): Promise<void> {
    for (const table of ['orders', 'test_orders']) {
      await addColumn(runner, table, 'constraints', 'text');
      await addColumn(runner, table, 'cancellation', 'text');
    }
  }
}
