import type { QueryRunner } from 'typeorm';
import { column, createTable, optional, type TableShapes } from '../portable-schema.js';

const checks = (table: string) => ({
  columns: {
    id: column.text(10),
    client_id: column.uuid,
    postcode: column.text(8),
    area: column.text(2),
    price_list: column.text(32),
    catalogue_version: column.integer,
    product_count: column.integer,
    checked_at: column.instant,
    staff_id: optional(column.uuid),
  },
  primaryKey: ['id'],
  indexes: [
    { name: `ix_${table}_checked_at`, columns: ['checked_at'] },
    // Pruning a catalogue version asks whether anything refers to it.
    { name: `ix_${table}_catalogue_version`, columns: ['catalogue_version'] },
  ],
});

/** Records of checks; those of the sandbox apart. */
export const checkTables: TableShapes = {
  checks: checks('checks'),
  test_checks: checks('test_checks'),
};

/** On SQLite the records of checks are kept in groups, and the tables above are views of them. */
export async function groupChecks(runner: QueryRunner): Promise<void> {
  for (const [view, table] of [
    ['checks', 'check_groups'],
    ['test_checks', 'test_check_groups'],
  ] as const) {
    await runner.query(`DROP TABLE ${view}`);
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
      `CREATE VIEW ${view} AS
         SELECT r.value ->> 0 AS id, r.value ->> 1 AS client_id, r.value ->> 2 AS postcode,
           r.value ->> 3 AS area, r.value ->> 4 AS price_list, g.catalogue_version,
           r.value ->> 5 AS product_count, r.value ->> 6 AS checked_at, r.value ->> 7 AS staff_id,
           g.id AS group_id, g.hour
         FROM ${table} g JOIN json_each(g.records) r`,
    );
  }
}
