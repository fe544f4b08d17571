import type { MigrationInterface, QueryRunner } from 'typeorm';
import { column, optional } from '../columns.js';
import { addColumns, createTable } from '../schema.js';

/** Tokens for the sandbox, and what is made with them, apart from everything live. */
export class Sandbox1763870000000 implements MigrationInterface {
  readonly name = 'Sandbox1763870000000';

  async up(runner: QueryRunner): Promise<void> {
    await addColumns(runner, 'access_tokens', { is_test: { ...column.boolean, default: false } });

    await createTable(runner, 'test_checks', {
      columns: {
        id: column.text(10),
        client_id: column.uuid,
        postcode: column.text(8),
        area: column.text(2),
        price_list: column.text(32),
        catalogue_version: column.integer,
        product_count: column.integer,
        checked_at: column.instant,
      },
      primaryKey: ['id'],
      indexes: [
        { name: 'ix_test_checks_checked_at', columns: ['checked_at'] },
        { name: 'ix_test_checks_catalogue_version', columns: ['catalogue_version'] },
      ],
    });

    const counter = { ...column.integer, default: 0 };
    const date = { ...column.instant, default: 0 };
    await createTable(runner, 'test_orders', {
      columns: {
        id: column.uuid,
        reference: column.text(10),
        client_id: column.uuid,
        client_reference: optional(column.text(64)),
        postcode: column.text(8),
        area: column.text(2),
        product_code: column.text(32),
        product_name: column.text(120),
        bandwidth_provisioned_mbps: column.integer,
        bandwidth_capacity_mbps: column.integer,
        term_months: column.integer,
        amount_minor: column.money,
        currency: column.text(3),
        lead_time_days: column.integer,
        zone: column.text(32),
        price_list: column.text(32),
        catalogue_version: column.integer,
        check_id: optional(column.text(10)),
        contact_name: optional(column.text(120)),
        contact_email: optional(column.text(254)),
        contact_phone: optional(column.text(40)),
        notes: optional(column.longText),
        possible_duplicate_of: optional(column.uuid),
        received_at: column.instant,
        state: column.text(16),
        owner_id: optional(column.uuid),
        first_contact_due_at: date,
        first_contact_warn_at: date,
        claimed_at: optional(column.instant),
        first_contact_at: optional(column.instant),
        last_contact_at: optional(column.instant),
        contact_attempts: counter,
        next_action_at: optional(column.instant),
        next_action_reason: optional(column.text(32)),
        closed_at: optional(column.instant),
        close_reason: optional(column.text(32)),
        external_reference: optional(column.text(64)),
        duplicate_of: optional(column.uuid),
        reopenings: counter,
        public_state_at: date,
        last_entry_at: date,
        version: column.integer,
      },
      primaryKey: ['id'],
      indexes: [
        { name: 'ux_test_orders_reference', columns: ['reference'], unique: true },
        {
          name: 'ix_test_orders_client_received',
          columns: ['client_id', 'received_at', 'id'],
        },
        {
          name: 'ix_test_orders_client_public_state',
          columns: ['client_id', 'public_state_at', 'id'],
        },
        { name: 'ix_test_orders_received', columns: ['received_at', 'id'] },
        { name: 'ix_test_orders_catalogue_version', columns: ['catalogue_version'] },
      ],
      foreignKeys: [
        {
          name: 'fk_test_orders_client',
          columns: ['client_id'],
          references: ['api_clients', 'id'],
        },
      ],
    });
  }

  /** There is no way back: on SQLite it would re-create tables, and with them lose rows. */
  down(): Promise<void> {
    return Promise.reject(new Error('Migrations are not undone. Restore a backup instead.'));
  }
}
