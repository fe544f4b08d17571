import { column, optional, type TableShapes } from './portable-schema.js';

const offerColumns = {
  id: column.uuid,
  reference: column.text(6),
  enquiry_id: column.uuid,
  answer: column.integer,
  state: column.text(16),
  terms: column.json,
  monthly_minor: column.money,
  setup_minor: optional(column.money),
  currency: column.text(3),
  term_months: column.integer,
  valid_until: column.instant,
  note: optional(column.longText),
  created_at: column.instant,
  created_by: optional(column.uuid),
  approval_reason: optional(column.longText),
  opened_at: optional(column.instant),
  approver_id: optional(column.uuid),
  ended_at: optional(column.instant),
  order_id: optional(column.uuid),
};

const live = '"ended_at" IS NULL';

/** Bespoke offers, and those of the sandbox. */
export const offerTables: TableShapes = {
  offers: {
    columns: offerColumns,
    primaryKey: ['id'],
    indexes: [
      { name: 'ux_offers_reference', columns: ['reference'], unique: true },
      { name: 'ix_offers_enquiry', columns: ['enquiry_id', 'id'] },
      { name: 'ix_offers_live', columns: ['valid_until', 'id'], where: live },
      { name: 'ix_offers_created', columns: ['created_at', 'id'] },
      { name: 'ix_offers_ended', columns: ['ended_at', 'id'], where: '"ended_at" IS NOT NULL' },
    ],
  },

  test_offers: {
    columns: offerColumns,
    primaryKey: ['id'],
    indexes: [
      { name: 'ux_test_offers_reference', columns: ['reference'], unique: true },
      { name: 'ix_test_offers_enquiry', columns: ['enquiry_id', 'id'] },
      { name: 'ix_test_offers_live', columns: ['valid_until', 'id'], where: live },
    ],
  },
};
