import type { MigrationInterface, QueryRunner } from 'typeorm';
import { column, optional } from '../columns.js';
import { createTable } from '../schema.js';

export class InitialSchema1763700000000 implements MigrationInterface {
  readonly name = 'InitialSchema1763700000000';

  async up(runner: QueryRunner): Promise<void> {
    await createTable(runner, 'revisions', {
      columns: { name: column.text(32), number: column.integer },
      primaryKey: ['name'],
    });
    await runner.query(
      `INSERT INTO revisions (name, number) VALUES ('access', 0), ('catalogue', 0)`,
    );

    await createTable(runner, 'audit_entries', {
      columns: {
        id: column.uuid,
        at: column.instant,
        subject_type: column.text(32),
        subject_id: column.text(64),
        action: column.text(64),
        actor_type: column.text(16),
        actor_id: optional(column.uuid),
        actor_name: column.text(120),
        details: optional(column.json),
      },
      primaryKey: ['id'],
      indexes: [
        { name: 'ix_audit_entries_subject', columns: ['subject_type', 'subject_id', 'id'] },
      ],
    });

    await createTable(runner, 'staff_members', {
      columns: {
        id: column.uuid,
        name: column.text(120),
        email: column.text(254),
        role: column.text(16),
        enabled: column.boolean,
        created_at: column.instant,
      },
      primaryKey: ['id'],
      indexes: [{ name: 'ux_staff_members_email', columns: ['email'], unique: true }],
    });

    await createTable(runner, 'api_clients', {
      columns: {
        id: column.uuid,
        name: column.text(120),
        contact_name: column.text(120),
        contact_email: column.text(254),
        contact_phone: column.text(40),
        price_list: column.text(32),
        legacy_field_names: column.boolean,
        enabled: column.boolean,
        created_at: column.instant,
      },
      primaryKey: ['id'],
      indexes: [{ name: 'ux_api_clients_name', columns: ['name'], unique: true }],
    });

    await createTable(runner, 'access_tokens', {
      columns: {
        id: column.uuid,
        hash: column.text(64),
        ending: column.text(4),
        client_id: optional(column.uuid),
        staff_member_id: optional(column.uuid),
        label: column.text(120),
        scopes: column.text(400),
        created_at: column.instant,
        expires_at: column.instant,
        revoked_at: optional(column.instant),
        last_used_at: optional(column.instant),
      },
      primaryKey: ['id'],
      indexes: [
        { name: 'ux_access_tokens_hash', columns: ['hash'], unique: true },
        { name: 'ix_access_tokens_client', columns: ['client_id'] },
        { name: 'ix_access_tokens_staff_member', columns: ['staff_member_id'] },
      ],
      foreignKeys: [
        {
          name: 'fk_access_tokens_client',
          columns: ['client_id'],
          references: ['api_clients', 'id'],
        },
        {
          name: 'fk_access_tokens_staff_member',
          columns: ['staff_member_id'],
          references: ['staff_members', 'id'],
        },
      ],
    });

    await createTable(runner, 'catalogue_versions', {
      columns: {
        number: column.integer,
        label: column.text(120),
        state: column.text(16),
        content_hash: column.text(64),
        coverage: column.bytes,
        products: column.integer,
        prices: column.integer,
        places: column.integer,
        created_by: column.text(120),
        created_at: column.instant,
        activated_at: optional(column.instant),
        retired_at: optional(column.instant),
      },
      primaryKey: ['number'],
      indexes: [
        {
          name: 'ux_catalogue_versions_active',
          columns: ['state'],
          unique: true,
          where: `"state" = 'active'`,
        },
      ],
    });

    await createTable(runner, 'catalogue_products', {
      columns: {
        version: column.integer,
        code: column.text(32),
        name: column.text(120),
        bandwidth_provisioned_mbps: column.integer,
        bandwidth_capacity_mbps: column.integer,
        term_months: column.integer,
      },
      primaryKey: ['version', 'code'],
      foreignKeys: [
        {
          name: 'fk_catalogue_products_version',
          columns: ['version'],
          references: ['catalogue_versions', 'number'],
        },
      ],
    });

    await createTable(runner, 'catalogue_prices', {
      columns: {
        version: column.integer,
        product_code: column.text(32),
        zone: column.text(32),
        price_list: column.text(32),
        amount_minor: column.money,
        currency: column.text(3),
        lead_time_days: column.integer,
      },
      primaryKey: ['version', 'product_code', 'zone', 'price_list'],
      foreignKeys: [
        {
          name: 'fk_catalogue_prices_version',
          columns: ['version'],
          references: ['catalogue_versions', 'number'],
        },
      ],
    });

    await createTable(runner, 'checks', {
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
      indexes: [{ name: 'ix_checks_checked_at', columns: ['checked_at'] }],
    });

    await createTable(runner, 'orders', {
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
        version: column.integer,
      },
      primaryKey: ['id'],
      indexes: [
        { name: 'ux_orders_reference', columns: ['reference'], unique: true },
        { name: 'ix_orders_state_received', columns: ['state', 'received_at', 'id'] },
        { name: 'ix_orders_client_received', columns: ['client_id', 'received_at', 'id'] },
        {
          name: 'ix_orders_twin',
          columns: ['postcode', 'client_id', 'product_code', 'received_at'],
        },
      ],
      foreignKeys: [
        { name: 'fk_orders_client', columns: ['client_id'], references: ['api_clients', 'id'] },
      ],
    });

    await createTable(runner, 'idempotency_keys', {
      columns: {
        client_id: column.uuid,
        key: column.text(255),
        fingerprint: column.text(64),
        order_id: column.uuid,
        message: column.text(400),
        created_at: column.instant,
      },
      primaryKey: ['client_id', 'key'],
      indexes: [{ name: 'ix_idempotency_keys_created_at', columns: ['created_at'] }],
    });
  }

  /** There is no way back: on SQLite it would re-create tables, and with them lose rows. */
  down(): Promise<void> {
    return Promise.reject(new Error('Migrations are not undone. Restore a backup instead.'));
  }
}
