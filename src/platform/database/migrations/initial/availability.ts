import { column, optional, type TableShapes, type TableShape } from './portable-schema.js';

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
      adjustment: optional(column.json),
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

const checks: TableShape = {
  columns: {
    number: column.bigInteger,
    client_id: column.uuid,
    postcode: column.text(8),
    uprn: optional(column.bigInteger),
    price_list: column.text(32),
    catalogue_version: column.integer,
    product_count: column.integer,
    near: optional(column.integer),
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

const columns = {
  id: column.uuid,
  client_id: column.uuid,
  packed: column.integer,
  uprn: column.bigInteger,
  client_reference: optional(column.text(64)),
  min_bandwidth_mbps: column.integer,
  max_price_milli: optional(column.bigInteger),
  include_build: column.boolean,
  state: column.text(8),
  created_at: column.instant,
  changed_at: column.instant,
  batch: optional(column.uuid),
} as const;

const table = (name: string): TableShape => ({
  columns,
  primaryKey: ['id'],
  indexes: [
    { name: `ux_${name}_place`, columns: ['client_id', 'packed', 'uprn'], unique: true },
    {
      // Covers the evaluation.
      name: `ix_${name}_open`,
      columns: [
        ...['client_id', 'packed', 'uprn'],
        ...['min_bandwidth_mbps', 'max_price_milli', 'include_build'],
      ],
      where: `"state" = 'open'`,
    },
    { name: `ix_${name}_batch`, columns: ['batch'], where: '"batch" IS NOT NULL' },
    { name: `ix_${name}_client`, columns: ['client_id', 'created_at', 'id', 'state'] },
    // No index begins with the state: SQLite would prefer it to the one of the evaluation.
    {
      name: `ix_${name}_open_changed`,
      columns: ['changed_at', 'id'],
      where: `"state" = 'open'`,
    },
    {
      name: `ix_${name}_closed_changed`,
      columns: ['changed_at', 'id'],
      where: `"state" <> 'open'`,
    },
  ],
  foreignKeys: [
    { name: `fk_${name}_client`, columns: ['client_id'], references: ['api_clients', 'id'] },
  ],
});

/** Watched places, those of the sandbox, and the change up to which they have been evaluated. */
export const watchTables: TableShapes = {
  watches: table('watches'),
  test_watches: table('test_watches'),
  watch_callers: {
    columns: {
      id: column.uuid,
      packed: column.integer,
      uprn: column.bigInteger,
      email: column.text(254),
      put_at: column.instant,
      served_at: optional(column.instant),
    },
    primaryKey: ['id'],
    indexes: [
      { name: 'ux_watch_callers_email', columns: ['packed', 'uprn', 'email'], unique: true },
      { name: 'ix_watch_callers_put', columns: ['put_at', 'id'] },
    ],
  },
  watch_progress: {
    columns: {
      id: column.integer,
      version: column.integer,
      ready_at: column.instant,
      access: column.integer,
      settings: column.text(32),
      run: column.uuid,
      lease_until: column.instant,
      done: column.boolean,
    },
    primaryKey: ['id'],
  },

  coverage_notices: {
    columns: {
      client_id: column.uuid,
      is_test: column.boolean,
      version: column.text(40),
      catalogue_version: column.integer,
    },
    primaryKey: ['client_id', 'is_test'],
    foreignKeys: [
      {
        name: 'fk_coverage_notices_client',
        columns: ['client_id'],
        references: ['api_clients', 'id'],
      },
    ],
  },
};
