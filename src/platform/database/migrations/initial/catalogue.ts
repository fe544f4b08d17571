import { column, optional, type TableShapes } from './portable-schema.js';

/** Catalogue versions and the postcode register. */
export const catalogueTables: TableShapes = {
  catalogue_contents: {
    columns: { hash: column.text(80), body: column.bytes },
    primaryKey: ['hash'],
  },

  catalogue_versions: {
    columns: {
      number: column.integer,
      label: column.text(120),
      state: column.text(16),
      content_hash: column.text(80),
      source_hash: optional(column.text(80)),
      products: column.integer,
      prices: column.integer,
      places: column.integer,
      premises: column.integer,
      created_by: column.text(120),
      created_at: column.instant,
      activated_at: optional(column.instant),
      retired_at: optional(column.instant),
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
    foreignKeys: [
      {
        name: 'fk_catalogue_versions_content',
        columns: ['content_hash'],
        references: ['catalogue_contents', 'hash'],
      },
      {
        name: 'fk_catalogue_versions_source',
        columns: ['source_hash'],
        references: ['catalogue_contents', 'hash'],
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
      placed: column.integer,
      postcodes: column.bytes,
      positions: optional(column.bytes),
      imported_by: column.text(120),
      imported_at: column.instant,
    },
    primaryKey: ['id'],
  },
};
