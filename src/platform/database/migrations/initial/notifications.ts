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
      cause: optional(column.text(55)),
      recipient_day: optional(column.text(32)),
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
