import { column, optional, type TableShape, type TableShapes } from './portable-schema.js';

const checks: TableShape = {
  columns: {
    number: column.bigInteger,
    client_id: column.uuid,
    postcode: column.text(8),
    uprn: optional(column.bigInteger),
    price_list: column.text(32),
    catalogue_version: column.integer,
    product_count: column.integer,
    checked_at: column.instant,
    staff_id: optional(column.uuid),
  },
  primaryKey: ['number'],
  withoutRowid: true,
};

/** Checks, sandbox checks, daily counts, and what is not counted yet. */
export const checkTables: TableShapes = {
  checks,
  test_checks: checks,
  check_days: {
    columns: {
      day: column.text(10),
      sector: column.text(6),
      client_id: column.uuid,
      outcome: column.text(16),
      checks: column.integer,
    },
    primaryKey: ['day', 'sector', 'client_id', 'outcome'],
    withoutRowid: true,
  },
  uncounted_checks: {
    columns: { first_number: column.bigInteger, last_number: column.bigInteger },
    primaryKey: ['first_number'],
    withoutRowid: true,
  },
};
