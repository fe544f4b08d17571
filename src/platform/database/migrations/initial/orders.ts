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
  cost_minor: optional(column.money),
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

const openCharge = `"state" = 'awaitingResponse'`;

/** Extra charges on orders, and on orders of the sandbox. */
export const chargeTables: TableShapes = {
  charges: {
    columns: chargeColumns,
    primaryKey: ['id'],
    indexes: [
      { name: 'ix_charges_order', columns: ['order_id', 'id'] },
      { name: 'ix_charges_proposed', columns: ['proposed_at', 'id'] },
      { name: 'ix_charges_open', columns: ['due_at', 'id'], where: openCharge },
    ],
  },

  test_charges: {
    columns: chargeColumns,
    primaryKey: ['id'],
    indexes: [
      { name: 'ix_test_charges_order', columns: ['order_id', 'id'] },
      { name: 'ix_test_charges_open', columns: ['due_at', 'id'], where: openCharge },
    ],
  },
};

const deliveryColumns = {
  order_id: column.uuid,
  accepted_on: column.text(10),
  promised_on: column.text(10),
  service_id: optional(column.text(64)),
  committed_date: optional(column.text(10)),
  date_changes: column.json,
  milestones: column.json,
  waiting_party: optional(column.text(10)),
  waiting_what: optional(column.text(200)),
  waiting_since: optional(column.instant),
  live_on: optional(column.text(10)),
  risk_on: optional(column.text(10)),
  cancellation_asked_at: optional(column.instant),
  unreported_since: optional(column.instant),
  reported_at: optional(column.instant),
};

/** Only of the deliveries that have a value. */
const deliveryIndex = (name: string, first: string, table = 'deliveries') => ({
  name: `ix_${table}_${name}`,
  columns: [first, 'order_id'],
  where: `"${first}" IS NOT NULL`,
});

/** What happens after orders are accepted, and after those of the sandbox. */
export const deliveryTables: TableShapes = {
  deliveries: {
    columns: deliveryColumns,
    primaryKey: ['order_id'],
    indexes: [
      deliveryIndex('waiting', 'waiting_party'),
      deliveryIndex('risk', 'risk_on'),
      deliveryIndex('live', 'live_on'),
      deliveryIndex('cancellation', 'cancellation_asked_at'),
      deliveryIndex('unreported', 'unreported_since'),
    ],
  },

  test_deliveries: {
    columns: deliveryColumns,
    primaryKey: ['order_id'],
    indexes: [deliveryIndex('unreported', 'unreported_since', 'test_deliveries')],
  },
};

const orderColumns = {
  id: column.uuid,
  kind: column.text(8),
  reference: column.text(10),
  client_id: column.uuid,
  client_reference: optional(column.text(64)),
  postcode: column.text(8),
  uprn: optional(column.bigInteger),
  area: column.text(2),
  product_code: optional(column.text(32)),
  product_family: optional(column.text(32)),
  bandwidth_mbps: optional(column.integer),
  terms: optional(column.json),
  wanted: optional(column.json),
  enquiry_id: optional(column.uuid),
  quote_id: optional(column.uuid),
  quote_line: optional(column.integer),
  term_months: optional(column.integer),
  amount_minor: optional(column.money),
  currency: optional(column.text(3)),
  basis: optional(column.text(16)),
  zone: optional(column.text(64)),
  price_list: column.text(32),
  catalogue_version: optional(column.integer),
  check_id: optional(column.text(10)),
  nearest: optional(column.json),
  contact_name: optional(column.text(120)),
  contact_email: optional(column.text(254)),
  contact_phone: optional(column.text(40)),
  notes: optional(column.longText),
  details: optional(column.json),
  accept_extra_minor: optional(column.money),
  expedite: column.boolean,
  possible_duplicate_of: optional(column.uuid),
  received_at: column.instant,
  state: column.text(16),
  owner_id: optional(column.uuid),
  first_contact_due_at: column.instant,
  first_contact_warn_at: column.instant,
  claimed_at: optional(column.instant),
  first_contact_at: optional(column.instant),
  last_contact_at: optional(column.instant),
  contact_attempts: column.integer,
  next_action_at: optional(column.instant),
  next_action_reason: optional(column.text(32)),
  taken_at: optional(column.instant),
  confirmed: optional(column.json),
  next_due_at: column.instant,
  closed_at: optional(column.instant),
  close_reason: optional(column.text(32)),
  external_reference: optional(column.text(64)),
  duplicate_of: optional(column.uuid),
  reopenings: column.integer,
  public_state_at: column.instant,
  last_entry_at: column.instant,
  version: column.integer,
};

/** The API client that a row belongs to. */
export const clientOf = (table: string) => ({
  name: `fk_${table}_client`,
  columns: ['client_id'],
  references: ['api_clients', 'id'] as const,
});

const open = '"closed_at" IS NULL';
const uncontacted = `${open} AND "first_contact_at" IS NULL`;

// In the indexes of the lists, so that a filter by them reads no row that it leaves out.
const filtered = ['product_family', 'bandwidth_mbps', 'term_months'];

/** Orders, sandbox orders, idempotency keys, search words and viewers. */
export const orderTables: TableShapes = {
  orders: {
    columns: orderColumns,
    primaryKey: ['id'],
    indexes: [
      { name: 'ux_orders_reference', columns: ['reference'], unique: true },
      { name: 'ix_orders_reference_end', columns: 'substr(reference, 7)' },
      {
        name: 'ix_orders_state_received',
        columns: ['state', 'received_at', 'id', ...filtered],
      },
      { name: 'ix_orders_client_received', columns: ['client_id', 'received_at', 'id'] },
      {
        name: 'ix_orders_twin',
        columns: ['postcode', 'product_code', 'received_at', 'client_id', 'id'],
      },
      { name: 'ix_orders_received', columns: ['received_at', 'id'] },
      // Partial, because SQLite would use a full index for "closed_at IS NULL" and sort all open orders.
      {
        name: 'ix_orders_closed',
        columns: ['closed_at', 'id', ...filtered],
        where: '"closed_at" IS NOT NULL',
      },
      { name: 'ix_orders_check', columns: ['check_id'] },
      { name: 'ix_orders_uprn', columns: ['uprn', 'id'], where: '"uprn" IS NOT NULL' },
      { name: 'ix_orders_client_public_state', columns: ['client_id', 'public_state_at', 'id'] },
      { name: 'ix_orders_possible_duplicate', columns: ['possible_duplicate_of'] },
      { name: 'ix_orders_open', columns: ['received_at', 'id', ...filtered], where: open },
      { name: 'ix_orders_open_amount', columns: ['amount_minor', 'id', ...filtered], where: open },
      { name: 'ix_orders_open_next', columns: ['next_due_at', 'id', ...filtered], where: open },
      { name: 'ix_orders_open_owner', columns: ['owner_id', 'next_due_at', 'id'], where: open },
      {
        name: 'ix_orders_next_action',
        columns: ['next_action_at', 'id'],
        where: '"next_action_at" IS NOT NULL',
      },
      {
        name: 'ix_orders_owner_next_action',
        columns: ['owner_id', 'next_action_at', 'id'],
        where: '"next_action_at" IS NOT NULL',
      },
      // Partial: storing an order does not maintain them.
      {
        name: 'ix_orders_enquiries',
        columns: ['received_at', 'id'],
        where: `"kind" = 'enquiry'`,
      },
      {
        name: 'ix_orders_client_enquiries',
        columns: ['client_id', 'received_at', 'id'],
        where: `"kind" = 'enquiry'`,
      },
      { name: 'ix_orders_enquiry', columns: ['enquiry_id'], where: '"enquiry_id" IS NOT NULL' },
      {
        name: 'ux_orders_quote_line',
        columns: ['quote_id', 'quote_line', 'kind'],
        unique: true,
        where: '"quote_id" IS NOT NULL',
      },
      {
        name: 'ix_orders_quoted_changed',
        columns: ['public_state_at'],
        where: '"quote_id" IS NOT NULL',
      },
      // Pruning a catalogue version checks for references.
      { name: 'ix_orders_catalogue_version', columns: ['catalogue_version'] },
      { name: 'ix_orders_due', columns: ['first_contact_due_at', 'id'] },
      { name: 'ix_orders_state_due', columns: ['state', 'first_contact_due_at', 'id'] },
      { name: 'ix_orders_open_due', columns: ['first_contact_due_at', 'id'], where: open },
      // Last, because SQLite prefers the newer of two equally rated indexes, and these are smaller.
      {
        name: 'ix_orders_uncontacted',
        columns: ['first_contact_due_at', 'id'],
        where: uncontacted,
      },
      {
        name: 'ix_orders_uncontacted_state',
        columns: ['state', 'first_contact_due_at', 'id'],
        where: uncontacted,
      },
    ],
    foreignKeys: [clientOf('orders')],
  },

  order_undos: {
    columns: {
      order_id: column.uuid,
      staff_id: column.uuid,
      action: column.text(64),
      version: column.integer,
      until: column.instant,
      before: column.json,
      offers: column.json,
      delivery: optional(column.json),
      messages: column.json,
    },
    primaryKey: ['order_id'],
    indexes: [{ name: 'ix_order_undos_staff', columns: ['staff_id', 'until'] }],
  },

  test_orders: {
    columns: orderColumns,
    primaryKey: ['id'],
    indexes: [
      { name: 'ux_test_orders_reference', columns: ['reference'], unique: true },
      { name: 'ix_test_orders_client_received', columns: ['client_id', 'received_at', 'id'] },
      {
        name: 'ix_test_orders_client_public_state',
        columns: ['client_id', 'public_state_at', 'id'],
      },
      { name: 'ix_test_orders_received', columns: ['received_at', 'id'] },
      { name: 'ix_test_orders_catalogue_version', columns: ['catalogue_version'] },
      {
        name: 'ux_test_orders_quote_line',
        columns: ['quote_id', 'quote_line', 'kind'],
        unique: true,
        where: '"quote_id" IS NOT NULL',
      },
      {
        name: 'ix_test_orders_quoted_changed',
        columns: ['public_state_at'],
        where: '"quote_id" IS NOT NULL',
      },
    ],
    foreignKeys: [clientOf('test_orders')],
  },

  idempotency_keys: {
    columns: {
      client_id: column.uuid,
      key: column.text(255),
      fingerprint: column.text(64),
      subject_id: column.uuid,
      answer: column.json,
      created_at: column.instant,
    },
    primaryKey: ['client_id', 'key'],
    indexes: [{ name: 'ix_idempotency_keys_created_at', columns: ['created_at'] }],
  },

  order_words: {
    columns: { word: column.text(40), order_id: column.uuid },
    primaryKey: ['word', 'order_id'],
    indexes: [{ name: 'ix_order_words_order', columns: ['order_id'] }],
  },

  order_viewers: {
    columns: { instance_id: column.uuid, viewings: column.json, seen_at: column.instant },
    primaryKey: ['instance_id'],
  },
};
