import { MigrationInterface, QueryRunner } from 'typeorm';
import { column } from '../columns.js';
import { createTable } from '../schema.js';

/** Who looks at which order, told among the instances. */
export class OrderViewers1763880000000 implements MigrationInterface {
  readonly name = 'OrderViewers1763880000000';

  async up(runner: QueryRunner): Promise<void> {
    await createTable(runner, 'order_viewers', {
      columns: { instance_id: column.uuid, viewings: column.json, seen_at: column.instant },
      primaryKey: ['instance_id'],
    });
    await runner.query(`INSERT INTO revisions (name, number) VALUES ('viewers', 0)`);
  }

  /** There is no way back: on SQLite it would re-create tables, and with them lose rows. */
  down(): Promise<void> {
    return Promise.reject(new Error('Migrations are not undone. Restore a backup instead.'));
  }
}
