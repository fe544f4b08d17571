import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { column, optional } from '../platform/database/columns.js';
import { StaffMember } from '../staff/member/staff-member.entity.js';
import { ApiClient } from './api-client.entity.js';

/** A bearer token of an API client or staff member, without the token itself. */
@Entity({ name: 'access_tokens' })
@Index('ux_access_tokens_hash', ['hash'], { unique: true })
@Index('ix_access_tokens_client', ['clientId'])
@Index('ix_access_tokens_staff_member', ['staffMemberId'])
export class AccessToken {
  @PrimaryColumn(column.uuid)
  id: string;

  /** SHA-256 of the token, hexadecimal. */
  @Column(column.text(64))
  hash: string;

  /** The last four characters, to distinguish tokens in a list. */
  @Column(column.text(4))
  ending: string;

  @Column(optional(column.uuid))
  @ForeignKey(() => ApiClient, { name: 'fk_access_tokens_client' })
  clientId: string | null;

  @Column(optional(column.uuid))
  @ForeignKey(() => StaffMember, { name: 'fk_access_tokens_staff_member' })
  staffMemberId: string | null;

  @Column(column.text(120))
  label: string;

  /** Separated by blanks. */
  @Column(column.text(400))
  scopes: string;

  /** For the sandbox. */
  @Column(column.boolean)
  isTest: boolean;

  @Column(column.instant)
  createdAt: Date;

  @Column(column.instant)
  expiresAt: Date;

  @Column(optional(column.instant))
  revokedAt: Date | null;

  /** Written at most once a minute. */
  @Column(optional(column.instant))
  lastUsedAt: Date | null;
}
