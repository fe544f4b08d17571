import type { MigrationInterface, QueryRunner } from 'typeorm';
import { column, optional } from '../columns.js';
import { addColumns, createIndex, createTable } from '../schema.js';

/** Drafts, schedules and rollbacks of catalogue versions; the postcode register. */
export class CatalogueLifecycle1763810000000 implements MigrationInterface {
  readonly name = 'CatalogueLifecycle1763810000000';

  async up(runner: QueryRunner): Promise<void> {
    await addColumns(runner, 'catalogue_versions', {
      activates_at: optional(column.instant),
      compared_with: optional(column.integer),
      rails: optional(column.json),
      content_of: optional(column.integer),
    });
    // Pruning asks of each version whether anything refers to it.
    await createIndex(runner, 'checks', {
      name: 'ix_checks_catalogue_version',
      columns: ['catalogue_version'],
    });
    await createIndex(runner, 'orders', {
      name: 'ix_orders_catalogue_version',
      columns: ['catalogue_version'],
    });
    await createTable(runner, 'postcode_registers', {
      columns: {
        id: column.integer,
        kind: column.text(32),
        file: column.text(120),
        live: column.integer,
        terminated: column.integer,
        postcodes: column.bytes,
        imported_by: column.text(120),
        imported_at: column.instant,
      },
      primaryKey: ['id'],
    });
    await runner.query(`INSERT INTO revisions (name, number) VALUES ('register', 0)`);
  }

  /** There is no way back: on SQLite it would re-create tables, and with them lose rows. */
  down(): Promise<void> {
    return Promise.reject(new Error('Migrations are not undone. Restore a backup instead.'));
  }
}
