import type { MigrationInterface, QueryRunner } from 'typeorm';
import { column, optional } from '../columns.js';
import { addColumns } from '../schema.js';

/** Which checks staff have made for an API client on the telephone. */
export class Telephone1763890000000 implements MigrationInterface {
  readonly name = 'Telephone1763890000000';

  async up(runner: QueryRunner): Promise<void> {
    for (const table of ['checks', 'test_checks']) {
      await addColumns(runner, table, { staff_id: optional(column.uuid) });
    }
  }

  /** There is no way back: on SQLite it would re-create tables, and with them lose rows. */
  down(): Promise<void> {
    return Promise.reject(new Error('Migrations are not undone. Restore a backup instead.'));
  }
}
