import { column, optional, type TableShapes } from './portable-schema.js';

const chargeColumns = {
  id: column.uuid,
  order_id: column.uuid,
  category: column.text(16),
  amount_minor: column.money,
  currency: column.text(3),
  note: optional(column.longText),
  state: column.text(16),
  due_at: column.instant,
  proposed_at: column.instant,
  ended_at: optional(column.instant),
  answered_by: optional(column.text(120)),
  proposed_by: optional(column.uuid),
};

const open = `"state" = 'awaitingResponse'`;

/** Extra charges on orders, and on orders of the sandbox. */
export const chargeTables: TableShapes = {
  charges: {
    columns: chargeColumns,
    primaryKey: ['id'],
    indexes: [
      { name: 'ix_charges_order', columns: ['order_id', 'id'] },
      { name: 'ix_charges_proposed', columns: ['proposed_at', 'id'] },
      { name: 'ix_charges_open', columns: ['due_at', 'id'], where: open },
    ],
  },

  test_charges: {
    columns: chargeColumns,
    primaryKey: ['id'],
    indexes: [
      { name: 'ix_test_charges_order', columns: ['order_id', 'id'] },
      { name: 'ix_test_charges_open', columns: ['due_at', 'id'], where: open },
    ],
  },
};
