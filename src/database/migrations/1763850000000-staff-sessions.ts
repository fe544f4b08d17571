import type { MigrationInterface, QueryRunner } from 'typeorm';
import { column, optional } from '../columns.js';
import { createTable } from '../schema.js';

/** How staff sign in, and where they are signed in. */
export class StaffSessions1763850000000 implements MigrationInterface {
  readonly name = 'StaffSessions1763850000000';

  async up(runner: QueryRunner): Promise<void> {
    const member = (table: string) => ({
      name: `fk_${table}_staff_member`,
      columns: ['staff_member_id'],
      references: ['staff_members', 'id'] as const,
    });
    await createTable(runner, 'staff_sessions', {
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
      foreignKeys: [member('staff_sessions')],
    });
    await createTable(runner, 'staff_credentials', {
      columns: {
        staff_member_id: column.uuid,
        password_hash: optional(column.text(200)),
        password_set_at: optional(column.instant),
        sealed_totp: optional(column.text(300)),
        totp_confirmed_at: optional(column.instant),
        totp_step: optional(column.integer),
      },
      primaryKey: ['staff_member_id'],
      foreignKeys: [member('staff_credentials')],
    });
    await createTable(runner, 'staff_recovery_codes', {
      columns: { hash: column.text(64), staff_member_id: column.uuid },
      primaryKey: ['hash'],
      indexes: [{ name: 'ix_staff_recovery_codes_staff_member', columns: ['staff_member_id'] }],
      foreignKeys: [member('staff_recovery_codes')],
    });
    await createTable(runner, 'staff_links', {
      columns: {
        hash: column.text(64),
        staff_member_id: column.uuid,
        created_at: column.instant,
        expires_at: column.instant,
      },
      primaryKey: ['hash'],
      indexes: [{ name: 'ix_staff_links_staff_member', columns: ['staff_member_id'] }],
      foreignKeys: [member('staff_links')],
    });
    await createTable(runner, 'staff_identities', {
      columns: {
        issuer: column.text(255),
        subject: column.text(255),
        staff_member_id: column.uuid,
        created_at: column.instant,
      },
      primaryKey: ['issuer', 'subject'],
      indexes: [{ name: 'ix_staff_identities_staff_member', columns: ['staff_member_id'] }],
      foreignKeys: [member('staff_identities')],
    });
    await createTable(runner, 'sign_in_delays', {
      columns: {
        key: column.text(64),
        failures: column.integer,
        failed_at: column.instant,
        next_at: column.instant,
      },
      primaryKey: ['key'],
      indexes: [{ name: 'ix_sign_in_delays_failed', columns: ['failed_at'] }],
    });
  }

  /** There is no way back: on SQLite it would re-create tables, and with them lose rows. */
  down(): Promise<void> {
    return Promise.reject(new Error('Migrations are not undone. Restore a backup instead.'));
  }
}
