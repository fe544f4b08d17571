import type { MigrationInterface, QueryRunner } from 'typeorm';
import { column } from '../columns.js';
import { createTable } from '../schema.js';

/**
 * SQLite keeps the records of checks in groups, and what were the tables of the records are views of
 * them, with the same columns. PostgreSQL keeps its tables, which instances of the version before
 * still write to while they are replaced.
 */
export class CheckGroups1763910000000 implements MigrationInterface {
  readonly name = 'CheckGroups1763910000000';

  async up(runner: QueryRunner): Promise<void> {
    if (runner.dataSource.options.type === 'postgres') return;
    for (const [view, table] of [
      ['checks', 'check_groups'],
      ['test_checks', 'test_check_groups'],
    ] as const) {
      await createTable(runner, table, {
        columns: {
          id: column.text(10),
          catalogue_version: column.integer,
          hour: column.integer,
          last_checked_at: column.instant,
          size: column.integer,
          records: column.longText,
        },
        primaryKey: ['id'],
        indexes: [
          { name: `ix_${table}_hour`, columns: ['hour'] },
          { name: `ix_${table}_catalogue_version`, columns: ['catalogue_version'] },
        ],
      });
      await runner.query(
        `INSERT INTO ${table} (id, catalogue_version, hour, last_checked_at, size, records)
         SELECT min(id), catalogue_version, checked_at / 3600000, max(checked_at), count(*),
           json_group_array(json_array(id, client_id, postcode, area, price_list, product_count,
             checked_at, staff_id))
         FROM ${view} GROUP BY substr(id, 1, 5), catalogue_version, checked_at / 3600000`,
      );
      await runner.query(`DROP TABLE ${view}`);
      await runner.query(
        `CREATE VIEW ${view} AS
         SELECT r.value ->> 0 AS id, r.value ->> 1 AS client_id, r.value ->> 2 AS postcode,
           r.value ->> 3 AS area, r.value ->> 4 AS price_list, g.catalogue_version,
           r.value ->> 5 AS product_count, r.value ->> 6 AS checked_at, r.value ->> 7 AS staff_id,
           g.id AS group_id, g.hour
         FROM ${table} g JOIN json_each(g.records) r`,
      );
    }
  }

  /** There is no way back: on SQLite it would re-create tables, and with them lose rows. */
  down(): Promise<void> {
    return Promise.reject(new Error('Migrations are not undone. Restore a backup instead.'));
  }
}
