import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { column, optional } from '../../platform/database/columns.js';
import { StaffMember } from '../member/staff-member.entity.js';

/**
 * - `open`: the member is signed in
 * - `second-factor`: the password was right, the code is missing
 * - `enrolment`: the member must set up a second factor first
 */
export type SessionStage = 'open' | 'second-factor' | 'enrolment';

/** A signed-in browser, without the cookie itself. */
@Entity({ name: 'staff_sessions' })
@Index('ux_staff_sessions_hash', ['hash'], { unique: true })
@Index('ix_staff_sessions_staff_member', ['staffMemberId'])
@Index('ix_staff_sessions_last_seen', ['lastSeenAt'])
export class StaffSession {
  @PrimaryColumn(column.uuid)
  id: string;

  /** SHA-256 of the cookie's value, hexadecimal. */
  @Column(column.text(64))
  hash: string;

  @Column(column.uuid)
  @ForeignKey(() => StaffMember, { name: 'fk_staff_sessions_staff_member' })
  staffMemberId: string;

  @Column(column.text(16))
  stage: SessionStage;

  @Column(column.text(16))
  method: 'password' | 'link' | 'provider';

  @Column(column.instant)
  createdAt: Date;

  /** Written at most once a minute. */
  @Column(column.instant)
  lastSeenAt: Date;

  /** When the member proved the second factor, if at all. */
  @Column(optional(column.instant))
  secondFactorAt: Date | null;

  /** Shortened. */
  @Column(column.text(200))
  userAgent: string;

  @Column(column.text(45))
  address: string;
}
