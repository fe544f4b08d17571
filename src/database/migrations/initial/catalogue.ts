import { column, optional, type TableShapes } from '../portable-schema.js';

/** Catalogue versions and the register of postcodes. */
export const catalogueTables: TableShapes = {
  catalogue_versions: {
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
      activates_at: optional(column.instant),
      compared_with: optional(column.integer),
      rails: optional(column.json),
      content_of: optional(column.integer),
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
  },

  catalogue_products: {
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
  },

  catalogue_prices: {
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
  },

  postcode_registers: {
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
  },
};
