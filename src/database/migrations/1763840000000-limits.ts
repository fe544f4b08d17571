import type { MigrationInterface, QueryRunner } from 'typeorm';
import { column, optional } from '../columns.js';
import { addColumns, createTable } from '../schema.js';

/** Limits of each API client, and the counts that instances share. */
export class Limits1763840000000 implements MigrationInterface {
  readonly name = 'Limits1763840000000';

  async up(runner: QueryRunner): Promise<void> {
    await addColumns(runner, 'api_clients', {
      lookups_per_minute: optional(column.integer),
      orders_per_minute: optional(column.integer),
      in_flight: optional(column.integer),
    });
    await createTable(runner, 'rate_limits', {
      // The order of the columns is that of rate-limiter-flexible's INSERT.
      columns: {
        key: column.text(255),
        points: column.integer,
        expire: optional(column.instant),
      },
      primaryKey: ['key'],
    });
  }

  /** There is no way back: on SQLite it would re-create tables, and with them lose rows. */
  down(): Promise<void> {
    return Promise.reject(new Error('Migrations are not undone. Restore a backup instead.'));
  }
}
