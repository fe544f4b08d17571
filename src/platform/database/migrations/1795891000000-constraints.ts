import type { MigrationInterface, QueryRunner } from 'typeorm';
import { addColumn, addIndex } from './large-tables.js';

const SOME = 'WHERE "constraints" IS NOT NULL';

/** What made the place of a request less than plain, and what cancelling its order costs. */
export class Constraints1795891000000 implements MigrationInterface {
  readonly name = 'Constraints1795891000000';
  readonly transaction = false;
  down = () => Promise.reject(new Error('Migrations are not undone.'));

  async up(runner: QueryRunner): Promise<void> {
    for (const table of ['orders', 'test_orders']) {
      await addColumn(runner, table, 'constraints', 'text');
      await addColumn(runner, table, 'cancellation', 'text');
      const ofClient = `"${table}" ("client_id", "received_at", "id")`;
      await addIndex(runner, `ix_${table}_client_constrained`, `${ofClient} ${SOME}`);
    }
    await addIndex(runner, 'ix_orders_constrained', `"orders" ("received_at", "id") ${SOME}`);
  }
}
