import { clientOf } from './orders.js';
import { column, optional, type TableShapes } from './portable-schema.js';

const quoteColumns = {
  id: column.uuid,
  reference: column.text(10),
  client_id: column.uuid,
  client_reference: optional(column.text(64)),
  customer: optional(column.text(120)),
  price_list: column.text(32),
  catalogue_version: optional(column.integer),
  line_count: column.integer,
  priced_count: column.integer,
  invalid_count: column.integer,
  body: column.bytes,
  created_at: column.instant,
  valid_until: column.instant,
  updated_at: column.instant,
  told_at: column.instant,
  warned_at: optional(column.instant),
};

const quoteIndexes = (table: string) => [
  { name: `ux_${table}_reference`, columns: ['reference'], unique: true },
  { name: `ix_${table}_client_created`, columns: ['client_id', 'created_at', 'id'] },
  { name: `ix_${table}_valid_until`, columns: ['valid_until', 'id'] },
];

/** Quotes, and those of the sandbox. What became of their lines is in the tables of requests. */
export const quoteTables: TableShapes = {
  quotes: {
    columns: quoteColumns,
    primaryKey: ['id'],
    indexes: quoteIndexes('quotes'),
    foreignKeys: [clientOf('quotes')],
  },
  test_quotes: {
    columns: quoteColumns,
    primaryKey: ['id'],
    indexes: quoteIndexes('test_quotes'),
    foreignKeys: [clientOf('test_quotes')],
  },
};
