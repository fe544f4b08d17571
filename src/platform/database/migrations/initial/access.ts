import { column, optional, type TableShapes } from './portable-schema.js';

/** The outbox and webhook endpoints. */
export const notificationsTables: TableShapes = {
  outbox_messages: {
    columns: {
      id: column.uuid,
      channel: column.text(16),
      kind: column.text(64),
      subject_id: column.text(64),
      endpoint_id: optional(column.uuid),
      body: optional(column.longText),
      once_key: optional(column.text(120)),
      state: column.text(16),
      due_at: column.instant,
      claim: optional(column.uuid),
      attempts: column.integer,
      created_at: column.instant,
      give_up_at: column.instant,
      finished_at: optional(column.instant),
      last_error: optional(column.text(400)),
      recipient_day: optional(column.text(32)),
      received_by: optional(column.longText),
      for_client: column.boolean,
    },
    primaryKey: ['id'],
    indexes: [
      {
        name: 'ix_outbox_messages_due',
        columns: ['channel', 'for_client', 'state', 'due_at', 'id', 'endpoint_id'],
      },
      { name: 'ux_outbox_messages_once', columns: ['once_key'], unique: true },
      {
        name: 'ix_outbox_messages_recipient_day',
        columns: ['recipient_day', 'id'],
        where: '"recipient_day" IS NOT NULL',
      },
      {
        name: 'ix_outbox_messages_subject',
        columns: ['subject_id'],
        where: '"body" IS NOT NULL',
      },
    ],
  },

  webhook_endpoints: {
    columns: {
      id: column.uuid,
      client_id: optional(column.uuid),
      is_test: column.boolean,
      url: column.longText,
      sealed_secrets: column.longText,
      enabled: column.boolean,
      disabled_reason: optional(column.text(200)),
      failures: column.integer,
      failing_since: optional(column.instant),
      quiet_until: optional(column.instant),
      paused_at: optional(column.instant),
      created_at: column.instant,
    },
    primaryKey: ['id'],
    indexes: [
      { name: 'ux_webhook_endpoints_client', columns: ['client_id', 'is_test'], unique: true },
    ],
    foreignKeys: [
      {
        name: 'fk_webhook_endpoints_client',
        columns: ['client_id'],
        references: ['api_clients', 'id'],
      },
    ],
  },
};

const staffMemberOf = (table: string) => ({
  name: `fk_${table}_staff_member`,
  columns: ['staff_member_id'],
  references: ['staff_members', 'id'] as const,
});

/** API clients, staff, their tokens and sessions, and the audit trail. */
export const accessTables: TableShapes = {
  audit_entries: {
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
      { name: 'ix_audit_entries_at', columns: ['at', 'id'] },
    ],
  },

  staff_members: {
    columns: {
      id: column.uuid,
      name: column.text(120),
      email: column.text(254),
      role: column.text(16),
      enabled: column.boolean,
      created_at: column.instant,
      last_signed_in_at: optional(column.instant),
    },
    primaryKey: ['id'],
    indexes: [{ name: 'ux_staff_members_email', columns: ['email'], unique: true }],
  },

  staff_sessions: {
    columns: {
      id: column.uuid,
      hash: column.text(64),
      staff_member_id: column.uuid,
      stage: column.text(16),
      method: column.text(16),
      created_at: column.instant,
      last_seen_at: column.instant,
      second_factor_at: optional(column.instant),
      user_agent: column.text(200),
      address: column.text(45),
    },
    primaryKey: ['id'],
    indexes: [
      { name: 'ux_staff_sessions_hash', columns: ['hash'], unique: true },
      { name: 'ix_staff_sessions_staff_member', columns: ['staff_member_id'] },
      { name: 'ix_staff_sessions_last_seen', columns: ['last_seen_at'] },
    ],
    foreignKeys: [staffMemberOf('staff_sessions')],
  },

  staff_credentials: {
    columns: {
      staff_member_id: column.uuid,
      password_hash: optional(column.text(200)),
      password_set_at: optional(column.instant),
      sealed_totp: optional(column.text(300)),
      totp_confirmed_at: optional(column.instant),
      totp_step: optional(column.integer),
    },
    primaryKey: ['staff_member_id'],
    foreignKeys: [staffMemberOf('staff_credentials')],
  },

  staff_recovery_codes: {
    columns: { hash: column.text(64), staff_member_id: column.uuid },
    primaryKey: ['hash'],
    indexes: [{ name: 'ix_staff_recovery_codes_staff_member', columns: ['staff_member_id'] }],
    foreignKeys: [staffMemberOf('staff_recovery_codes')],
  },

  staff_links: {
    columns: {
      hash: column.text(64),
      staff_member_id: column.uuid,
      created_at: column.instant,
      expires_at: column.instant,
    },
    primaryKey: ['hash'],
    indexes: [{ name: 'ix_staff_links_staff_member', columns: ['staff_member_id'] }],
    foreignKeys: [staffMemberOf('staff_links')],
  },

  staff_identities: {
    columns: {
      issuer: column.text(255),
      subject: column.text(255),
      staff_member_id: column.uuid,
      created_at: column.instant,
    },
    primaryKey: ['issuer', 'subject'],
    indexes: [{ name: 'ix_staff_identities_staff_member', columns: ['staff_member_id'] }],
    foreignKeys: [staffMemberOf('staff_identities')],
  },

  sign_in_delays: {
    columns: {
      key: column.text(64),
      failures: column.integer,
      counted_since: column.instant,
      next_at: column.instant,
      trusted_until: optional(column.instant),
    },
    primaryKey: ['key'],
    indexes: [{ name: 'ix_sign_in_delays_counted', columns: ['counted_since'] }],
  },

  api_clients: {
    columns: {
      id: column.uuid,
      name: column.text(120),
      contact_name: column.text(120),
      contact_email: column.text(254),
      contact_phone: column.text(40),
      price_list: column.text(32),
      compatibility: column.text(8),
      near_net: column.text(8),
      interconnects: column.json,
      enabled: column.boolean,
      created_at: column.instant,
      lookups_per_minute: optional(column.integer),
      lookup_burst: optional(column.integer),
      orders_per_minute: optional(column.integer),
      in_flight: optional(column.integer),
      version: column.integer,
    },
    primaryKey: ['id'],
    indexes: [{ name: 'ux_api_clients_name', columns: ['name'], unique: true }],
  },

  access_tokens: {
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
      is_test: column.boolean,
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
  },

  client_error_days: {
    columns: {
      day: column.text(10),
      client_id: column.uuid,
      code: column.text(32),
      is_test: column.boolean,
      errors: column.integer,
      last_at: column.instant,
    },
    primaryKey: ['day', 'client_id', 'code', 'is_test'],
  },

  rate_limits: {
    columns: {
      key: column.text(255),
      points: column.integer,
      expire: optional(column.instant),
    },
    primaryKey: ['key'],
  },
};
